// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Where in a run we look for a needle (`RunSearch`), in this order: first the planned position,
/// then the others by their distance from it. At the same distance, the lower one comes first.
struct SearchPositions: IteratorProtocol {
  private let planned: Int
  private let lowest: Int
  private let highest: Int
  private var distance: Int
  private var isAfter: Bool

  /// All arguments are in frames, in `0 ... maxFrames`. `run` and `needle` are lengths, and
  /// `search` is the max distance from `planned`, where we expect the needle. `nil` if it fits
  /// nowhere.
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
