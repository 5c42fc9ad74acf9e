// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// 4 s at 48 kHz of everything that the stretcher treats in its own way: a voice whose pitch
/// glides, attacks over sustained notes, dense transients, noise, an offset, and a tone that ends
/// abruptly. The samples are sums and products, so that they are the same on every system.
enum EverySound {
  static let rate = 48_000.0
  static let samples = silence + voice + attacks + crackle + hiss + offset + tone

  /// A complex number that turns by a little less than `hz` cycles per second.
  private struct Oscillator {
    var (re, im) = (1.0, 0.0)

    mutating func advance(_ hz: Double) {
      let t = 3.141592653589793 * hz / rate
      let (c, s) = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
      (re, im) = (re * c - im * s, re * s + im * c)
    }
  }

  private static let silence = [Double](repeating: 0, count: 2400)

  /// Twelve harmonics of a fundamental that rises and falls by 500 cents.
  private static let voice: [Double] = {
    var (oscillator, samples) = (Oscillator(), [Double]())
    for frame in 0..<48_000 {
      let place = Double(frame % 24_000) / 12_000
      oscillator.advance(150 + 50 * (place < 1 ? place : 2 - place))
      var (re, im, sum) = (1.0, 0.0, 0.0)
      for k in 1...12 {
        let (c, s) = (oscillator.re, oscillator.im)
        (re, im) = (re * c - im * s, re * s + im * c)
        sum += 0.2 * re / Double(k)
      }
      samples.append(sum)
    }
    return samples
  }()

  /// Four notes, and three bursts of noise over them.
  private static let attacks: [Double] = {
    var generator = SplitMix(seed: 70)
    var notes = [Oscillator](repeating: Oscillator(), count: 4)
    return (0..<38_400).map { frame in
      var sum = 0.0
      for (note, hz) in [110, 220, 277.18, 1189].enumerated() {
        notes[note].advance(hz)
        sum += 0.12 * notes[note].im
      }
      let place = frame % 12_800 - 6_400
      guard (0..<96).contains(place) else { return sum }
      return sum + 0.4 * (1 - Double(place) / 96) * Double.noise(using: &generator)
    }
  }()

  /// 80 bursts per second, at irregular intervals.
  private static let crackle: [Double] = {
    var (generator, level) = (SplitMix(seed: 60), 0.0)
    var next = 300
    return (0..<72_000).map { frame in
      level *= 0.96
      if frame == next {
        level = 0.3
        next += Int.random(in: 480...720, using: &generator)
      }
      return level * Double.noise(using: &generator)
    }
  }()

  private static let hiss: [Double] = {
    var generator = SplitMix(seed: 61)
    return (0..<14_400).map { _ in 0.3 * Double.noise(using: &generator) }
  }()

  private static let offset = [Double](repeating: 0.25, count: 4800)

  private static let tone: [Double] = {
    var oscillator = Oscillator()
    return (0..<9600).map { _ in
      oscillator.advance(440)
      return 0.4 * oscillator.im
    }
  }()
}
