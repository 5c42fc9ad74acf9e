// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A change of duration and pitch as three factors: of a scaler, which changes both, of a stretcher
/// after it, which changes the duration alone, and of another scaler after that. One of the scalers
/// has factor 1.
struct PitchParts: BitwiseCopyable {
  let before: Double
  let stretch: Double
  let after: Double

  init(before: Double, stretch: Double, after: Double) {
    self.before = before
    self.stretch = stretch
    self.after = after
  }

  /// The pitch is multiplied by (`keepsPitch` ? 1 : 1 / `factor`) × 2^(`semitones` / 12). A part
  /// out of range stays at its end, at the cost of the pitch.
  init(factor: Double, keepsPitch: Bool, semitones: Double) {
    let ratio = semitones == 0 ? 1 : powerOfTwo(semitones / 12)
    let scale = (keepsPitch ? 1 : factor) / ratio
    let stretch = (keepsPitch ? factor : 1) * ratio
    let heldScale = Self.held(scale)
    let heldStretch = Self.held(heldScale == scale ? stretch : factor / heldScale)
    let lastScale = heldStretch == stretch ? heldScale : Self.held(factor / heldStretch)
    self.init(before: min(lastScale, 1), stretch: heldStretch, after: max(lastScale, 1))
  }

  /// The same with one scaler, unless a stretcher has something to do.
  var joined: PitchParts {
    stretch == 1 ? PitchParts(before: before * after, stretch: 1, after: 1) : self
  }

  /// Whether they change nothing.
  var isNone: Bool { before == 1 && stretch == 1 && after == 1 }

  /// Output duration / input duration.
  var factor: Double { before * stretch * after }

  /// Pitch of the output / pitch of the input.
  var pitch: Double { 1 / (before * after) }

  /// Frames that one scaler would make of the next `frames` frames while it moves from the
  /// factor of `old`, less the `excess` there is already.
  private func due(from old: PitchParts, within frames: UInt64, excess: Double) -> Double {
    Double(frames) * Self.mean(old.factor, factor) - excess
  }

  /// Frames that the first scaler is to make of them, if the other parts move as long as it
  /// does.
  func given(from old: PitchParts, within frames: UInt64, excess: Double) -> Double {
    due(from: old, within: frames, excess: excess)
      / (Self.mean(old.stretch, stretch) * Self.mean(old.after, after))
  }

  /// The frames of their own input within which the stretcher and the second scaler leave the
  /// factors of `old`, while the first scaler takes `frames` frames of its input.
  ///
  /// A part that moves within r of the n frames it is given, and has arrived for the rest,
  /// makes r h + (n - r) s of them, with its final factor s and the harmonic mean h of
  /// both: its speed moves evenly over the output. In the end there are to be as many frames
  /// as are due. The stretcher sees to that if it moves, and else the second scaler. `given`
  /// says how many frames the first scaler makes meanwhile, where these are not n h.
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

  /// Number of frames within which a part moves, of `given`, so that it makes `due`: never so few
  /// that it would click.
  private static func ramp(
    _ given: Double, from old: Double, to new: Double, due: Double
  ) -> UInt64 {
    let ramp = old == new ? given : (due - given * new) / (mean(old, new) - new)
    let held = min(max(ramp, given / 4), 4 * given)
    return UInt64(truncatingIfNeeded: max(rounded(held), 1))
  }

  private static func mean(_ one: Double, _ other: Double) -> Double {
    2 / (1 / one + 1 / other)
  }

  private static func held(_ factor: Double) -> Double {
    min(max(factor, TIMEDSP_MIN_FACTOR), TIMEDSP_MAX_FACTOR)
  }
}
