// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

@Suite struct FactorChangeTests {
  /// An output frame spans 1 / factor input frames, with the factor at which the frame was output.
  /// Together, all output frames span the whole input, except for a remainder that is shorter than
  /// the span of one more output frame.
  @Test(arguments: everyInterpolation)
  func spansCoverTheInputThroughThousandsOfChanges(
    interpolation: TimeDSPInterpolation
  ) throws {
    var generator = SplitMix(seed: 10)
    var factor = 1.0
    let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: factor)
    var received = 0
    var covered = 0.0
    for _ in 0..<4000 {
      factor = pow(10, Double.random(in: -2...2, using: &generator))
      try scaler.set(factor)
      let frames = Int.random(in: 0...12, using: &generator)
      let (used, made) = try scaler.process(
        [Int16](repeating: 1, count: frames)[...], capacity: 20_000)
      #expect(used == frames)
      received += used
      covered += Double(made.count) / factor
    }
    covered += Double(try scaler.finish(capacity: 20_000).count) / factor
    #expect(covered < Double(received) + 1e-6)
    #expect(Double(received) < covered + 1 / factor + 1e-6)
  }

  /// The factor changes with every input frame. The number of output frames is the integral of the
  /// factor.
  @Test(arguments: [(0.5, 2.0), (2, 0.5), (1, 1.01), (0.02, 1)])
  func rampMakesTheIntegralOfTheFactor(start: Double, end: Double) throws {
    let frames = 20_000
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: start)
    var made = 0
    for frame in 0..<frames {
      let factor = start + (end - start) * (Double(frame) + 0.5) / Double(frames)
      try scaler.set(factor)
      made += try scaler.process([1], capacity: 10).made.count
    }
    made += try scaler.finish(capacity: 10).count
    // The integral counts a frame at its beginning, but the frame is output at its end. Between the
    // two, the factor changes by its slope / factor. Over all frames, these changes add up to
    // log(end / start).
    let shift = abs(log(end / start))
    #expect(abs(Double(made) - Double(frames) * (start + end) / 2) <= 1 + shift)
  }

  @Test(arguments: [0.01, 1 / 1.1, 1, 1.5, .pi], everyInterpolation)
  func sameFactorChangesNothing(factor: Double, interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 11)
    let input = noise(Double.self, frames: 500, using: &generator)
    let plain = try TestScaler<Double>(interpolation: interpolation, factor: factor)
    let changed = try TestScaler<Double>(interpolation: interpolation, factor: factor)
    let expected = try plain.run(input)
    let output = try changed.run(
      input,
      cuttingInput: {
        #expect(throws: Never.self) { try changed.set(factor) }
        return 7
      }, cuttingOutput: { 3 })
    #expect(bits(output) == bits(expected))
  }

  /// Input frame n has the value n. At factor 2, the output frames are read at the positions 0,
  /// 0.5, … 3.5, and then at factor 1 at 4, 5, ….
  @Test func noFrameIsLostOrReadTwice() throws {
    let input = (0..<12).map { Double($0) }
    let scaler = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 2)
    let (used, before) = try scaler.process(input[...], capacity: 8)
    #expect(before == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
    try scaler.set(1)
    let after = try scaler.process(input[used...], capacity: 100).made
    #expect(after == [4, 5, 6, 7, 8, 9, 10, 11])
  }

  /// If the factor changes to 1, input positions keep the fraction that they had before the change.
  @Test func fractionsOfAFrameOutliveTheFactor() throws {
    let input = (0..<20).map { Double($0) }
    let scaler = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 2)
    let (used, _) = try scaler.process(input[...], capacity: 5)
    for factor in [1, 0.5, 1] {
      try scaler.set(factor)
    }
    let output = try scaler.process(input[used...], capacity: 100).made
    #expect(output.prefix(4) == [2.5, 3.5, 4.5, 5.5])
  }

  @Test func fixedFactorsCannotBeChanged() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, count: 3, length: 5)
    #expect(throws: TIMEDSP_BAD_FACTOR) { try scaler.set(2) }
    #expect(try scaler.run([0, 10, 20]) == [0, 5, 10, 15, 20])
  }
}
