// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

/// Compares pitch, transients and channels in the output with those in the synthetic input.
@Suite struct StretchSoundTests {
  /// Two partials without a common period, far enough apart for the window to resolve them, keep
  /// their frequencies. The residue is more than 30 dB below them.
  @Test(arguments: [0.6, 1.25, 2.3])
  func partialsKeepTheirPitch(factor: Double) throws {
    let (low, high) = (0.311, 1.127)
    let input = zip(sine(low, frames: 6000), sine(high, frames: 6000)).map { Float($0 + $1) / 2 }
    let output = try TestStretcher<Float>(factor: factor).run(input).map(Double.init)
    let middle = Array(output[(output.count / 3)..<(output.count / 3 + 1200)])
    let first = SineFit(middle, frequency: low)
    let second = SineFit(first.rest, frequency: high)
    #expect(abs(first.amplitude - 0.25) < 0.01)
    #expect(abs(second.amplitude - 0.25) < 0.01)
    let rest = SineFit(second.rest, frequency: low).rest.map { $0 * $0 }.reduce(0, +)
    #expect(10 * log10(1200 * 0.0625 / rest) > 30)
  }

  /// A transient after silence keeps its level, and is output at the position that the integral of
  /// the factor gives. The output before the transient is silent.
  @Test(arguments: [0.75, 1.25, 1.5, 2])
  func onsetsLieWhereTheMapHasThem(factor: Double) throws {
    let places = [1500, 3403, 4821]
    var input = [Float](repeating: 0, count: 6500)
    for place in places {
      for frame in 0..<80 {
        input[place + frame] = Float(sin(0.7 * Double(frame)) * exp(-Double(frame) / 8))
      }
    }
    let output = try TestStretcher<Float>(factor: factor).run(input)
    for place in places {
      let there = Int(Double(place) * factor)
      let around = (there - 60)...(there + 60)
      let height = around.map { abs(output[$0]) }.max() ?? 0
      #expect(abs(height - 0.767) < 0.05)
      // the second frame of a transient is the first one above half its level
      let second = around.first { abs(output[$0]) > 0.5 * height } ?? 0
      #expect(abs(Double(second - 1) - Double(place) * factor) <= 0.5)
      let before = output[(there - 200)...(there - 24)].map { $0 * $0 }.reduce(0, +)
      let after = output[(there - 24)...(there + 300)].map { $0 * $0 }.reduce(0, +)
      #expect(before < 1e-4 * after)
    }
  }

  /// Equal channels stay equal, and the ratio of the levels of two channels does not change,
  /// because the phases of all channels are rotated equally.
  @Test(arguments: [2, 12])
  func channelsStayTogether(channels: Int) throws {
    var generator = SplitMix(seed: 41)
    let input = (0..<3000).flatMap { _ in
      let sample = Float.random(in: -0.4...0.4, using: &generator)
      return (0..<channels).map { $0 == 1 ? sample * 0.5 : sample }
    }
    let output = try TestStretcher<Float>(channels: channels, factor: 1.4).run(input)
    #expect(output.count == 4200 * channels)
    for frame in 0..<4200 {
      let samples = output[frame * channels..<(frame + 1) * channels]
      let first = samples.first ?? .nan
      for (channel, sample) in samples.enumerated() {
        #expect(sample == (channel == 1 ? first * 0.5 : first))
      }
    }
  }

  /// The level difference, the delay and the opposite polarity between two stereo channels are the
  /// same in the output, because the phases of both channels are rotated equally.
  @Test func stereoKeepsItsPhases() throws {
    let low = sine(0.311, frames: 5000)
    let input = low.indices.flatMap { [Float(low[$0]), Float(-0.7 * low[max($0 - 2, 0)])] }
    let output = try TestStretcher<Float>(channels: 2, factor: 1.7).run(input)
    let range = 3000..<4000
    let left = range.map { Double(output[2 * $0]) }
    let right = range.map { Double(output[2 * $0 + 1]) }
    // removes the differences of the right channel: a delay of two frames, opposite polarity, and a
    // factor of 0.7
    let undone = range.map { Double(output[2 * $0 + 5]) / -0.7 }
    let error = zip(left, undone).map { ($0 - $1) * ($0 - $1) }.reduce(0, +)
    let power = left.map { $0 * $0 }.reduce(0, +)
    #expect(error < 1e-4 * power)
    #expect(SineFit(right, frequency: 0.311).sndr > 30)
  }

  /// Noise keeps its level within 0.25 dB after a short adaptation, although overlapping frames
  /// partly cancel. The test uses one channel, and twelve channels, which are more than the
  /// stretcher calculates spectra for. Without compensation, the level would be 1.3 dB lower at
  /// factor 0.5, and 1.1 dB lower at factor 3.
  @Test(arguments: [0.25, 0.5, 1.5, 3], [1, 12])
  func noiseKeepsItsLevel(factor: Double, channels: Int) throws {
    var generator = SplitMix(seed: 44)
    let input = noise(Float.self, frames: 32000, using: &generator).flatMap {
      [Float](repeating: $0, count: channels)
    }
    let output = try TestStretcher<Float>(channels: channels, factor: factor).run(input)
    func power(_ samples: [Float], from start: Double, to end: Double) -> Double {
      let frames = Double(samples.count / channels)
      let range = Int(start * frames) * channels..<Int(end * frames) * channels
      return samples[range].reduce(0) { $0 + Double($1 * $1) } / Double(range.count)
    }
    let change = power(output, from: 0.3, to: 0.9) / power(input, from: 0.3, to: 0.9)
    // the gain is at most 1.8 dB, and at 0.25 the loss is larger
    #expect(abs(10 * log10(change)) < (factor == 0.25 ? 0.75 : 0.25))
  }

  /// NaN, infinity and huge values in the input have no effect on later output. Silence stays
  /// silence.
  @Test func noNumberSpoilsTheRest() throws {
    var input = sine(0.4, frames: 4000).map { Float($0) }
    for (frame, value) in [(700, Float.nan), (701, .infinity), (702, -.infinity), (703, 1e30)] {
      input[frame] = value
    }
    let output = try TestStretcher<Float>(factor: 1.5).run(input)
    #expect(output.allSatisfy { $0.isFinite && abs($0) < 2 })
    #expect(SineFit(output[3000..<4000].map(Double.init), frequency: 0.4).sndr > 30)
    let silence = try TestStretcher<Float>(factor: 0.7).run([Float](repeating: 0, count: 3000))
    #expect(silence.allSatisfy { $0 == 0 })
  }
}
