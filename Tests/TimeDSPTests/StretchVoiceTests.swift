// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

/// Stretches a single voice, at the sample rate of most files.
@Suite struct StretchVoiceTests {
  private static let rate = 48000.0

  /// A voice with constant pitch. It has `count` harmonics, and harmonic k has the amplitude 0.9^k
  /// / k.
  private func steady(_ hz: Double, _ count: Int, frames: Int) -> [Float] {
    (0..<frames).map { frame in
      let turns = hz * Double(frame) / Self.rate
      return (1...count).reduce(Float(0)) { sum, k in
        let phase = 2 * .pi * Double(k) * turns + 0.3 * Double(k * k)
        return sum + Float(0.3 * pow(0.9, Double(k)) / Double(k) * cos(phase))
      }
    }
  }

  /// A voice of constant pitch is not distorted, even though its period is not a whole number of
  /// frames. It is treated as music, because its pitch does not move. A fluctuating pitch would
  /// cause a residue of -25 to -40 dB.
  @Test(arguments: [(151.7, 1), (220, 1), (103.3, 9), (141.9, 9)], [0.75, 1.5, 3])
  func steadyVoiceStaysPure(voice: (hz: Double, harmonics: Int), factor: Double) throws {
    let input = steady(voice.hz, voice.harmonics, frames: 72000)
    let output = try TestStretcher<Float>(
      rate: 48000, window: TIMESTRETCH_AUTO, factor: factor
    ).run(input).map(Double.init)
    let whole = Array(output[(output.count / 2 - 9600)..<(output.count / 2 + 9600)])
    var rest = whole
    // Within 0.4 s, harmonics are nearly orthogonal. Fitting one harmonic removes a small part of
    // another harmonic, so all harmonics are fitted a second time.
    for k in Array(1...voice.harmonics) + Array(1...voice.harmonics) {
      rest = SineFit(rest, frequency: 2 * .pi * voice.hz * Double(k) / Self.rate).rest
    }
    #expect(10 * log10(power(whole[...]) / power(rest[...])) > 50)
  }

  /// A voice that fades out within 12 ms is made slower. The voice ends at the position that the
  /// factor gives, and fades out as fast as in the input. It has its full level until 10 ms before
  /// the end, and is silent 5 ms after the end. The means of five voices are compared, because the
  /// position of the end within a period is random.
  @Test(arguments: [2, 3])
  func voiceEndsWhereTheMapHasIt(factor: Double) throws {
    var (before, after) = (0.0, 0.0)
    let voices = [101.3, 117.9, 133.1, 156.7, 179.3]
    for (index, hz) in voices.enumerated() {
      let end = 24000 + 777 * index
      let input = steady(hz, 20, frames: 48000).enumerated().map { frame, sample in
        sample * Float(min(max(Double(end - frame) / 576, 0), 1))
      }
      let output = try TestStretcher<Float>(
        rate: 48000, window: TIMESTRETCH_SPEECH, factor: factor
      ).run(input).map(Double.init)
      let there = Int(Double(end) * factor)
      let level = power(output[(there - 9600)..<(there - 4800)])
      before += 10 * log10(power(output[(there - 960)..<(there - 480)]) / level)
      after += 10 * log10(power(output[(there + 240)..<(there + 720)]) / level + 1e-9)
    }
    #expect(before / Double(voices.count) > -6)
    #expect(after / Double(voices.count) < -45)
  }

  private func power(_ samples: ArraySlice<Double>) -> Double {
    samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
  }
}
