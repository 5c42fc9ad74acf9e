// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// A sample format, a layout and a number of channels. All tests about block sizes run with each of
/// these combinations.
struct Shape: Sendable, CustomTestStringConvertible {
  let format: TimeDSPFormat
  let layout: TimeDSPLayout
  let channels: Int

  var sampleType: any TestSample.Type {
    switch format {
    case TIMEDSP_S16: Int16.self
    case TIMEDSP_S32: Int32.self
    case TIMEDSP_F32: Float.self
    default: Double.self
    }
  }

  var testDescription: String {
    let formats = ["S16", "S32", "F32", "F64"]
    let layout = layout == TIMEDSP_PLANAR ? "planar" : "interleaved"
    return "\(formats[Int(format.rawValue)]) \(layout) × \(channels)"
  }

  static let all = [TIMEDSP_S16, TIMEDSP_S32, TIMEDSP_F32, TIMEDSP_F64].flatMap { format in
    [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR].flatMap { layout in
      [1, 2, 3, 6, 8].map { Shape(format: format, layout: layout, channels: $0) }
    }
  }
}

@Suite struct CuttingTests {
  static let factors = [0.01, 0.37, 1 / 1.1, 1, 1.73, 9]

  @Test(arguments: Shape.all, everyInterpolation)
  func outputDoesNotDependOnTheCuts(
    shape: Shape, interpolation: TimeDSPInterpolation
  ) throws {
    try expectSameOutput(shape.sampleType, shape, interpolation)
  }

  /// Expects the same output as for every channel processed alone, in one piece.
  private func expectSameOutput<S: TestSample>(
    _: S.Type, _ shape: Shape, _ interpolation: TimeDSPInterpolation
  ) throws {
    var generator = SplitMix(seed: UInt64(shape.channels))
    let channels = shape.channels
    for factor in Self.factors {
      let input = noise(
        S.self, frames: factor < 0.1 ? 450 : 60, channels: channels, using: &generator)
      let expected = try (0..<channels).map { channel in
        let one = stride(from: channel, to: input.count, by: channels).map { input[$0] }
        return try TestScaler<S>(interpolation: interpolation, factor: factor).run(one)
      }
      let scaler = try TestScaler<S>(
        channels: channels, layout: shape.layout, interpolation: interpolation, factor: factor)
      let output = try scaler.run(
        input, cuttingInput: { Int.random(in: 0...9, using: &generator) },
        cuttingOutput: { Int.random(in: 0...7, using: &generator) })
      for channel in 0..<channels {
        let one = stride(from: channel, to: output.count, by: channels).map { output[$0] }
        #expect(bits(one) == bits(expected[channel]), "factor \(factor), channel \(channel)")
      }
    }
  }

  @Test(arguments: factors, everyInterpolation)
  func anySizesOfPiecesGiveTheSame(factor: Double, interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 6)
    let input = noise(Double.self, frames: 700, using: &generator)
    let whole = try TestScaler<Double>(interpolation: interpolation, factor: factor).run(input)
    for (most, room) in [(1, 1), (1, 300), (300, 1), (2, 3), (40, 5), (5, 40), (200, 200)] {
      let scaler = try TestScaler<Double>(interpolation: interpolation, factor: factor)
      let output = try scaler.run(
        input, cuttingInput: { Int.random(in: 0...most, using: &generator) },
        cuttingOutput: { Int.random(in: 0...room, using: &generator) })
      #expect(bits(output) == bits(whole), "up to \(most) in, \(room) out")
    }
  }

  @Test(arguments: factors, everyInterpolation)
  func allInputIsConsumedUnlessTheOutputIsFull(
    factor: Double, interpolation: TimeDSPInterpolation
  ) throws {
    var generator = SplitMix(seed: 7)
    let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: factor)
    for _ in 0..<300 {
      let input = noise(
        Int16.self, frames: .random(in: 0...50, using: &generator), using: &generator)
      let room = Int.random(in: 0...60, using: &generator)
      let (used, made) = try scaler.process(input[...], capacity: room)
      #expect(used == input.count || made.count == room)
      #expect(used <= input.count)
    }
  }

  @Test(arguments: [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR])
  func theMostChannelsAreScaled(layout: TimeDSPLayout) throws {
    let channels = Int(TIMEDSP_MAX_CHANNELS)
    let scaler = try TestScaler<Double>(
      channels: channels, layout: layout, interpolation: TIMEDSP_CUBIC, factor: 0.01)
    let input = (0..<205 * channels).map { Double($0 % channels) }
    let output = try scaler.run(input, cuttingInput: { 41 }, cuttingOutput: { 1 })
    #expect(output == (0..<2 * channels).map { Double($0 % channels) })
  }
}
