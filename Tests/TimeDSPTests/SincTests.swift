// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

@Suite struct SincTests {
  static let factors = [0.01, 0.37, 0.5, 0.9, 1 / 1.1, 1.1, 1.2345678, 2, 9, 100]

  @Test(arguments: factors, [0, 4, 10])
  func valuesAreThoseOfTheModel(factor: Double, quality: Int) throws {
    var generator = SplitMix(seed: 20)
    let input = noise(Double.self, frames: factor > 5 ? 20 : 300, using: &generator)
    let model = SincModel(input, quality: quality)
    let scaler = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
    let output = try scaler.run(input)
    for (k, value) in output.enumerated() where k % 11 == 0 {
      let wanted = model.value(at: Double(k) / factor, factor: factor)
      #expect(abs(value - wanted) <= model.tolerance, "\(k)")
    }
  }

  @Test(arguments: [0.9, 1 / 1.1, 1.1, 1.2345678, 2], [2, 7])
  func wholeNumbersAreRoundedAndClipped(factor: Double, quality: Int) throws {
    var generator = SplitMix(seed: 21)
    let input = noise(Int32.self, frames: 300, using: &generator)
    let exact = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor
    ).run(input.map(\.value))
    let wide = try TestScaler<Int32>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor
    ).run(input)
    #expect(wide == exact.map(Int32.init(model:)))
    #expect(wide.contains(.max) && wide.contains(.min))
    let narrow = try TestScaler<Int16>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor
    ).run(input.map { Int16($0 >> 16) })
    for (sample, value) in zip(narrow, exact) {
      // `>> 16` rounds the input down, by up to 1
      let wanted = min(max(value / 65_536, -32_768), 32_767)
      #expect(abs(Double(sample) - wanted) <= 4)
    }
  }

  /// A constant stays exactly the same, although the weights of a kernel add up to 1 only nearly.
  @Test func halvesAreRoundedToEven() throws {
    let input = [Int16](repeating: 3, count: 400)
    let output = try TestScaler<Int16>(
      interpolation: TIMEDSP_SINC, quality: 4, factor: 1.1
    ).run(input)
    #expect(output.allSatisfy { $0 == 3 })
  }

  /// At factors other than 1, an output frame exactly at the position of an input frame is filtered
  /// like all other frames, and is not copied. So a tone near the Nyquist frequency is attenuated.
  @Test func framesMetExactlyAreFilteredToo() throws {
    let frequency = Double.pi * 0.99
    let input = sine(frequency, frames: 2000)
    let output = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: 4, factor: 2
    ).run(input)
    let met = stride(from: 800, to: 3200, by: 2).map { abs(output[$0]) }
    #expect(met.max()! < 0.1)
  }

  /// The latency is half the length of the kernel. The scaler must not wait for more input than
  /// that.
  @Test(arguments: [0.01, 0.5, 0.9, 1.1, 2, 7], [0, 3, 6])
  func lookaheadIsTheInputThatIsWaitedFor(factor: Double, quality: Int) throws {
    let scaler = try TestScaler<Int16>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
    let half = scaler.latency
    let kernel = Double(SincQuality(UInt32(quality)).half)
    #expect(Double(half) >= kernel / min(factor, 1) - 1e-6)
    #expect(Double(half) < kernel / min(factor, 1) + 8)
    let silence = [Int16](repeating: 0, count: half)
    #expect(try scaler.process(silence[...], capacity: 10).made.isEmpty)
    #expect(try !scaler.process([0], capacity: 10).made.isEmpty)
  }

  /// At both ends, the outer half of the kernel contains copies of the outermost input frame. So if
  /// the input is constant near an end, the output near this end has the same value, except for the
  /// ringing of a step elsewhere in the input.
  @Test(arguments: [30, 99, 101, 250], [0, 4, 10])
  func endsAreKeptWhereTheyAreLevel(length: Int, quality: Int) throws {
    var generator = SplitMix(seed: 23)
    let count = 100
    var input = noise(Double.self, frames: count, using: &generator)
    let model = { SincModel(input, quality: quality) }
    let run = {
      try TestScaler<Double>(
        interpolation: TIMEDSP_SINC, quality: quality, count: count, length: length
      ).run(input)
    }
    let slope = Double(count - 1) / Double(length - 1)
    for (i, value) in try run().enumerated() {
      let wanted = model().value(at: Double(i) * slope, factor: 1 / slope)
      #expect(abs(value - wanted) <= model().tolerance)
    }
    input = [Double](repeating: 0.3, count: 50) + [Double](repeating: -0.6, count: 50)
    let output = try run()
    // the tail of the kernel rings after a step of 1: 1 / (pi² distance)
    let ringing = 0.9 / (50 * min(1 / slope, 1))
    #expect(output.count == length)
    #expect(abs(output.first! - 0.3) <= ringing && abs(output.last! + 0.6) <= ringing)
  }

  @Test func endpointsOfExtremeLengthsAreMade() throws {
    let input = (0..<5).map { Double($0) }
    for (length, wanted) in [(1, [0.0]), (5, input)] {
      let scaler = try TestScaler<Double>(
        interpolation: TIMEDSP_SINC, quality: 3, count: 5, length: length)
      #expect(try scaler.run(input) == wanted)
    }
    let one = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: 3, count: 1, length: 7)
    #expect(try one.run([0.1]) == [Double](repeating: 0.1, count: 7))
    let two = try TestScaler<Float>(
      interpolation: TIMEDSP_SINC, quality: 10, count: 100_000, length: 2)
    #expect(try two.run([Float](repeating: 1, count: 100_000)).count == 2)
  }

  @Test(arguments: [0, 6, 10])
  func memoryIsAsTheHeaderSays(quality: Int) throws {
    let scaler = try TestScaler<Float>(
      channels: 2, interpolation: TIMEDSP_SINC, quality: quality, factor: 1 / 1.1)
    let kilobytes = [0: 1070, 6: 1544, 10: 2049][quality]!
    #expect(scaler.core.memoryBytes < kilobytes * 1024)
    let cubic = try TestScaler<Float>(channels: 2, interpolation: TIMEDSP_CUBIC, factor: 1)
    #expect(cubic.core.memoryBytes < 224 * 1024)
  }
}
