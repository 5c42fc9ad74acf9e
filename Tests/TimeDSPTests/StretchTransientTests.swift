// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

/// Dense transients without other sound, as in applause, rain and crackle, are stretched with short
/// windows. With other sound, the windows for music are used.
@Suite struct StretchTransientTests {
  private static let rate = 48000

  /// The frames at which transients begin: about `hertz` per second, at irregular intervals.
  private func places(_ hertz: Double, seconds: Double) -> [Int] {
    var generator = SplitMix(seed: 60)
    let period = Double(Self.rate) / hertz
    return (1..<Int(seconds * hertz)).map { stroke in
      Int((Double(stroke) + Double.random(in: -0.2...0.2, using: &generator)) * period)
    }
  }

  /// Bursts of noise that begin abruptly and decay by 35 dB within 2 ms.
  private func strokes(at places: [Int], seconds: Double) -> [Float] {
    var generator = SplitMix(seed: 61)
    var samples = [Float](repeating: 0, count: Int(seconds * Double(Self.rate)))
    for place in places {
      for frame in 0..<min(96, samples.count - place) {
        let level = 0.3 * exp(-Float(frame) / 24)
        samples[place + frame] += level * Float.random(in: -1...1, using: &generator)
      }
    }
    return samples
  }

  private func run(
    _ input: [Float], _ factor: Double, _ window: TimeStretchWindow = TIMESTRETCH_AUTO,
    frames: Int = 1000
  ) throws -> [Float] {
    try TestStretcher<Float>(rate: Self.rate, window: window, factor: factor)
      .run(input, frames: frames)
  }

  private func energy(_ samples: [Float], _ range: Range<Int>) -> Double {
    samples[range].reduce(0) { $0 + Double($1) * Double($1) }
  }

  /// From 1 s on, transients are output at the right positions, as sharp as in the input, and with
  /// the same energy.
  @Test(arguments: [0.5, 0.8, 1.25, 2, 3])
  func transientsStayTransients(factor: Double) throws {
    let places = places(80, seconds: 3)
    let input = strokes(at: places, seconds: 3)
    let output = try run(input, factor)
    var (before, behind, all) = (0.0, 0.0, 0.0)
    for place in places where place > Self.rate && place < 5 * Self.rate / 2 {
      let there = Int((Double(place) * factor).rounded())
      before += energy(output, there - 90..<there - 10)
      behind += energy(output, there - 10..<there + 70)
      all += energy(input, place..<place + 96)
    }
    #expect(10 * log10(behind / before) > 10, "attacks")
    let range = Int(Double(Self.rate) * factor)..<Int(2.5 * Double(Self.rate) * factor)
    #expect(abs(10 * log10(energy(output, range) / all)) < 1, "level")
  }

  @Test func cutsDoNotMatter() throws {
    let input = strokes(at: places(80, seconds: 1.5), seconds: 1.5)
    let whole = try run(input, 1.5)
    for frames in [64, 777] {
      let isSame = bits(try run(input, 1.5, frames: frames)) == bits(whole)
      #expect(isSame, "\(frames) frames at a time")
    }
  }

  /// If there are partials in addition to the transients, the output is the same as with the
  /// windows for music.
  @Test func transientsOverNotesAreMusic() throws {
    let strokes = strokes(at: places(80, seconds: 1.5), seconds: 1.5)
    try expectMusic(tone([220, 277.18, 329.63], 0.02).enumerated().map { $1 + strokes[$0] })
    try expectMusic(tone([3000], 0.01).enumerated().map { $1 + strokes[$0] })
  }

  @Test func rareTransientsAreMusic() throws {
    try expectMusic(strokes(at: places(15, seconds: 1.5), seconds: 1.5))
  }

  /// The pulses of a low note resemble transients, 55 times per second.
  @Test func pulsesAreMusic() throws {
    try expectMusic(tone((1...60).map { 55 * Double($0) }, 0.01))
  }

  /// Noise whose level rises and falls 10 times per second is not a sequence of transients either.
  @Test func swellsAreMusic() throws {
    var generator = SplitMix(seed: 62)
    try expectMusic(
      (0..<72000).map { frame in
        let level = 0.5 - 0.5 * cos(2 * .pi * 10 * Float(frame) / Float(Self.rate))
        return 0.3 * level * Float.random(in: -1...1, using: &generator)
      })
  }

  /// A note that begins at the end of the transients has the right pitch and level.
  @Test(arguments: [0.75, 1.5])
  func aNoteAfterTransientsIsWhole(factor: Double) throws {
    let strokes = strokes(at: places(80, seconds: 1.5), seconds: 3)
    let note = tone([440], 0.2, seconds: 1.5)
    let input = strokes.enumerated().map { $0 < 72000 ? $1 : $1 + note[$0 - 72000] }
    let output = try run(input, factor).map(Double.init)
    let start = Int(72000 * factor) + 4800
    let whole = Array(output[start..<start + 24000])
    let rest = SineFit(whole, frequency: 2 * .pi * 440 / Double(Self.rate)).rest
    let power = whole.reduce(0) { $0 + $1 * $1 }
    #expect(abs(10 * log10(power / 24000 / 0.02)) < 0.5)
    #expect(10 * log10(power / rest.reduce(0) { $0 + $1 * $1 }) > 30)
  }

  /// Sines with the amplitude `level` each.
  private func tone(_ hertz: [Double], _ level: Double, seconds: Double = 1.5) -> [Float] {
    (0..<Int(seconds * Double(Self.rate))).map { frame in
      var sum = 0.0
      for hz in hertz { sum += level * sin(2 * .pi * hz * Double(frame) / Double(Self.rate)) }
      return Float(sum)
    }
  }

  private func expectMusic(_ input: [Float]) throws {
    let outputs = try [TIMESTRETCH_AUTO, TIMESTRETCH_MUSIC].map { try run(input, 1.5, $0) }
    // compares outside of `#expect`, because a diff of so many numbers takes minutes
    let isMusic = bits(outputs[0]) == bits(outputs[1])
    #expect(isMusic)
  }
}
