// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

@Suite struct StreamTests {
  static let factors = [
    KnownFactor(0.01, 1, 100), KnownFactor(0.3, 3, 10), KnownFactor(1 / 1.1, 10, 11),
    KnownFactor(1, 1, 1), KnownFactor(1.1, 11, 10), KnownFactor(2.5, 5, 2),
    KnownFactor(7.0 / 3, 7, 3), KnownFactor(100, 100, 1), KnownFactor(517.0 / 1009, 517, 1009),
  ]

  @Test(arguments: factors, allInterpolations)
  func valuesAreThoseOfThePlainModel(
    factor: KnownFactor, interpolation: TimeDSPInterpolation
  ) throws {
    try expectModel(Int16.self, factor, interpolation)
    try expectModel(Int32.self, factor, interpolation)
    try expectModel(Float.self, factor, interpolation)
    try expectModel(Double.self, factor, interpolation)
  }

  private func expectModel<S: TestSample>(
    _: S.Type, _ factor: KnownFactor, _ interpolation: TimeDSPInterpolation
  ) throws {
    var generator = SplitMix(seed: 4)
    for frames in [1, 2, 3, 5, 211] {
      let input = noise(S.self, frames: frames, using: &generator)
      let output = try TestScaler<S>(interpolation: interpolation, factor: factor.value).run(input)
      let model = PlainModel(input: input.map(\.value), interpolation: interpolation)
      let expected = model.stream(factor.numerator, factor.denominator).map(S.init(model:))
      try #require(output.count == expected.count)
      for (made, wanted) in zip(output, expected) {
        #expect(abs(made.value - wanted.value) <= model.tolerance(S.self))
      }
    }
  }

  @Test(arguments: allInterpolations)
  func levelStaysLevel(interpolation: TimeDSPInterpolation) throws {
    for level: Float in [0.1, -1, 1e-30, 3e38] {
      let input = [Float](repeating: level, count: 40)
      let output = try TestScaler<Float>(interpolation: interpolation, factor: 1.37).run(input)
      #expect(output.allSatisfy { $0 == level })
    }
  }

  /// Values exactly between two integers are rounded to even. Here, they are 2.5, 3.5, -2.5 and
  /// -3.5.
  @Test func halvesAreRoundedToEven() throws {
    let input: [Int16] = [2, 3, 4, -2, -3, -4]
    let expected: [Int16] = [2, 2, 3, 4, 4, 1, -2, -2, -3, -4, -4, -4]
    let narrow = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 2).run(input)
    #expect(narrow == expected)
    let wide = try TestScaler<Int32>(interpolation: TIMEDSP_LINEAR, factor: 2)
      .run(input.map { Int32($0) })
    #expect(wide == expected.map { Int32($0) })
  }

  /// Between two loud frames, a cubic overshoots by an eighth of their level.
  @Test func loudSamplesAreClipped() throws {
    let wave: [Int16] = [.min, .max, .max, .min, .min, .max, .max, .min]
    let narrow = try TestScaler<Int16>(interpolation: TIMEDSP_CUBIC, factor: 2).run(wave)
    #expect(narrow[3] == .max)
    #expect(narrow[7] == .min)
    let wide = try TestScaler<Int32>(interpolation: TIMEDSP_CUBIC, factor: 2)
      .run(wave.map { $0 == .max ? Int32.max : .min })
    #expect(wide[3] == .max)
    #expect(wide[7] == .min)
  }

  @Test(arguments: everyInterpolation)
  func factorOneKeepsEveryBit(interpolation: TimeDSPInterpolation) throws {
    let singles: [Float] = [
      -0.0, .nan, Float(bitPattern: 0x7FA0_1234), Float(bitPattern: 0xFFC0_0001), .infinity,
      -.infinity, .leastNonzeroMagnitude, 1, -0.0, 0, .greatestFiniteMagnitude,
    ]
    let doubles: [Double] = [
      -0.0, .nan, Double(bitPattern: 0x7FF4_0000_0000_1234), .infinity, -.infinity,
      .leastNonzeroMagnitude, -0.0, 0, -.greatestFiniteMagnitude,
    ]
    let single = try TestScaler<Float>(interpolation: interpolation, factor: 1).run(singles)
    let double = try TestScaler<Double>(interpolation: interpolation, factor: 1).run(doubles)
    #expect(bits(single) == bits(singles))
    #expect(bits(double) == bits(doubles))
  }

  @Test(arguments: everyInterpolation)
  func factorOneHasNoLatency(interpolation: TimeDSPInterpolation) throws {
    let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: 1)
    for frame: Int16 in 1...5 {
      #expect(try scaler.process([frame], capacity: 1).made == [frame])
    }
  }

  /// An input frame exactly at an output position is copied, for any factor.
  @Test(arguments: allInterpolations)
  func framesMetExactlyKeepEveryBit(interpolation: TimeDSPInterpolation) throws {
    let input: [Float] = [-0.0, .nan, 1, .infinity, -0.0, Float(bitPattern: 0x7FA0_1234)]
    let output = try TestScaler<Float>(interpolation: interpolation, factor: 3).run(input)
    #expect(bits(stride(from: 0, to: 18, by: 3).map { output[$0] }) == bits(input))
  }
}
