// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import TimeDSPCore

@Suite struct CurveSectionTests {
  /// A ramp of the speed from v0 to v1 over X input frames takes T = 2 X / (v0 + v1) output frames.
  /// Within the ramp, the output position t and the input position x are related by dt/dx = 1 / v.
  @Test func `A ramp of the speed is that of the formula`() throws {
    for (from, to) in [(1.0, 2.0), (2, 0.5), (1, 1)] {
      let factor = try #require(Fraction(factor: 1 / to))
      let (ramp, rest) = CurveSection.change(
        at: Wide(100), Wide(7.25), from: from, to: factor, within: 300)
      let section = try #require(ramp)
      #expect(abs(section.output(of: 300) - 600 / (from + to)) < 1e-9)
      #expect(abs(section.speed(at: 300) - to) < 1e-12)
      let steps = (0..<3000).reduce(0) { $0 + 0.1 / section.speed(at: 0.1 * Double($1) + 0.05) }
      #expect(abs(steps - section.output(of: 300)) < 1e-4)
      #expect(abs(section.input(of: section.output(of: 123)) - 123) < 1e-9)
      #expect(rest.input.value == 400 && rest.speed == to)
      #expect(abs(rest.output.value - 7.25 - 600 / (from + to)) < 1e-9)
      #expect(abs(rest.output(at: 410) - section.output(at: 400) - 10 / to) < 1e-9)
    }
  }

  /// The speed may change its sign: t frames after the beginning, the position is v0 t + g t². The
  /// output frame of a position is the first that has it.
  @Test(arguments: [(-2.0, 1.5), (2, -1.5), (-0.5, -4), (0, -1), (0, 3), (-1, -1)])
  func `A section may have speeds of any sign`(from: Double, to: Double) {
    let frames = 400.0
    let growth = (to - from) / (2 * frames)
    let section = CurveSection(
      output: Wide(10), input: Wide(1000), speed: from, growth: growth)
    for frame in stride(from: 0.0, through: frames, by: 12.5) {
      let distance = section.input(of: frame)
      #expect(abs(distance - (from * frame + growth * frame * frame)) < 1e-9)
      let speed = from + 2 * growth * frame
      guard frame > 0, speed * from > 0.01 || from == 0 && speed * to > 0 else { continue }
      guard from != 0 || to > 0 else { continue }
      #expect(abs(section.speed(at: distance) - speed) < 1e-6)
      #expect(abs(section.output(of: distance) - frame) < 1e-6)
    }
  }

  @Test func `The length of the output follows a move`() throws {
    let first = CurveSection(try #require(Fraction(factor: 1.1)))
    #expect(first.length(of: 10) == 11)
    let next = CurveSection.change(
      at: Wide(100), Wide(110), from: first.speed, to: Fraction(numerator: 2, denominator: 1),
      within: 50
    ).rest
    #expect(next.length(of: 120) == nil)  // the length is unknown while the factor changes
    let meanSpeed = (1 / 1.1 + 1 / 2.0) / 2
    #expect(next.length(of: 250) == Int64(110 + 50 / meanSpeed + 2 * 100))
  }
}

/// A curve in memory of its own.
private final class TestCurve {
  private let memory: Arena
  var curve: TimeCurve

  init(_ factor: Double) throws {
    var memory = Arena()
    curve = try TimeCurve(Fraction(checked: factor), &memory)
    self.memory = memory
  }

  func bend(_ input: Int64, _ factor: Double, within frames: Int64 = 0) throws {
    curve.bend(at: input, to: try #require(Fraction(factor: factor)), within: frames)
  }

  func output(_ input: Int64) -> Double {
    let (whole, fraction) = curve.output(at: input)
    return Double(whole) + fraction
  }
}

@Suite struct TimeCurveTests {
  /// The output frame of input frame i is the integral of the factor up to i.
  @Test func `Changes and ramps add up`() throws {
    var generator = SplitMix(seed: 90)
    for _ in 0..<40 {
      let curve = try TestCurve(1.25)
      var (input, output, factor) = (Int64(0), 0.0, 1.25)
      for _ in 0..<30 {
        let distance = Int64.random(in: 1...5000, using: &generator)
        let target = Double.random(in: 0.3...4, using: &generator)
        let frames = Int64.random(in: 0...distance, using: &generator)
        try curve.bend(input, target, within: frames)
        let model = RampModel(from: factor, to: target, within: Int(frames))
        for share in 0...3 {
          let step = distance * Int64(share) / 3
          let due =
            output + (frames == 0 ? Double(step) * target : model.made(Double(step)))
          #expect(abs(curve.output(input + step) - due) < 1e-6)
          let back = curve.curve.input(at: Int64(due.rounded()))
          #expect(abs(Double(back - input - step)) <= 0.5 / min(factor, target) + 1)
        }
        output += frames == 0 ? Double(distance) * target : model.made(Double(distance))
        (input, factor) = (input + distance, target)
      }
    }
  }

  /// At a constant factor, nothing drifts: output frames are exact after a day at 192 kHz.
  @Test(arguments: KnownFactor.grid)
  func `A constant factor is exact`(factor: KnownFactor) throws {
    let curve = try TestCurve(factor.value)
    for frame in [0, 1, 999, 192_000 * 86_400, 192_000 * 86_400 + 1] as [Int64] {
      let (whole, rest) = (UInt128(frame) * UInt128(factor.numerator))
        .quotientAndRemainder(dividingBy: UInt128(factor.denominator))
      let output = curve.curve.output(at: frame)
      #expect(output.whole == Int64(whole))
      #expect(output.fraction == Double(rest) / Double(factor.denominator))
    }
  }

  @Test func `A change drops the changes planned for later`() throws {
    let curve = try TestCurve(1)
    try curve.bend(100, 2, within: 50)
    try curve.bend(100, 3)
    #expect(curve.output(110) == 130)
    try curve.bend(50, 0.5)
    #expect(curve.output(150) == 100)
    #expect(curve.curve.last.factor == Fraction(numerator: 1, denominator: 2))
  }

  /// A full curve drops its oldest sections. It stays exact from the first of the others on.
  @Test func `A curve may have any number of changes`() throws {
    let curve = try TestCurve(1)
    var due = 0.0
    for change in 0..<3000 {
      let factor = change % 2 == 0 ? 2.0 : 0.5
      try curve.bend(Int64(change * 8), factor)
      due += 8 * factor
    }
    #expect(abs(curve.output(3000 * 8) - due) < 1e-6)
    curve.curve.forget(before: 2999 * 8)
    #expect(curve.curve.section(at: 0).input.high == 2999 * 8)
    #expect(abs(curve.output(3000 * 8) - due) < 1e-6)
  }
}
