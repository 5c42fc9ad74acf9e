// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The positions in a run at which to look for a needle (see `RunSearch`), in search order: the
/// planned position first, then the other positions by their distance from it. Of two positions at
/// the same distance, the lower position comes first.
struct SearchPositions: IteratorProtocol {
  private let planned: Int
  private let lowest: Int
  private let highest: Int
  private var distance: Int
  private var isAfter: Bool

  /// All arguments are in frames, in `0 ... maxFrames`. `run` and `needle` are lengths, `planned`
  /// is the expected position, and `search` is the maximum distance from `planned`. The result is
  /// `nil` if the needle fits at no position.
  init?(run: Int, needle: Int, planned: Int, search: Int) {
    lowest = max(planned &- search, 0)
    highest = min(planned &+ search, run &- needle)
    guard lowest <= highest else { return nil }
    self.planned = planned
    // `planned` may be above `highest`, but never below `lowest`
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
