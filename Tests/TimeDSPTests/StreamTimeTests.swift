// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct StreamTimeTests {
  static let rates: [UInt32] = [
    8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000, 384_000, 1, 3, 7,
  ]

  /// Frames whose times are likely to be rounded wrongly: the first frames, frames around whole
  /// seconds, and random frames up to the largest.
  private func frames(rate: UInt32) -> [Int64] {
    var generator = SplitMix(seed: UInt64(rate))
    let seconds = (0..<200).flatMap { second in
      (-2...2).map { Int64(second) * Int64(rate) + $0 }
    }
    let random = (0..<4_000).map { _ in
      Int64.random(in: 0...(1 << 53), using: &generator)
        >> Int64.random(in: 0..<53, using: &generator)
    }
    let largest = (0..<100).map { Int64(1) << 53 - $0 }
    return (Array(0..<3_000) + seconds + random + largest).filter { $0 >= 0 }
  }

  @Test(arguments: rates)
  func timesAreRoundedDownToNanoseconds(rate: UInt32) {
    let wrong = frames(rate: rate).first { frame in
      let exact = UInt128(frame) * 1_000_000_000 / UInt128(rate)
      return timeNs(of: frame, rate: rate) != UInt64(clamping: exact)
    }
    #expect(wrong == nil)
  }

  @Test(arguments: rates)
  func framesAreFoundAgainByTheirTime(rate: UInt32) {
    let wrong = frames(rate: rate).first { frame in
      let time = timeNs(of: frame, rate: rate)
      return time != .max && timedsp_frame_at(time, rate) != frame
    }
    #expect(wrong == nil)
  }

  @Test(arguments: rates + [1_000_000_000, .max])
  func timesAreRoundedToTheNearestFrame(rate: UInt32) {
    var generator = SplitMix(seed: 1)
    var times = (0..<4_000).map { _ in
      UInt64.random(in: 0 ... .max, using: &generator)
        >> UInt64.random(in: 0..<64, using: &generator)
    }
    times += [0, 1, .max, .max - 1, 499_999_999, 500_000_000, 500_000_001, 1_000_000_000]
    // the frames around the first one whose quotient has more than 64 bits
    let farthest = (UInt128(1_000_000_000) << 64) / UInt128(rate)
    times += (0..<20).map { UInt64(clamping: farthest + $0 - 10) }
    let wrong = times.first { time in
      let exact = (UInt128(time) * UInt128(rate) + 500_000_000) / 1_000_000_000
      return timedsp_frame_at(time, rate) != Int64(min(exact, 1 << 53))
    }
    #expect(wrong == nil)
  }

  @Test(arguments: rates)
  func noSeekLosesAFrame(rate: UInt32) {
    let limits = FetchLimits(
      rate: rate, endFrame: -1, firstBlockFrames: 1, maxBlockFrames: 1, prerollFrames: 0,
      overlapFrames: 0, searchFrames: 0)
    let wrong = frames(rate: rate).first { frame in
      let fetch = limits.fetch(TIMEDSP_FORWARD, at: frame, joined: false, blocksBefore: 0)
      let exact = (UInt128(frame) * 2 + 1) * 500_000_000 / UInt128(rate)
      let seekNs = fetch.seekNs(rate)
      if exact > UInt128(Int64.max) { return seekNs != UInt64(Int64.max) }
      // rounded like gst_util_uint64_scale()
      let heard = UInt128(seekNs) * UInt128(rate) / 1_000_000_000
      return heard != UInt128(frame) || seekNs != (frame == 0 ? 0 : UInt64(exact))
    }
    #expect(wrong == nil)
  }

  @Test func aBufferWithoutATimeIsAtTheStart() {
    #expect(timedsp_frame_at(0, 48_000) == 0)
    #expect(timedsp_frame_at(1_000_000_000, 0) == 0)
    #expect(timedsp_frame_at(.max, 0) == 0)
    #expect(timeNs(of: 1, rate: 0) == 0)
    for frame in [-1, -2, Int64.min, Int64.min + 1] {
      #expect(timeNs(of: frame, rate: 48_000) == 0)
    }
  }

  @Test func numbersThatDoNotFitAreClamped() {
    #expect(timeNs(of: .max, rate: 1) == .max)
    #expect(timeNs(of: 1 << 53, rate: 1) == .max)
    #expect(timeNs(of: 18_446_744_073, rate: 1) == 18_446_744_073_000_000_000)
    #expect(timeNs(of: 18_446_744_074, rate: 1) == .max)
    #expect(
      timeNs(of: .max, rate: .max) == UInt64(UInt128(Int64.max) * 1_000_000_000 / 4_294_967_295))
    #expect(timedsp_frame_at(.max, .max) == 1 << 53)
  }
}
