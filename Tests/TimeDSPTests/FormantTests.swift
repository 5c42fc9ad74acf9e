// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Tests what's true of formants bit for bit. `OutputHashTests` has the bits themselves, and
/// `make quality PARTS=formants` measures where the formants are.
@Suite struct FormantTests {
  private static let rate = 16000

  /// A vowel: harmonics of 113 Hz, which are louder near its resonances. It repeats every second.
  private static func vowel(_ frames: Int) -> [Float] {
    let resonances = [(700.0, 80.0), (1220.0, 90.0), (2600.0, 130.0), (3500, 200), (5000, 300)]
    var second = [Double](repeating: 0, count: rate)
    for k in 1...70 {
      let hz = 113 * Double(k)
      let amplitude = resonances.reduce(0) { $0 + 0.02 / (1 + pow((hz - $1.0) / $1.1, 2)) }
      for frame in 0..<rate {
        let cycles = hz * Double(frame) / Double(rate)
        second[frame] += amplitude * cos(2 * .pi * cycles - 0.3 * Double(k * k))
      }
    }
    return (0..<frames).map { Float(second[$0 % rate]) }
  }

  /// A voice is also detected if its two channels have opposite polarity.
  @Test func `Channels share their gains`() throws {
    let vowel = Self.vowel(Self.rate * 3 / 2)
    let input = vowel.flatMap { [$0, -$0] }
    let chain = try TestChain<Float>(
      channels: 2, semitones: 4, formants: .init(areKept: true), rate: Self.rate)
    let output = try chain.process(input, piece: 1000) + chain.drain()
    let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
    let right = stride(from: 1, to: output.count, by: 2).map { -output[$0] }
    #expect(left == right)
    let alone = try TestChain<Float>(semitones: 4, formants: .init(areKept: true), rate: Self.rate)
    let mono = try alone.process(vowel, piece: 1000) + alone.drain()
    #expect(zip(left, mono).allSatisfy { abs($0 - $1) < 1e-4 } && left.contains { abs($0) > 0.1 })
  }

  /// When the formants are back at 0 semitones, the output is the input again, bit for bit.
  @Test func `Formants that return leave the input as it is`() throws {
    let input = Self.vowel(2 * Self.rate)
    let chain = try TestChain<Float>(formants: .init(semitones: 5), rate: Self.rate)
    let first = try chain.process(Array(input.prefix(8000)))
    try chain.ramp(to: 1, keepsPitch: false, within: 80)
    let output = try first + chain.process(Array(input.dropFirst(8000))) + chain.drain()
    #expect(output.count == input.count)
    #expect(output.suffix(16000) == input.suffix(16000))
    #expect(output[4000..<8000] != input[4000..<8000])
  }

  @Test(arguments: [1, 1.3], [false, true])
  func `With formants that stay where they are nothing changes`(
    factor: Double, isKept: Bool
  ) throws {
    let input = Self.vowel(8000)
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
      try chain.ramp(
        to: 1, keepsPitch: true, formants: .init(semitones: semitones), within: 1)
    }
  }
}
