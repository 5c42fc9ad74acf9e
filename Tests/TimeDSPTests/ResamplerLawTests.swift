// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Requirements for any resampler, tested with the sinc interpolation. The tests correspond to
/// those of libsamplerate (snr_bw, varispeed, termination, streaming, reset and multi_channel).
@Suite struct ResamplerLawTests {
  /// Frequencies of test tones, as fractions of the Nyquist frequency, at irregular distances. Each
  /// test uses only the tones in its band.
  static let tones = [0.0137, 0.1211, 0.2523, 0.4133, 0.6257]

  /// Several tones together leave no more residue than a single tone: there is no intermodulation.
  @Test(arguments: [0.3, 0.9, 1.1, 2.718, 8], [(4, 100.0), (6, 136), (10, 144)])
  func tonesTogetherStayClean(factor: Double, floor: (quality: Int, sndr: Double)) throws {
    let frequencies = Self.tones.map { $0 * .pi }.filter { $0 < 0.85 * .pi * min(factor, 1) }
    let wave = (0..<6000).map { frame in
      frequencies.map { 0.15 * sin($0 * Double(frame) + 1) }.reduce(0, +)
    }
    let scaler = try TestScaler<Float>(
      interpolation: TIMEDSP_SINC, quality: floor.quality, factor: factor)
    let edge = Int(Double(scaler.core.latency + 1) * factor) + 1
    let output = try scaler.run(wave.map { Float($0) }).map { Double($0) }
    let middle = Array(output.dropFirst(edge).dropLast(edge))
    #expect(Self.sndr(middle, frequencies.map { $0 / factor }) >= floor.sndr)
  }

  /// Fits and subtracts one tone after another, several times, because the tones are not quite
  /// independent of each other.
  private static func sndr(_ samples: [Double], _ frequencies: [Double]) -> Double {
    var rest = samples
    for _ in 0..<12 {
      for frequency in frequencies { rest = SineFit(rest, frequency: frequency).rest }
    }
    let power = { (x: [Double]) in x.reduce(0) { $0 + $1 * $1 } }
    return 10 * log10(power(samples) / power(rest))
  }

  /// The speed changes all the time, as with a tape. Each output frame is the input at exactly the
  /// scaler's position.
  @Test(arguments: [0, 6, 10])
  func varispeedStaysClean(quality: Int) throws {
    let frequency = 0.1
    let wave = sine(frequency, frames: 4000)
    let scaler = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: 1)
    let factors = [1.3, 0.7, 2, 0.6, 1, 0.9, 1.7, 0.8]
    var error = 0.0
    for (part, factor) in factors.enumerated() {
      try scaler.ramp(to: factor, within: 450)
      var input = wave[(part * 500)..<(part * 500 + 500)]
      while !input.isEmpty {
        let position = try scaler.position()
        let (used, made) = try scaler.process(input, capacity: 1)
        input = input.dropFirst(used)
        guard let value = made.first, position > 250 else { continue }
        error = max(error, abs(value - 0.5 * sin(frequency * position + 0.3)))
      }
    }
    // the limit includes the ripple of the pass band and the residue in the stop band
    #expect(error < [0: 3e-3, 6: 1e-6, 10: 2e-7][quality]!)
  }

  @Test(arguments: [0.01, 0.3, 0.999, 1, 1.001, .pi, 20], [1, 6, 10])
  func everyLengthTerminatesRight(factor: Double, quality: Int) throws {
    for frames in [0, 1, 2, 3, 10, 99, 100, 101, 257] {
      let scaler = try TestScaler<Int16>(
        interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
      let made = try scaler.run([Int16](repeating: 100, count: frames)).count
      #expect(made == Int(Double(frames) * factor + 1e-9))
    }
  }

  /// The factors include ratios of small numbers, with which several frames share a kernel, and are
  /// computed together if they arrive together.
  @Test(arguments: [0.4, 1 / 1.1, 1.2345678, 1.5], [3, 6, 10])
  func streamingIsTheSameAsAllAtOnce(factor: Double, quality: Int) throws {
    for channels in [1, 2, 3] {
      try expectSame(Int16.self, channels, factor, quality)
      try expectSame(Int32.self, channels, factor, quality)
      try expectSame(Float.self, channels, factor, quality)
      try expectSame(Double.self, channels, factor, quality)
    }
  }

  private func expectSame<S: TestSample>(
    _: S.Type, _ channels: Int, _ factor: Double, _ quality: Int
  ) throws {
    var generator = SplitMix(seed: 51)
    let input = noise(S.self, frames: 1200, channels: channels, using: &generator)
    let whole = try TestScaler<S>(
      channels: channels, interpolation: TIMEDSP_SINC, quality: quality, factor: factor
    ).run(input)
    for size in [1, 7, 64, 500] {
      let scaler = try TestScaler<S>(
        channels: channels, interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
      let pieces = try scaler.run(
        input, cuttingInput: { size }, cuttingOutput: { size / 2 + 1 })
      #expect(bits(pieces) == bits(whole), "\(S.self), \(channels) channels, \(size) frames")
    }
  }

  @Test(arguments: 0...10)
  func resetForgetsEverything(quality: Int) throws {
    var generator = SplitMix(seed: 52)
    let input = noise(Float.self, frames: 600, using: &generator)
    let scaler = try TestScaler<Float>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: 0.8)
    let first = try scaler.run(input)
    for used in [1, 50, 600] {
      scaler.core.reset()
      _ = try scaler.process(
        noise(Float.self, frames: used, using: &generator)[...], capacity: used / 3)
      scaler.core.reset()
      #expect(bits(try scaler.run(input)) == bits(first))
    }
  }

  /// Each of many channels equals that channel when it is scaled alone.
  @Test(arguments: 1...9, [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR])
  func channelsDoNotKnowOfOneAnother(channels: Int, layout: TimeDSPLayout) throws {
    for factor in [0.6, 1 / 1.1, 1.2345678] {
      let frames = 400
      let waves = (0..<channels).map { sine(0.05 * Double($0 + 1), frames: frames) }
      let input = (0..<frames).flatMap { frame in waves.map { Float($0[frame]) } }
      let output = try TestScaler<Float>(
        channels: channels, layout: layout, interpolation: TIMEDSP_SINC, quality: 6,
        factor: factor
      ).run(input)
      for channel in 0..<channels {
        let alone = try TestScaler<Float>(
          interpolation: TIMEDSP_SINC, quality: 6, factor: factor
        ).run(waves[channel].map { Float($0) })
        let picked = stride(from: channel, to: output.count, by: channels).map { output[$0] }
        #expect(bits(picked) == bits(alone))
      }
    }
  }
}
