// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A change of duration and pitch, split between the parts of a chain. First, a scaler changes both
/// the duration and the pitch by the factor `before`. Then a stretcher changes just the duration,
/// by `stretch`. Finally, a second scaler changes both by `after`. At least one of the scalers has
/// factor 1.
struct PitchParts: BitwiseCopyable {
  let before: Double
  let stretch: Double
  let after: Double

  /// If the stretcher has factor 1, this makes the same change with a single scaler.
  var joined: PitchParts {
    stretch == 1 ? PitchParts(before: before * after, stretch: 1, after: 1) : self
  }

  var isNone: Bool { before == 1 && stretch == 1 && after == 1 }

  var factor: Double { before * stretch * after }

  var pitch: Double { 1 / (before * after) }

  /// How many frames the chain must output for the next `frames` input frames while its factor
  /// changes from that of `old`. So far, it's `excess` frames ahead.
  private func due(from old: PitchParts, within frames: UInt64, excess: Double) -> Double {
    Double(frames) * Self.mean(old.factor, factor) - excess
  }

  /// How many frames the first scaler must output for the next `frames` input frames, if the other
  /// parts change their factors over the same time.
  func given(from old: PitchParts, within frames: UInt64, excess: Double) -> Double {
    due(from: old, within: frames, excess: excess)
      / (Self.mean(old.stretch, stretch) * Self.mean(old.after, after))
  }

  /// How many of their own input frames the stretcher and the second scaler take to change their
  /// factors. Meanwhile, the first scaler changes its factor over `frames` input frames, and
  /// outputs `given` frames. If `given` is `nil`, we work it out from its old and new factors.
  ///
  /// A part that changes its factor over r of its n input frames, and then keeps the final factor
  /// s, outputs r × h + (n - r) × s frames. h is the harmonic mean of the old and new factors,
  /// because the speed changes linearly over the output. We choose r so that exactly the due number
  /// of frames is output in the end, by the stretcher if its factor changes, and otherwise by the
  /// second scaler.
  func ramps(
    from old: PitchParts, within frames: UInt64, excess: Double, given: Double? = nil
  ) -> (stretch: UInt64, after: UInt64) {
    let due = due(from: old, within: frames, excess: excess)
    let given = given ?? Double(frames) * Self.mean(old.before, before)
    let last = Self.mean(old.after, after)
    let ramp = Self.ramp(given, from: old.stretch, to: stretch, due: due / last)
    let made = Double(ramp) * Self.mean(old.stretch, stretch) + (given - Double(ramp)) * stretch
    return (ramp, Self.ramp(made, from: old.after, to: after, due: due))
  }

  /// How many input frames a part must take to change its factor if it's to output `due` frames for
  /// `given` input frames. It's limited to `given` / 4 … 4 × `given`, because a very quick change
  /// would click.
  private static func ramp(
    _ given: Double, from old: Double, to new: Double, due: Double
  ) -> UInt64 {
    let ramp = old == new ? given : (due - given * new) / (mean(old, new) - new)
    let clamped = min(max(ramp, given / 4), 4 * given)
    return UInt64(truncatingIfNeeded: max(rounded(clamped), 1))
  }

  private static func mean(_ one: Double, _ other: Double) -> Double {
    2 / (1 / one + 1 / other)
  }
}

extension PitchParts {
  /// Multiplies the duration by `factor`, and the pitch by (`keepsPitch` ? 1 : 1 / `factor`) ×
  /// 2^(`semitones` / 12). A part that would be out of range is clamped. In that case we get the
  /// duration right if we can, at the expense of the pitch.
  init(factor: Double, keepsPitch: Bool, semitones: Double) {
    let ratio = semitones == 0 ? 1 : powerOfTwo(semitones / 12)
    let scale = (keepsPitch ? 1 : factor) / ratio
    let stretch = (keepsPitch ? factor : 1) * ratio
    let clampedScale = nearestFactor(scale)
    let clampedStretch = nearestFactor(clampedScale == scale ? stretch : factor / clampedScale)
    let lastScale =
      clampedStretch == stretch ? clampedScale : nearestFactor(factor / clampedStretch)
    self.init(before: min(lastScale, 1), stretch: clampedStretch, after: max(lastScale, 1))
  }
}
