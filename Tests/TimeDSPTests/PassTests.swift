// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// At factor 1, frames are passed through without being scaled. The scaler keeps only the most
/// recent frames, which its next kernels need.
@Suite struct PassTests {
  /// Makes `scaler` pass `input` through, in blocks of `piece` frames.
  private func pass(_ input: [Float], _ piece: Int, by scaler: TestScaler<Float>) throws {
    var rest = input[...]
    while !rest.isEmpty {
      let planes = Planes(interleaved: Array(rest.prefix(piece)), planes: 1)
      let isPassed = scaler.core.pass(FrameCursor(planes.readable, min(piece, rest.count)))
      #expect(isPassed)
      rest = rest.dropFirst(piece)
    }
  }

  private func rampFrames(_ scaler: TestScaler<Float>, to factor: Double) throws -> Int {
    Int(scaler.core.rampFrames(to: try Fraction(checked: factor), within: 240))
  }

  /// After the frames that were passed through, the output is the same, bit for bit, as if the
  /// scaler had processed those frames. This is true even if the factor drops to 0.01 immediately.
  @Test(arguments: [0, 6, 10], [(3, 1), (271, 64), (5000, 1024)])
  func theRestIsTheSame(quality: Int, cut: (frames: Int, piece: Int)) throws {
    var generator = SplitMix(seed: 43)
    let input = noise(Float.self, frames: cut.frames + 60_000, using: &generator)
    let before = Array(input[..<cut.frames])
    for factor in [3, 0.7, 0.5, 0.1, 0.01] {
      let passed = try TestScaler<Float>(
        interpolation: TIMEDSP_SINC, quality: quality, factor: 1)
      let alone = try TestScaler<Float>(
        interpolation: TIMEDSP_SINC, quality: quality, factor: 1)
      try pass(before, cut.piece, by: passed)
      let copy = try alone.process(before[...], capacity: cut.frames).made
      #expect(bits(copy) == bits(before))
      let frames = try rampFrames(passed, to: factor)
      #expect(factor >= 0.5 ? frames == 240 : frames >= 240)
      try passed.ramp(to: factor, within: 240)
      try alone.ramp(to: factor, within: frames)
      // a long ramp needs all of the input, but a short ramp ends soon
      let rest = Array(input[cut.frames...].prefix(factor >= 0.5 ? 4000 : 60_000))
      let output = try passed.run(rest)
      let expected = try alone.run(rest)
      #expect(output.count == expected.count)
      #expect(bits(output) == bits(expected), "factor \(factor)")
    }
  }

  @Test func anotherQualityTakesOver() throws {
    var generator = SplitMix(seed: 44)
    let input = noise(Float.self, frames: 4000, using: &generator)
    let passed = try TestScaler<Float>(interpolation: TIMEDSP_LINEAR, factor: 1)
    let next = try TestScaler<Float>(interpolation: TIMEDSP_SINC, quality: 10, factor: 1)
    let alone = try TestScaler<Float>(interpolation: TIMEDSP_SINC, quality: 10, factor: 1)
    try pass(Array(input[..<2000]), 100, by: passed)
    next.core.adopt(passed.core)
    _ = try alone.process(input[..<2000], capacity: 2000)
    for scaler in [next, alone] { try scaler.ramp(to: 0.5, within: 240) }
    let output = try next.run(Array(input[2000...]))
    #expect(bits(output) == bits(try alone.run(Array(input[2000...]))))
  }

  @Test func framesThatWouldBeChangedAreRefused() throws {
    let scaler = try TestScaler<Float>(interpolation: TIMEDSP_SINC, factor: 1.5)
    let fixed = try TestScaler<Float>(interpolation: TIMEDSP_LINEAR, count: 3, length: 3)
    let input = Planes<Float>(interleaved: [1, 2, 3], planes: 1)
    let arePassed = [scaler, fixed].map { $0.core.pass(FrameCursor(input.readable, 3)) }
    #expect(arePassed == [false, false])
  }
}

/// Output at a constant factor depends only on the factor, not on how it was reached.
@Suite struct RestingTests {
  private static let factors = [1.1, 1 / 1.1, 0.5, 3, 0.912345, 1.234567, 0.03]

  private func compare<S: TestSample>(
    _: S.Type, quality: Int, _ change: (TestScaler<S>, Double) throws -> Void
  ) throws {
    var generator = SplitMix(seed: 45)
    let input = noise(S.self, frames: 6000, using: &generator)
    for factor in Self.factors {
      let made = try TestScaler<S>(
        interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
      let other = try TestScaler<S>(interpolation: TIMEDSP_SINC, quality: quality, factor: 0.7)
      try change(other, factor)
      #expect(bits(try other.run(input)) == bits(try made.run(input)), "factor \(factor)")
    }
  }

  /// The output is the same whether the factor was set in the initializer or later, as in
  /// clone_test of libsamplerate.
  @Test(arguments: [0, 4, 6, 10])
  func madeOrSetIsTheSame(quality: Int) throws {
    func set<S: TestSample>(_ scaler: TestScaler<S>, _ factor: Double) throws {
      try scaler.set(factor)
    }
    try compare(Float.self, quality: quality, set)
    try compare(Double.self, quality: quality, set)
    try compare(Int16.self, quality: quality, set)
  }
}
