// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Tests both cases: the pitch moves while the formants stay, and the formants move while the pitch
/// stays.
@Suite struct FormantTests {
  private static let rate = 16000
  private static let frames = rate * 3 / 2

  /// A sound like pulses that are filtered by resonators. The frequency response of the resonators
  /// is known.
  private struct Vowel {
    /// Resonances and their bandwidths, in Hz.
    var resonances = [(700.0, 80.0), (1220.0, 90.0), (2600.0, 130.0), (3500, 200), (5000, 300)]
    var hz = 113.0

    /// The response at `hz`, in dB.
    func level(_ hz: Double) -> Double {
      let w = 2 * Double.pi * hz / Double(FormantTests.rate)
      return resonances.reduce(0) { sum, resonance in
        let (first, second) = coefficients(resonance)
        let re = 1 - first * cos(w) - second * cos(2 * w)
        let im = first * sin(w) + second * sin(2 * w)
        return sum - 10 * log10(re * re + im * im)
      }
    }

    private func coefficients(_ resonance: (Double, Double)) -> (Double, Double) {
      let rate = Double(FormantTests.rate)
      let radius = exp(-Double.pi * resonance.1 / rate)
      return (2 * radius * cos(2 * .pi * resonance.0 / rate), -radius * radius)
    }

    /// Returns `frames` frames of harmonics whose levels are those of the resonators. The sound
    /// repeats every second.
    func sound(frames: Int) -> [Float] {
      let rate = FormantTests.rate
      var second = [Double](repeating: 0, count: rate)
      for k in 1...Int(Double(rate) / 2 / hz) {
        let amplitude = pow(10, (level(Double(k) * hz) - 40) / 20)
        let step = Int(hz) * k
        for frame in 0..<rate {
          let phase = 0.3 * Double(k * k)
          second[frame] += amplitude * Self.cosine(step * frame % rate, phase)
        }
      }
      return (0..<frames).map { Float(second[$0 % rate]) }
    }

    private static let circle = (0..<FormantTests.rate).map {
      (
        cos(2 * Double.pi * Double($0) / Double(FormantTests.rate)),
        sin(2 * Double.pi * Double($0) / Double(FormantTests.rate))
      )
    }

    private static func cosine(_ place: Int, _ phase: Double) -> Double {
      circle[place].0 * cos(phase) - circle[place].1 * sin(phase)
    }

    /// Returns the factor by which the formants of this vowel have moved in `sound`, whose pitch is
    /// now `newHz`. This is the factor at which the scaled frequency response fits the harmonics
    /// best.
    func scale(of sound: ArraySlice<Float>, at newHz: Double) -> Double {
      let tones = Tones(sound)
      let levels = stride(from: newHz, to: 3800, by: newHz).map { ($0, tones.level($0)) }
      let scales = stride(from: 0.6, to: 1.7, by: 0.01)
      return scales.min { misfit(levels, $0) < misfit(levels, $1) } ?? 0
    }

    private func misfit(_ levels: [(Double, Double)], _ scale: Double) -> Double {
      let misses = levels.map { $1 - level($0 / scale) }
      let mean = misses.reduce(0, +) / Double(misses.count)
      return misses.reduce(0) { $0 + abs($1 - mean) }
    }
  }

  /// Measures tones in a sound, with a Hann window.
  private struct Tones {
    private let windowed: [Double]

    init(_ sound: ArraySlice<Float>) {
      let count = Double(sound.count)
      windowed = sound.enumerated().map { frame, sample in
        Double(sample) * (0.5 - 0.5 * cos(2 * .pi * (Double(frame) + 0.5) / count))
      }
    }

    /// The level at `hz`, in dB (Goertzel).
    func level(_ hz: Double) -> Double {
      let turn = 2 * cos(2 * .pi * hz / Double(FormantTests.rate))
      var (last, before) = (0.0, 0.0)
      for sample in windowed { (last, before) = (sample + turn * last - before, last) }
      let power = last * last + before * before - turn * last * before
      return 10 * log10(power / Double(windowed.count * windowed.count) + 1e-20)
    }
  }

  /// Returns the output for `input`, without the first and the last frames.
  private func run(
    _ input: [Float], semitones: Double, formants: TestFormants, factor: Double = 1,
    keepsPitch: Bool = true
  ) throws -> ArraySlice<Float> {
    let chain = try TestChain<Float>(
      factor: factor, keepsPitch: keepsPitch, semitones: semitones, formants: formants,
      rate: Self.rate)
    let output = try chain.process(input, piece: 1000) + chain.drain()
    return output[output.count / 3..<output.count / 3 + Self.rate / 4]
  }

  @Test(arguments: [4, -5, 12])
  func `Kept formants stay, and the pitch moves`(semitones: Double) throws {
    let vowel = Vowel()
    let newHz = vowel.hz * pow(2, semitones / 12)
    let kept = try run(
      vowel.sound(frames: Self.frames), semitones: semitones, formants: .init(areKept: true))
    #expect(abs(vowel.scale(of: kept, at: newHz) - 1) < 0.03)
    let (on, off) = (Tones(kept).level(6 * newHz), Tones(kept).level(6.5 * newHz))
    #expect(on - off > 20)
    guard semitones < 12 else { return }
    let moved = try run(vowel.sound(frames: Self.frames), semitones: semitones, formants: .init())
    #expect(abs(vowel.scale(of: moved, at: newHz) * vowel.hz / newHz - 1) < 0.03)
  }

  @Test(arguments: [(false, 1), (true, 1.5), (false, 1.25)])
  func `Formants move as requested`(isKept: Bool, factor: Double) throws {
    let vowel = Vowel()
    for semitones in [3.0, -4] {
      let sound = try run(
        vowel.sound(frames: Self.frames), semitones: 0,
        formants: .init(areKept: isKept, semitones: semitones), factor: factor, keepsPitch: isKept)
      let pitch = isKept ? 1 : 1 / factor
      let scale = vowel.scale(of: sound, at: vowel.hz * pitch)
      #expect(abs(scale / (pow(2, semitones / 12) * pitch) - 1) < 0.03)
    }
  }

  /// A voice is also detected if its two channels have opposite polarity.
  @Test func `Channels share their gains`() throws {
    let vowel = Vowel()
    let input = vowel.sound(frames: Self.frames).flatMap { [$0, -$0] }
    let chain = try TestChain<Float>(
      channels: 2, semitones: 4, formants: .init(areKept: true), rate: Self.rate)
    let output = try chain.process(input, piece: 1000) + chain.drain()
    let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
    let right = stride(from: 1, to: output.count, by: 2).map { -output[$0] }
    #expect(left == right)
    let middle = left[left.count / 3..<left.count / 3 + Self.rate / 4]
    #expect(abs(vowel.scale(of: middle, at: vowel.hz * pow(2, 4.0 / 12)) - 1) < 0.03)
  }

  /// A click would be a sharper bend in the waveform than any other bend.
  @Test(arguments: [(0.0, true), (4, true), (4, false)])
  func `A change while it plays does not click`(semitones: Double, toKept: Bool) throws {
    let input = Vowel().sound(frames: 2 * Self.rate + 8000)
    let chain = try TestChain<Float>(
      keepsPitch: true, semitones: semitones, formants: .init(areKept: !toKept, semitones: 0),
      rate: Self.rate)
    let first = try chain.process(Array(input.prefix(Self.rate)), piece: 1000)
    try chain.move(
      to: 1, keepsPitch: true, semitones: semitones,
      formants: .init(areKept: toKept, semitones: 3), within: 80)
    let output =
      try first + chain.process(Array(input.dropFirst(Self.rate)), piece: 1000) + chain.drain()
    func corner(_ range: Range<Int>) -> Float {
      range.map { abs(output[$0 - 1] - 2 * output[$0] + output[$0 + 1]) }.max() ?? 0
    }
    let (before, after) = (corner(6000..<12000), corner(30000..<36000))
    #expect(corner(12000..<30000) < 1.2 * max(before, after))
    #expect(abs(20 * log10(before / after)) > 0.5)
  }

  /// When the formants are back at 0 semitones, the output is the input again, bit for bit.
  @Test func `Formants that return leave the input as it is`() throws {
    let input = Vowel().sound(frames: 2 * Self.rate)
    let chain = try TestChain<Float>(formants: .init(semitones: 5), rate: Self.rate)
    let first = try chain.process(Array(input.prefix(8000)))
    try chain.move(to: 1, keepsPitch: false, within: 80)
    let output = try first + chain.process(Array(input.dropFirst(8000))) + chain.drain()
    #expect(output.count == input.count)
    #expect(output.suffix(16000) == input.suffix(16000))
    #expect(output[4000..<8000] != input[4000..<8000])
  }

  @Test(arguments: [1, 1.3], [false, true])
  func `With formants that stay where they are nothing changes`(
    factor: Double, isKept: Bool
  ) throws {
    let input = Vowel().sound(frames: 8000)
    func run(_ formants: TestFormants) throws -> [Float] {
      let chain = try TestChain<Float>(
        factor: factor, keepsPitch: true, formants: formants, rate: Self.rate)
      return try chain.process(input) + chain.drain()
    }
    #expect(bits(try run(.init(areKept: isKept))) == bits(try run(.init())))
  }

  @Test(arguments: [24.5, -25, .nan, .infinity])
  func `Values out of range are refused`(semitones: Double) throws {
    #expect(throws: TIMEDSP_BAD_FACTOR) {
      try TestChain<Float>(formants: .init(semitones: semitones))
    }
    let chain = try TestChain<Float>()
    #expect(throws: TIMEDSP_BAD_FACTOR) {
      try chain.move(
        to: 1, keepsPitch: true, formants: .init(semitones: semitones), within: 1)
    }
  }
}
