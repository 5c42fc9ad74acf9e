// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct LengthTests {
  static let badFactors = [
    0.0, -0.0, -1, 0.01.nextDown, 100.0.nextUp, 1e300, 5e-300, .nan, .signalingNaN, .infinity,
    -.infinity,
  ]

  @Test func lengthsRefuseWrongArguments() throws {
    for factor in Self.badFactors {
      #expect(throws: TIMEDSP_BAD_FACTOR) { try Scaler.length(of: 1, scaledBy: factor) }
    }
    for (frames, factor) in [
      (1 << 53 + 1, 1.0), (.max, 0.01), (1 << 53, 1.0.nextUp), (1 << 53, 100), (1 << 47, 100),
    ] as [(UInt64, Double)] {
      #expect(throws: TIMEDSP_BAD_LENGTH) { try Scaler.length(of: frames, scaledBy: factor) }
    }
    #expect(try Scaler.length(of: 1 << 53, scaledBy: 1) == 1 << 53)
  }

  @Test(arguments: KnownFactor.grid)
  func lengthIsFramesTimesFactorRoundedDown(factor: KnownFactor) throws {
    let large = [1 << 20, 1 << 32, (1 << 32) + 1, 192_000 * 86_400, 1 << 46]
    for frames in Array(0...200) + large {
      let length = try Scaler.length(of: UInt64(frames), scaledBy: factor.value)
      #expect(length == factor.length(frames), "\(frames) frames")
    }
  }

  @Test func lengthIsExactUpToTheLongestStream() throws {
    for factor in KnownFactor.grid where factor.value <= 1 {
      for frames in [1 << 53, 1 << 53 - 1, 1 << 53 - 100] {
        let length = try Scaler.length(of: UInt64(frames), scaledBy: factor.value)
        #expect(length == factor.length(frames), "\(frames) frames × \(factor.value)")
      }
    }
  }

  @Test(arguments: KnownFactor.grid, everyInterpolation)
  func boundCoversTheOutput(factor: KnownFactor, interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 3)
    for frames in [0, 1, 2, 10, 99, 500] {
      let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: factor.value)
      let before = Int.random(in: 0...200, using: &generator)
      _ = try scaler.process([Int16](repeating: 1, count: before)[...], capacity: 30_000)
      let bound = try scaler.maxOutput(frames)
      let made = try scaler.run([Int16](repeating: 1, count: frames)).count
      #expect((made...made + 2).contains(bound))
    }
  }

  @Test(arguments: KnownFactor.grid)
  func positionsDoNotDrift(factor: KnownFactor) throws {
    let fraction = try #require(Fraction(factor: factor.value))
    let steps = SteadySteps(fraction)
    var (index, weight) = (Int64(0), 0.0)
    for k in 1...100_000 {
      steps.advance(&index, &weight)
      guard k % 997 == 0 else { continue }
      let (frame, rest) = (UInt128(k) * UInt128(factor.denominator))
        .quotientAndRemainder(dividingBy: UInt128(factor.numerator))
      #expect(index == Int64(frame))
      #expect((weight == 0) == (rest == 0))
    }
  }

  /// The number of frames is up to a day at 192 kHz.
  @Test(arguments: KnownFactor.grid)
  func framesDueAreExactAfterADay(factor: KnownFactor) throws {
    let fraction = try #require(Fraction(factor: factor.value))
    let positions = ReadCursor(fraction)
    for frames in [192_000 * 86_400, 192_000 * 86_400 + 1, 1 << 46] {
      #expect(positions.framesDue(arrived: Int64(frames)) == UInt64(factor.length(frames)))
    }
  }
}
