// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Properties of the current positions, which determine the kernels that an interpolation needs.
struct Reading {
  /// The share of the input's bandwidth that the output can represent: the factor, but at most 1.
  /// Kernels are stretched by 1 / `scale`.
  var scale: Double
  /// All positions are multiples of 1 / `numerator` frames, plus `offset`. 0 if no such number is
  /// known.
  var numerator: UInt64 = 0
  /// The common offset of all positions, in units of 1 / `numerator` frames, 0 ..< 1.
  var offset = 0.0
  /// Whether the factor changes, so that each position has a different factor.
  var isMoving = false
  /// Whether the output is the input, frame by frame.
  var isIdentity = false
}

/// The numbers of input frames that are read around a position.
struct Window {
  /// Number of frames before y0, the frame at or before the position.
  let before: Int
  /// Number of frames after y0.
  let after: Int
  /// Number of frames after y0 if the position is exactly on y0.
  let afterOnFrame: Int
}

/// Computes the `Window` of an interpolation. For sinc, the window depends on the factor, because
/// kernels become longer below factor 1.
struct Reach {
  /// `Window.before`; not used for sinc.
  private let before: Int
  /// `Window.after`; not used for sinc.
  private let after: Int
  /// The quality of the sinc; `nil` for any other interpolation.
  private let sinc: SincQuality?

  init(_ interpolation: TimeDSPInterpolation, _ sinc: SincQuality) {
    before = interpolation.before
    after = interpolation.after
    self.sinc = interpolation == TIMEDSP_SINC ? sinc : nil
  }

  /// The window at the positions that `reading` describes.
  @inline(__always)
  func window(_ reading: Reading) -> Window {
    guard let sinc else { return Window(before: before, after: after, afterOnFrame: 0) }
    return window(sinc, scale: reading.scale, isIdentity: reading.isIdentity)
  }

  /// The widest window for all scales from `scale` to 1.
  func window(scale: Double) -> Window { window(Reading(scale: scale)) }

  private func window(_ sinc: SincQuality, scale: Double, isIdentity: Bool) -> Window {
    let half = sinc.half(scale: scale)
    return Window(before: half &- 1, after: half, afterOnFrame: isIdentity ? 0 : half)
  }
}
