// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct FetchPlanTests {
  static let rates: [UInt32] = [
    8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000, 384_000, 1, 3, 7,
  ]

  private func plan(
    _ limits: FetchLimits, _ direction: TimeDSPDirection, _ edge: Int64,
    joined: Bool = true, before: UInt32 = 0
  ) -> Fetch {
    limits.fetch(direction, at: edge, joined: joined, blocksBefore: before)
  }

  @Test(arguments: [TIMEDSP_FORWARD, TIMEDSP_BACKWARD])
  func blocksTileTheStream(direction: TimeDSPDirection) throws {
    var generator = SplitMix(seed: 3)
    for _ in 0..<300 {
      let end = Int64.random(in: 0...2_000, using: &generator)
      let limits = FetchLimits.random(end: end, using: &generator)
      var edge = direction == TIMEDSP_FORWARD ? 0 : end
      var before: UInt32 = 0
      while true {
        let fetch = plan(limits, direction, edge, before: before)
        let (near, far) =
          direction == TIMEDSP_FORWARD
          ? (fetch.firstFrame, fetch.endFrame) : (fetch.endFrame, fetch.firstFrame)
        try #require(near == edge && fetch.firstFrame >= 0 && fetch.endFrame <= end)
        if fetch.block.isEmpty { break }
        (edge, before) = (far, before + 1)
      }
      #expect(edge == (direction == TIMEDSP_FORWARD ? end : 0))
    }
  }

  @Test func prerollIsSearchedAndNotKept() throws {
    var limits = FetchLimits.plain(first: 1_000, max: 1_000)
    (limits.prerollFrames, limits.overlapFrames, limits.searchFrames) = (700, 300, 20)
    // the middles of the frames 3300, 3980 and 1
    #expect(plan(limits, TIMEDSP_BACKWARD, 5_000).seekHalfFrames == 6_601)
    #expect(plan(limits, TIMEDSP_FORWARD, 5_000).seekHalfFrames == 7_961)
    #expect(plan(limits, TIMEDSP_BACKWARD, 1_700).seekHalfFrames == 0)
    #expect(plan(limits, TIMEDSP_BACKWARD, 1_701).seekHalfFrames == 3)
  }

  /// The time of a seek target is rounded down twice: when it is sent, and when the source converts
  /// it to a frame.
  @Test(arguments: rates)
  func noSeekLosesAFrame(rate: UInt32) {
    var generator = SplitMix(seed: UInt64(rate))
    let limits = FetchLimits.plain(first: 1, max: 1)
    var frames = Array(0..<3_000 as Range<Int64>) + Array((1 << 53 - 100)...(1 << 53))
    for shift in 0..<4_000 {
      frames.append(Int64.random(in: 0...(1 << 53), using: &generator) >> (shift % 53))
    }
    let wrong = frames.first { frame in
      let half = plan(limits, TIMEDSP_FORWARD, frame, joined: false).seekHalfFrames
      let time = UInt128(half) * 500_000_000 / UInt128(rate)
      return time * UInt128(rate) / 1_000_000_000 != UInt128(frame)
    }
    #expect(wrong == nil)
  }

  /// Combines extreme positions and limits. No addition traps, and every plan is inside the stream.
  @Test func plansOfExtremesAreInsideAStream() {
    let ends: [Int64] = [0, 1, 1 << 53 - 1, 1 << 53]
    for number in 0..<4 * 4 * 4 * 4 * 4 {
      let limits = FetchLimits(
        rate: number % 2 == 0 ? 1 : .max, endFrame: ends[number % 4],
        firstBlockFrames: max(ends[number / 4 % 4], 1), maxBlockFrames: 1 << 53,
        prerollFrames: ends[number / 16 % 4], overlapFrames: ends[number / 64 % 4],
        searchFrames: ends[number / 256 % 4])
      for (edge, before) in [(0, 0), (1, .max), (1 << 53, 0), (1 << 53, 64)] as [(Int64, UInt32)] {
        for direction in [TIMEDSP_FORWARD, TIMEDSP_BACKWARD] {
          let fetch = plan(limits, direction, edge, before: before)
          let isOrdered =
            0 <= fetch.keepFirstFrame && fetch.keepFirstFrame <= fetch.firstFrame
            && fetch.firstFrame <= fetch.endFrame && fetch.endFrame <= fetch.keepEndFrame
            && fetch.keepEndFrame <= 1 << 53 && fetch.endFrame <= limits.endFrame
          #expect(isOrdered && 0...1 << 54 | 1 ~= fetch.seekHalfFrames)
        }
      }
    }
  }
}

extension Fetch {
  var block: Range<Int64> { firstFrame..<endFrame }
  var kept: Range<Int64> { keepFirstFrame..<keepEndFrame }
}

extension FetchLimits {
  /// Limits for a stream of unknown length that needs no preroll and no overlap.
  static func plain(first: Int64, max: Int64) -> FetchLimits {
    FetchLimits(
      rate: 48_000, endFrame: -1, firstBlockFrames: first, maxBlockFrames: max,
      prerollFrames: 0, overlapFrames: 0, searchFrames: 0)
  }

  /// Random limits for a stream of `end` frames, or of unknown length.
  static func random(end: Int64, using generator: inout SplitMix) -> FetchLimits {
    let search = Int64.random(in: 0...20, using: &generator)
    let shortest = max(search, 1)
    return FetchLimits(
      rate: FetchPlanTests.rates.randomElement(using: &generator) ?? 1, endFrame: end,
      firstBlockFrames: Int64.random(in: shortest...200, using: &generator),
      maxBlockFrames: Int64.random(in: shortest...1_000, using: &generator),
      prerollFrames: Int64.random(in: 0...300, using: &generator),
      overlapFrames: Int64.random(in: 0...60, using: &generator),
      searchFrames: search)
  }
}
