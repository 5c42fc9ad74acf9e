// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct ContinueTests {
  /// A second scaler continues the stream of a first one. The output of the second scaler is the
  /// same as if it had processed the stream from the beginning.
  @Test(
    arguments: [0.3, 1, 1 / 1.1, 2.5],
    [(TIMEDSP_LINEAR, TIMEDSP_SINC), (TIMEDSP_SINC, TIMEDSP_CUBIC), (TIMEDSP_SINC, TIMEDSP_SINC)])
  func theRestIsTheSame(
    factor: Double, kinds: (TimeDSPInterpolation, TimeDSPInterpolation)
  ) throws {
    var generator = SplitMix(seed: 41)
    let input = noise(Double.self, frames: 1500, using: &generator)
    let first = try TestScaler<Double>(interpolation: kinds.0, quality: 1, factor: factor)
    let alone = try TestScaler<Double>(interpolation: kinds.1, quality: 3, factor: factor)
    let other = try TestScaler<Double>(interpolation: kinds.1, quality: 3, factor: factor)
    let made = try first.process(input[..<700], capacity: 5000).made
    other.core.adopt(first.core)
    #expect(try other.position() == first.position())
    let output = made + (try other.run(Array(input[700...])))
    let whole = try alone.run(input)
    #expect(output.count == whole.count)
    #expect(bits(Array(output[made.count...])) == bits(Array(whole[made.count...])))
  }

  @Test func movesGoOn() throws {
    let input = (0..<600).map { Double($0) }
    let first = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 1)
    let other = try TestScaler<Double>(interpolation: TIMEDSP_CUBIC, factor: 3)
    let alone = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 1)
    try first.ramp(to: 2, within: 200)
    try alone.ramp(to: 2, within: 200)
    let made = try first.process(input[..<100], capacity: 500).made
    other.core.adopt(first.core)
    let output = made + (try other.run(Array(input[100...])))
    let whole = try alone.run(input)
    #expect(output.count == whole.count)
    // both interpolations reproduce a straight line, except for the last frames
    #expect(zip(output, whole).dropLast(6).allSatisfy { abs($0 - $1) < 1e-9 })
  }
}
