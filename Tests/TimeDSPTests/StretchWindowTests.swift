// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

/// Which windows `auto` chooses: short ones for a single voice and for dense transients, and the
/// windows for music for everything else.
@Suite struct StretchWindowTests {
  private static let rate = 48000

  /// 1.5 s of sines with the amplitude `level` each.
  private func tones(_ hertz: [Double], _ level: Double) -> [Float] {
    (0..<72000).map { frame in
      var sum = 0.0
      for hz in hertz { sum += level * sin(2 * .pi * hz * Double(frame) / Double(Self.rate)) }
      return Float(sum)
    }
  }

  /// Twelve harmonics of a fundamental of 180 Hz, for 1.5 s. `cents` returns how much the pitch
  /// deviates at a time in seconds.
  private func voice(cents: (Double) -> Double) -> [Float] {
    var turns = 0.0
    return (0..<72000).map { frame in
      turns += 180 * pow(2, cents(Double(frame) / Double(Self.rate)) / 1200) / Double(Self.rate)
      return (1...12).reduce(Float(0)) { sum, k in
        sum + Float(0.2 / Double(k) * cos(2 * .pi * Double(k) * turns))
      }
    }
  }

  /// 1.5 s of bursts of noise, about `hertz` per second, at irregular intervals.
  private func strokes(_ hertz: Double) -> [Float] {
    var generator = SplitMix(seed: 60)
    var samples = [Float](repeating: 0, count: 72000)
    for stroke in 1..<Int(1.5 * hertz) {
      let place = Double(stroke) + Double.random(in: -0.2...0.2, using: &generator)
      for frame in 0..<96 {
        let level = 0.3 * exp(-Float(frame) / 24)
        samples[Int(place * Double(Self.rate) / hertz) + frame] +=
          level * Float.random(in: -1...1, using: &generator)
      }
    }
    return samples
  }

  private func noise(_ level: (Int) -> Float) -> [Float] {
    var generator = SplitMix(seed: 62)
    return (0..<72000).map { level($0) * Float.random(in: -1...1, using: &generator) }
  }

  private func sum(_ one: [Float], _ other: [Float]) -> [Float] { zip(one, other).map { $0 + $1 } }

  /// Returns `true` if the windows for music give the same output, bit for bit.
  private func isMusic(_ input: [Float]) throws -> Bool {
    let outputs = try [TIMESTRETCH_AUTO, TIMESTRETCH_MUSIC].map { window in
      try TestStretcher<Float>(rate: Self.rate, window: window, factor: 1.5).run(input)
    }
    return bits(outputs[0]) == bits(outputs[1])
  }

  @Test func aMovingPitchIsAVoice() throws {
    let isMusic = try isMusic(voice { 300 * sin(2 * .pi * 1.5 * $0) })
    #expect(!isMusic)
  }

  @Test func aVibratoIsNoVoice() throws {
    let isMusic = try isMusic(voice { 20 * sin(2 * .pi * 5 * $0) })
    #expect(isMusic)
  }

  @Test func denseTransientsAreShort() throws {
    let isMusic = try isMusic(strokes(80))
    #expect(!isMusic)
  }

  @Test func rareTransientsAreMusic() throws {
    let isMusic = try isMusic(strokes(15))
    #expect(isMusic)
  }

  @Test func transientsOverNotesAreMusic() throws {
    for notes in [tones([220, 277.18, 329.63], 0.02), tones([3000], 0.01)] {
      let isMusic = try isMusic(sum(notes, strokes(80)))
      #expect(isMusic)
    }
  }

  /// Notes with the noise of a bow, the pulses of a low note, and noise that swells.
  @Test func otherSoundIsMusic() throws {
    let notes = [220, 277.18].flatMap { hz in (1...8).map { hz * Double($0) } }
    let sounds = [
      sum(tones(notes, 0.03), noise { _ in 0.02 }), tones((1...60).map { 55 * Double($0) }, 0.01),
      noise { 0.3 * (0.5 - 0.5 * cos(2 * .pi * 10 * Float($0) / Float(Self.rate))) },
    ]
    for sound in sounds {
      let isMusic = try isMusic(sound)
      #expect(isMusic)
    }
  }
}
