// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import TimeDSPCore

/// Tests how evidence for a voice is collected from a sequence of measured pitches.
@Suite struct VoiceEvidenceTests {
  /// Returns how many of the measured pitches in `cents` are treated as those of a voice. A pitch
  /// is measured every 21 ms.
  private func voiced(_ cents: [Float?], harmonics: Int = 6) -> Int {
    var evidence = VoiceEvidence()
    return cents.filter { cents in
      let frequency = cents.map { pow(2, $0 / 1200) } ?? 0
      evidence.add(PitchMeasure(frequency: frequency, harmonics: harmonics), after: 0.0213)
      return evidence.isVoice
    }.count
  }

  @Test func aMovingPitchIsAVoice() {
    #expect(voiced((0..<20).map { Float($0) * 25 }) > 14)
    #expect(voiced((0..<20).map { Float($0) * -25 }) > 14)
  }

  @Test func aPitchThatStandsStillIsNone() {
    #expect(voiced([Float](repeating: 300, count: 40)) == 0)
    #expect(voiced((0..<40).map { Float($0) * 5 }) == 0)
  }

  /// A sequence of notes is not a voice. Each note lasts 100 ms.
  @Test func notesAreNone() {
    let scale: [Float] = [0, 200, 300, 500, 700, 800, 1000]
    #expect(voiced((0..<70).map { scale[$0 / 5 % 7] }) == 0)
  }

  /// A musician's short scoop at the beginning of each note is not a voice. Each note lasts 15
  /// measurements.
  @Test func shortScoopsIntoNotesAreNone() {
    #expect(voiced((0..<90).map { $0 % 15 == 0 ? -30 : 0 }) == 0)
  }

  @Test func fewPartialsAreNone() {
    #expect(voiced((0..<40).map { Float($0) * 25 }, harmonics: 3) == 0)
  }

  /// Sound without a pitch adds no evidence, and evidence decays with time.
  @Test func evidenceFades() {
    let word = (0..<8).map { Float?.some(Float($0) * 25) }
    #expect(voiced(word) > 3)
    #expect(voiced(word + [Float?](repeating: nil, count: 100)) < 40)
  }
}
