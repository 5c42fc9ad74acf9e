// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A change of duration and pitch as two factors: that of a scaler, which changes both,
/// and that of a stretcher behind it, which changes the duration alone.
struct PitchParts: BitwiseCopyable {
  let scale: Double
  let stretch: Double

  init(scale: Double, stretch: Double) {
    self.scale = scale
    self.stretch = stretch
  }

  /// The pitch becomes (`keepsPitch` ? 1 : 1 / `factor`) × 2^(`semitones` / 12) times
  /// what it was. A part out of range stays at its end, at the cost of the pitch.
  init(factor: Double, keepsPitch: Bool, semitones: Double) {
    let ratio = semitones == 0 ? 1 : powerOfTwo(semitones / 12)
    let scale = (keepsPitch ? 1 : factor) / ratio
    let stretch = (keepsPitch ? factor : 1) * ratio
    let heldScale = Self.held(scale)
    let heldStretch = Self.held(heldScale == scale ? stretch : factor / heldScale)
    self.init(
      scale: heldStretch == stretch ? heldScale : Self.held(factor / heldStretch),
      stretch: heldStretch)
  }

  /// Output duration / input duration.
  var factor: Double { scale * stretch }

  /// Frames of the stretcher's input within which its factor moves from that of
  /// `old`, while the scaler moves within `frames` frames of its own input.
  ///
  /// The scaler makes `given` frames then. A stretcher that moves within r of them, and
  /// has arrived for the rest, makes r h + (`given` - r) s of them, with its final factor
  /// s and the harmonic mean h of both: its speed moves evenly over the output. That
  /// is to be `due`: what one scaler would make, less the `excess` there is already.
  func rampFrames(from old: PitchParts, within frames: UInt64, excess: Double) -> UInt64 {
    let frames = Double(frames)
    let given = 2 * frames / (1 / old.scale + 1 / scale)
    let due = 2 * frames / (1 / old.factor + 1 / factor) - excess
    let mean = 2 / (1 / old.stretch + 1 / stretch)
    guard stretch != old.stretch else { return whole(given) }
    let ramp = (due - given * stretch) / (mean - stretch)
    // Never so short that it would click.
    return whole(min(max(ramp, given / 4), 4 * given))
  }

  private func whole(_ frames: Double) -> UInt64 {
    UInt64(truncatingIfNeeded: max(rounded(frames), 1))
  }

  private static func held(_ factor: Double) -> Double {
    min(max(factor, TIMEDSP_MIN_FACTOR), TIMEDSP_MAX_FACTOR)
  }
}
