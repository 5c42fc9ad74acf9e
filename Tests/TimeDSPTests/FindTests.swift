// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Needles that are exactly in the decode.
@Suite struct FindTests {
  private func noise(_ count: Int, _ generator: inout SplitMix) -> [Double] {
    (0..<count).map { _ in Double(Int32.random(in: -8_388_608..<8_388_608, using: &generator)) }
  }

  @Test(arguments: [1, 2, 6, 64])
  func shiftsAreFoundToTheFrame(channels: Int) {
    var generator = SplitMix(seed: UInt64(channels))
    let take = noise(400 * channels, &generator)
    func cut(_ frames: Range<Int>) -> [Double] {
      Array(take[frames.lowerBound * channels..<frames.upperBound * channels])
    }
    for shift in -50...50 {
      let found = alignTake(
        take, cut(150..<200), channels: channels, planned: 150 - shift, search: 50)
      #expect(found == SearchResult(shift: Int64(shift), isFound: true))
    }
    // the needle is found at both ends of the run, but not beyond them
    for place in [0, 1, 349, 350] {
      let needle = cut(place..<place + 50)
      let found = alignTake(take, needle, channels: channels, planned: 175, search: 175)
      #expect(found == SearchResult(shift: Int64(place - 175), isFound: true))
      let edge = cut(0..<place + 49)
      let best = alignTake(edge, needle, channels: channels, planned: 175, search: 175)
      #expect(best == .nothing || best.error > 0)
    }
  }

  @Test(arguments: [1, 2, 6])
  func everyBitCounts(channels: Int) {
    var generator = SplitMix(seed: 5)
    let take = noise(40 * channels, &generator)
    let needle = Array(take[10 * channels..<30 * channels])
    for sample in needle.indices {
      var other = needle
      other[sample] += 1
      #expect(alignTake(take, other, channels: channels, planned: 10, search: 20).error > 0)
    }
  }

  @Test func farPlacesAreLookedAtWhereThereIsRoom() {
    let take = [Double](repeating: 1, count: 3)
    #expect(alignTake([], take, planned: 0, search: 1 << 53) == .nothing)
    #expect(alignTake(take, take, planned: 1 << 53, search: 1) == .nothing)
    let far = alignTake(take, take, planned: 1 << 53, search: 1 << 53)
    #expect(far == SearchResult(shift: -1 << 53, isFound: true))
  }
}
