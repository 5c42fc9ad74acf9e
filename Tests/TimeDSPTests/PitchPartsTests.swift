// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSP

/// A factor and a pitch, divided between a scaler and a stretcher.
@Suite struct PitchPartsTests {
  private func divide(_ factor: Double, _ keepsPitch: Bool, _ semitones: Double) -> TimePitchParts?
  {
    var parts = TimePitchParts()
    let status = timepitch_divide(factor, keepsPitch ? 1 : 0, semitones, &parts)
    return status == TIMEDSP_OK ? parts : nil
  }

  @Test func `Without semitones one of the two does nothing at all`() throws {
    for factor in [0.01, 0.7, 1, 1.5, 100] {
      let tape = try #require(divide(factor, false, 0))
      #expect(tape.scale == factor && tape.stretch == 1)
      let kept = try #require(divide(factor, true, 0))
      #expect(kept.scale == 1 && kept.stretch == factor)
    }
  }

  /// Pitch = (kept ? 1 : 1 / factor) × 2^(semitones / 12).
  @Test func `Duration and pitch are those of the formula`() throws {
    for (factor, isKept, semitones) in [
      (1.5, true, 7.0), (0.5, false, -12), (2, false, 12), (0.3, true, 24), (3, false, -0.37),
    ] {
      let parts = try #require(divide(factor, isKept, semitones))
      let pitch = (isKept ? 1 : 1 / factor) * pow(2, semitones / 12)
      #expect(abs(parts.scale * parts.stretch / factor - 1) < 1e-14)
      #expect(abs(1 / parts.scale / pitch - 1) < 1e-14)
    }
  }

  @Test func `Beyond the range the duration is right all the same`() throws {
    for (factor, isKept, semitones) in [
      (0.01, false, 24.0), (100, false, -24), (100, true, 24), (0.01, true, -24),
    ] {
      let parts = try #require(divide(factor, isKept, semitones))
      #expect(abs(parts.scale * parts.stretch / factor - 1) < 1e-14)
      for part in [parts.scale, parts.stretch] { #expect((0.01...100).contains(part)) }
    }
  }

  @Test(arguments: [(0, 0), (.nan, 0), (101, 0), (1, 24.01), (1, -25), (1, .nan), (1, .infinity)])
  func `What is out of range is refused`(factor: Double, semitones: Double) {
    #expect(divide(factor, true, semitones) == nil)
    #expect(timepitch_divide(1, 1, 0, nil) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_ready(nil) == 0)
  }

  /// A stretcher that ramps within as many frames as it is told makes what one scaler makes
  /// that moves from f0 to f1: 2 n / (1 / f0 + 1 / f1).
  @Test func `Both ramps together make as much as one`() throws {
    let n = 10_000.0
    for (from, to) in [
      ((1.0, true, 0.0), (1.0, true, 12.0)), ((1, true, 12), (1, true, -12)),
      ((1.5, false, 0), (1.5, true, 0)), ((2, true, 0), (0.5, true, 0)),
      ((0.8, false, 3), (1.2, false, 3)),
    ] {
      let (old, new) = (
        try #require(divide(from.0, from.1, from.2)), try #require(divide(to.0, to.1, to.2))
      )
      var (before, after) = (old, new)
      let ramp = Double(timepitch_ramp_frames(&before, &after, UInt64(n), 0))
      let given = 2 * n / (1 / old.scale + 1 / new.scale)
      let mean = 2 / (1 / old.stretch + 1 / new.stretch)
      let made = ramp * mean + (given - ramp) * new.stretch
      let due = 2 * n / (1 / from.0 + 1 / to.0)
      // the nearest whole number of frames is at most half of one off
      #expect(abs(made - due) <= abs(mean - new.stretch) / 2 + 1e-9)
    }
  }
}
