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
    #expect(SineFit(second.rest, frequency: low).sndr < 0)
    let rest = SineFit(second.rest, frequency: low).rest.map { $0 * $0 }.reduce(0, +)
    #expect(10 * log10(1200 * 0.0625 / rest) > 30)
  }

  /// A constant offset keeps its value at every factor, also under a tone.
  @Test(arguments: [0.5, 0.75, 1.5, 2, 3], [TIMESTRETCH_MUSIC, TIMESTRETCH_LOW_LATENCY])
  func aConstantOffsetStays(factor: Double, window: TimeStretchWindow) throws {
    let tone = sine(2 * Double.pi * 440 / 48000, frames: 48000)
    let stretcher = try TestStretcher<Float>(rate: 48000, window: window, factor: factor)
    let output = try stretcher.run(tone.map { Float($0 / 4 + 0.25) })
    // 6000 frames are 55 periods of the tone, so its mean is 0
    let middle = output[(output.count / 3)..<(output.count / 3 + 6000)]
    let mean = middle.reduce(0) { $0 + Double($1) } / 6000
    #expect(abs(mean - 0.25) < 0.005)
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

  /// Bursts of noise are output within 0.05 ms of the expected positions. If the beginning of a
  /// burst were detected with an error e, the burst would be shifted by (factor - 1) e.
  @Test func transientsOfNoiseLieWhereTheMapHasThem() throws {
    var generator = SplitMix(seed: 43)
    let places = (0..<12).map { 9600 + 12_000 * $0 }
    var input = [Float](repeating: 0, count: 160_000)
    for place in places {
      for frame in 1..<1920 {
        let level = min(Double(frame) / 14, 1) * exp(-Double(frame) / 240)
        input[place + frame] = Float.random(in: -0.7...0.7, using: &generator) * Float(level)
      }
    }
    let output = try TestStretcher<Float>(rate: 48000, factor: 3).run(input)
    for place in places {
      let burst = input[place..<place + 480]
      func likeness(_ start: Int) -> Float {
        zip(burst, output[start...]).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let best = (3 * place - 60...3 * place + 60).max { likeness($0) < likeness($1) }
      #expect(abs(try #require(best) - 3 * place) <= 2)
    }
  }

  /// Three notes whose partials are at least 28 Hz apart are not distorted, because the beating
  /// between partials is not mistaken for a transient. If beating were mistaken for a transient,
  /// the residue would be only 31 dB below the notes.
  @Test func aChordStaysPure() throws {
    var partials: [(step: Double, level: Double)] = []
    for note in [168.0, 210, 269] {
      for order in [1.0, 2, 3, 4] {
        partials.append((2 * Double.pi * note * order / 48000, pow(0.9, order) / order / 8))
      }
    }
    let input = (0..<60_000).map { frame -> Float in
      var sum = 0.0
      for (number, partial) in partials.enumerated() {
        sum += partial.level * cos(partial.step * Double(frame) + Double(number))
      }
      return Float(sum)
    }
    let output = try TestStretcher<Float>(rate: 48000, factor: 3).run(input).map(Double.init)
    let all = Array(output[81_000..<93_000])
    // the sines are fitted one after the other in several rounds, which approaches a simultaneous
    // fit
    let rest = (0..<6).flatMap { _ in partials }.reduce(all) { rest, partial in
      SineFit(rest, frequency: partial.step).rest
    }
    func power(_ samples: [Double]) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
    #expect(10 * log10(power(all) / power(rest)) > 35)
  }

  /// Low notes are not distorted when the sound is shortened, because the phase advance of their
  /// partials is measured over the whole input distance between two frames. If it were measured
  /// only over a distance of one output hop, the residue would be only 26 to 44 dB below the notes.
  @Test(arguments: [41.2, 45, 48], [0.5, 0.75])
  func aLowNoteStaysPure(hertz: Double, factor: Double) throws {
    let steps = (1...10).map { 2 * Double.pi * hertz * Double($0) / 48000 }
    let input = (0..<96_000).map { frame -> Float in
      var sum = 0.0
      for (number, step) in steps.enumerated() {
        sum += cos(step * Double(frame) + Double(number)) / Double(8 * (number + 1))
      }
      return Float(sum)
    }
    let output = try TestStretcher<Float>(rate: 48000, factor: factor).run(input).map(Double.init)
    let all = Array(output[(output.count / 2 - 6000)..<(output.count / 2 + 6000)])
    // the sines are fitted one after the other in several rounds, which approaches a simultaneous
    // fit
    let rest = (0..<6).flatMap { _ in steps }.reduce(all) { SineFit($0, frequency: $1).rest }
    func power(_ samples: [Double]) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
    #expect(10 * log10(power(all) / power(rest)) > 46)
  }

  /// A burst of noise after silence is copied unchanged, shifted by a whole number of frames, and
  /// the output before the burst is silent. If the shift were not whole, but a quarter of a frame
  /// more, the correlation with the original would be at most sinc (1/4) = 0.9.
  @Test(arguments: [0.75, 1.25, 1.5])
  func transientsAreUnmodified(factor: Double) throws {
    var generator = SplitMix(seed: 44)
    let places = (0..<6).map { 9601 + 12_345 * $0 }
    var input = [Float](repeating: 0, count: 90_000)
    for place in places {
      for frame in 0..<1920 {
        let level = Float(exp(-Double(frame) / 240))
        input[place + frame] = Float.random(in: -0.7...0.7, using: &generator) * level
      }
    }
    let output = try TestStretcher<Float>(rate: 48000, factor: factor).run(input)
    for place in places {
      let (burst, there) = (input[place..<place + 480], Int(Double(place) * factor))
      let power = burst.reduce(0) { $0 + $1 * $1 }
      let likeness = (there - 1...there + 1).map { start in
        let copy = output[start..<start + 480]
        let product = zip(burst, copy).reduce(0) { $0 + $1.0 * $1.1 }
        return product / (power * copy.reduce(0) { $0 + $1 * $1 }).squareRoot()
      }
      #expect(try #require(likeness.max()) > 0.999)
      let before = output[(there - 2400)...(there - 48)].reduce(0) { $0 + $1 * $1 }
      #expect(before < 1e-7 * power)
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
  @Test(arguments: [0.5, 1.5, 3], [1, 12])
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
    #expect(abs(10 * log10(change)) < 0.25)
  }

  /// Stretched noise does not hum: the strongest periodic fluctuation of its level is less than 1
  /// dB stronger than that of unstretched noise, averaged over eight runs.
  @Test func noiseDoesNotHum() throws {
    var generator = SplitMix(seed: 42)
    var (stretched, ideal) = (0.0, 0.0)
    for _ in 0..<8 {
      let input = noise(Float.self, frames: 6 * 48000, using: &generator)
      let output = try TestStretcher<Float>(rate: 48000, factor: 1.1).run(input)
      stretched += hum(output) / 8
      ideal += hum(noise(Float.self, frames: output.count, using: &generator)) / 8
    }
    #expect(stretched - ideal < 1)
  }

  /// Measures how strongly the level of a sound fluctuates periodically. Computes the power of each
  /// millisecond, and the spectrum of this series of powers, averaged over half-overlapping
  /// segments of 2.048 s. Returns the level of the strongest spectral line from 8 to 200 Hz, in dB
  /// relative to the median of all lines.
  private func hum(_ samples: [Float]) -> Double {
    let power = stride(from: 9600, to: samples.count - 9648, by: 48).map { start in
      samples[start..<start + 48].reduce(0) { $0 + Double($1 * $1) }
    }
    let mean = power.reduce(0, +) / Double(power.count)
    let size = 2048
    let wave = (0..<size).map { sinCos(Double($0) / Double(size)) }
    let lines = (17..<410).map { bin in
      stride(from: 0, through: power.count - size, by: size / 2).reduce(0.0) { sum, start in
        var line = (0.0, 0.0)
        for at in 0..<size {
          let level = (power[start + at] / mean - 1) * (1 - wave[at].cos)
          let turn = wave[at * bin % size]
          line = (line.0 + level * turn.cos, line.1 + level * turn.sin)
        }
        return sum + line.0 * line.0 + line.1 * line.1
      }
    }.sorted()
    return 10 * log10(lines[lines.count - 1] / lines[lines.count / 2])
  }

  private func sinCos(_ turns: Double) -> (sin: Double, cos: Double) {
    (sin(2 * .pi * turns), cos(2 * .pi * turns))
  }

  /// The beginning of a sound is copied unchanged. After that, the sound keeps its level: no gap
  /// follows when the onset leaves the window. The level of the input rises for 10 ms, which become
  /// 30 ms of output at factor 3. After that, the level of every 10 ms of output is within 3 dB of
  /// the final level.
  @Test func noHoleFollowsABeginning() throws {
    let sine = sine(0.311, frames: 4000)
    let input = sine.indices.map { Float(sine[$0] * min(max(Double($0 - 1500) / 80, 0), 1)) }
    let output = try TestStretcher<Float>(window: TIMESTRETCH_SPEECH, factor: 3).run(input)
    func level(_ start: Int) -> Double {
      output[start..<start + 80].reduce(0) { $0 + Double($1 * $1) }
    }
    let least = stride(from: 4500 + 240, to: 6500, by: 20).map(level).min()
    #expect(try 10 * log10(#require(least) / level(9000)) > -3)
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
