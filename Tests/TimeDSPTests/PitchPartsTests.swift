// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Tests how a factor and a pitch are divided between the scalers and the stretcher.
@Suite struct PitchPartsTests {
  private func divide(_ factor: Double, _ keepsPitch: Bool, _ semitones: Double) -> PitchParts {
    PitchParts(factor: factor, keepsPitch: keepsPitch, semitones: semitones)
  }

  @Test func `Without semitones scalers or stretcher do nothing at all`() {
    for factor in [0.01, 0.7, 1, 1.5, 100] {
      let tape = divide(factor, false, 0)
      #expect(tape.before * tape.after == factor && tape.stretch == 1)
      let kept = divide(factor, true, 0)
      #expect(kept.before == 1 && kept.stretch == factor && kept.after == 1)
    }
  }

  /// The stretcher processes audio at the higher of the two pitches. The pitch is therefore raised
  /// before the stretcher, but lowered after the stretcher.
  @Test func `A higher pitch is made first and a lower one last`() {
    for (factor, isKept, semitones) in [(1.5, true, 7.0), (2, false, 12.01), (0.5, false, 0.5)] {
      let parts = divide(factor, isKept, semitones)
      #expect(parts.before < 1 && parts.after == 1)
    }
    for (factor, isKept, semitones) in [(1.5, true, -7.0), (2, false, 11.9), (0.5, false, -13)] {
      let parts = divide(factor, isKept, semitones)
      #expect(parts.before == 1 && parts.after > 1)
    }
  }

  /// Pitch = (kept ? 1 : 1 / factor) × 2^(semitones / 12).
  @Test func `Duration and pitch are those of the formula`() {
    for (factor, isKept, semitones) in [
      (1.5, true, 7.0), (0.5, false, -12), (2, false, 12), (0.3, true, 24), (3, false, -0.37),
    ] {
      let parts = divide(factor, isKept, semitones)
      let pitch = (isKept ? 1 : 1 / factor) * pow(2, semitones / 12)
      #expect(abs(parts.factor / factor - 1) < 1e-14)
      #expect(abs(1 / (parts.before * parts.after) / pitch - 1) < 1e-14)
    }
  }

  @Test func `Beyond the range the duration is right all the same`() {
    for (factor, isKept, semitones) in [
      (0.01, false, 24.0), (100, false, -24), (100, true, 24), (0.01, true, -24),
    ] {
      let parts = divide(factor, isKept, semitones)
      #expect(abs(parts.factor / factor - 1) < 1e-14)
      for part in [parts.before, parts.stretch, parts.after] {
        #expect((0.01...100).contains(part))
      }
    }
  }

  /// The scalers and the stretcher change their factors gradually, each within its own number of
  /// frames. Together, they output as many frames as a single scaler whose factor changes from f0
  /// to f1 within n frames: 2 n / (1 / f0 + 1 / f1).
  @Test func `All ramps together make as much as one`() {
    let n = 10_000.0
    func mean(_ one: Double, _ other: Double) -> Double { 2 / (1 / one + 1 / other) }
    for (from, to) in [
      ((1.0, true, 0.0), (1.0, true, 12.0)), ((1, true, 12), (1, true, -12)),
      ((1.5, false, 0), (1.5, true, 0)), ((2, true, 0), (0.5, true, 0)),
      ((0.8, false, 3), (1.2, false, 3)), ((1.2, true, -3), (1.3, true, -5)),
      ((1.2, false, -3), (1.3, false, -3)),
    ] {
      let (old, new) = (divide(from.0, from.1, from.2), divide(to.0, to.1, to.2))
      let ramps = new.ramps(from: old, within: UInt64(n), excess: 0)
      let given = n * mean(old.before, new.before)
      let (stretch, after) = (mean(old.stretch, new.stretch), mean(old.after, new.after))
      let left = given - Double(ramps.stretch)
      let passed = Double(ramps.stretch) * stretch + left * new.stretch
      let rest = passed - Double(ramps.after)
      let made = Double(ramps.after) * after + rest * new.after
      let due = 2 * n / (1 / from.0 + 1 / to.0)
      // rounding to whole frames adds an error of at most half a frame
      let half = max(abs(stretch - new.stretch) * after, abs(after - new.after)) / 2
      #expect(abs(made - due) <= half + 1e-9)
    }
  }
}
