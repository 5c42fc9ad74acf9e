// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

/// Windows that adapt to voices must not change partials. A detector for voices chooses the length
/// and the positions of the windows. Whatever it chooses, partials keep their frequencies, and no
/// partial or noise is removed.
@Suite struct StretchPartialTests {
  private static let rate = 48000.0

  /// The sum of several notes. Each has `count` harmonics, and harmonic k has the amplitude 0.2 /
  /// k.
  private func notes(_ hertz: [Double], _ count: Int, seconds: Double) -> [Float] {
    (0..<Int(seconds * Self.rate)).map { frame in
      var sum = 0.0
      for (note, hz) in hertz.enumerated() {
        for k in 1...count {
          let turns = hz * Double(k) * Double(frame) / Self.rate
          sum += 0.2 / Double(k) * cos(2 * .pi * turns + 0.7 * Double(k * k) + Double(note))
        }
      }
      return Float(sum)
    }
  }

  /// The level of the spectral line at `hz`, and its phase in cycles since frame 0. The line is
  /// measured in half a second of samples from `start` on, with a Hann window.
  private func line(_ samples: [Float], _ hz: Double, from start: Int) -> (
    level: Double, turns: Double
  ) {
    let count = 24000
    var (re, im) = (0.0, 0.0)
    for frame in 0..<count {
      let weight = 1 - cos(2 * .pi * (Double(frame) + 0.5) / Double(count))
      let angle = 2 * .pi * hz * Double(start + frame) / Self.rate
      re += weight * Double(samples[start + frame]) * cos(angle)
      im -= weight * Double(samples[start + frame]) * sin(angle)
    }
    return (2 * (re * re + im * im).squareRoot() / Double(count), atan2(im, re) / (2 * .pi))
  }

  /// The pitches of two simultaneous notes are correct within 1 cent, and their levels within 0.5
  /// dB, for every interval up to two octaves. The factors are typical for changes of tempo, and
  /// for three semitones up and down. The interval of one semitone is omitted, because windows of
  /// 43 ms do not resolve it at 440 Hz.
  @Test(arguments: [0.8, 1.1892071150027210, 1.5], [TIMESTRETCH_AUTO, TIMESTRETCH_SPEECH])
  func intervalsKeepTheirPitch(factor: Double, window: TimeStretchWindow) throws {
    for interval in [3, 4, 6, 8, 11, 13, 18] {
      let hertz = [440, 440 * pow(2, Double(interval) / 12)]
      let stretcher = try TestStretcher<Float>(rate: 48000, window: window, factor: factor)
      let output = try stretcher.run(notes(hertz, 1, seconds: 2))
      for hz in hertz {
        let middle = output.count / 2 - 14000
        let first = line(output, hz, from: middle)
        let second = line(output, hz, from: middle + 4800)
        let turned = second.turns - first.turns
        // the phase drifts by less than half a cycle in 0.1 s, unless the frequency is wrong by 5
        // Hz
        let off = (turned - turned.rounded()) * Self.rate / 4800
        #expect(abs(1200 * log2(1 + off / hz)) < 1, "interval \(interval), \(hz) Hz")
        #expect(abs(20 * log10(first.level / 0.2)) < 0.5, "interval \(interval), \(hz) Hz")
      }
    }
  }

  /// An instrument is not treated as a voice: the output equals, bit for bit, the output with
  /// windows for music. This is true even if the sound contains noise from a bow or from breath.
  @Test(arguments: [[220], [220, 277.18], [330, 440, 495], [146.8, 220]])
  func notesAreNoVoice(hertz: [Double]) throws {
    var generator = SplitMix(seed: 50)
    let tones = notes(hertz, 8, seconds: 1.5)
    let input = tones.map { $0 + Float.random(in: -0.02...0.02, using: &generator) }
    try expectMusic(input)
  }

  /// A musician's vibrato is not treated as a voice either. The pitch moves by 20 cents in each
  /// direction, five times per second.
  @Test func aVibratoIsNoVoice() throws {
    try expectMusic(voice { 20 * sin(2 * .pi * 5 * $0) })
  }

  @Test func noiseIsNoVoice() throws {
    var generator = SplitMix(seed: 51)
    try expectMusic(noise(Float.self, frames: 72000, using: &generator))
  }

  private func expectMusic(_ input: [Float], factor: Double = 1.5) throws {
    let outputs = try [TIMESTRETCH_AUTO, TIMESTRETCH_MUSIC].map { window in
      try TestStretcher<Float>(rate: 48000, window: window, factor: factor).run(input)
    }
    #expect(bits(outputs[0]) == bits(outputs[1]))
  }

  /// A voice whose pitch moves as in speech is treated as a voice, with short windows.
  @Test func aMovingPitchIsAVoice() throws {
    let input = voice { 300 * sin(2 * .pi * 1.5 * $0) }
    let outputs = try [TIMESTRETCH_AUTO, TIMESTRETCH_MUSIC].map { window in
      try TestStretcher<Float>(rate: 48000, window: window, factor: 1.5).run(input)
    }
    #expect(bits(outputs[0]) != bits(outputs[1]))
  }

  /// Twelve harmonics of a fundamental of 180 Hz, for 1.5 s. `cents` returns how much the pitch
  /// deviates at a time in seconds.
  private func voice(cents: (Double) -> Double) -> [Float] {
    var turns = 0.0
    return (0..<72000).map { frame in
      turns += 180 * pow(2, cents(Double(frame) / Self.rate) / 1200) / Self.rate
      return (1...12).reduce(Float(0)) { sum, k in
        sum + Float(0.2 / Double(k) * cos(2 * .pi * Double(k) * turns))
      }
    }
  }
}
