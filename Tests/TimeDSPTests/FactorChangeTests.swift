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
}
