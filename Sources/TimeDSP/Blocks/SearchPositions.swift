// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The positions in a run where a needle may be, in search order. The planned position comes first.
/// The other positions follow in the order of their distance from the planned position. Of two
/// positions at the same distance, the lower one comes first.
struct SearchPositions: IteratorProtocol {
  private let planned: Int
  private let lowest: Int
  private let highest: Int
  private var distance: Int
  private var isAfter: Bool

  /// The result is `nil` if the needle fits at no position. All arguments are in `0 ...
  /// mostFrames`.
  init?(run: Int, needle: Int, planned: Int, search: Int) {
    lowest = max(planned &- search, 0)
    highest = min(planned &+ search, run &- needle)
    guard lowest <= highest else { return nil }
    self.planned = planned
    // the planned position may be after the run, but never before it
    distance = max(planned &- highest, 0)
    isAfter = distance == 0
  }

  mutating func next() -> Int? {
    while distance <= max(planned &- lowest, highest &- planned) {
      let position = isAfter ? planned &+ distance : planned &- distance
      if isAfter { distance &+= 1 }
      isAfter.toggle()
      if position >= lowest, position <= highest { return position }
    }
    return nil
  }
}
