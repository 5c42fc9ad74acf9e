// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// What an interpolation has to know of the current positions to choose its kernels.
struct Reading {
  /// The output can represent this share of the input's bandwidth: the factor, but at most 1.
  /// Kernels are stretched by 1 / `scale`.
  var scale: Double
  /// All positions are multiples of 1 / `numerator` frames, plus `offset`. 0 if we know no such
  /// number.
  var numerator: UInt64 = 0
  /// All positions have it, in units of 1 / `numerator` frames, 0 ..< 1.
  var offset = 0.0
  var isMoving = false
  var isIdentity = false
}

/// How many input frames we read around a position.
struct Window {
  /// Before y0, the frame at or before the position.
  let before: Int
  let after: Int
  /// After y0, if the position is exactly on y0.
  let afterOnFrame: Int
}

/// Computes the `Window` of an interpolation. For sinc, it depends on the factor, because kernels
/// become longer below factor 1.
struct Reach {
  /// `Window.before`, except for sinc.
  private let before: Int
  /// `Window.after`, except for sinc.
  private let after: Int
  private let sinc: SincQuality?

  init(_ interpolation: TimeDSPInterpolation, _ sinc: SincQuality) {
    before = interpolation.before
    after = interpolation.after
    self.sinc = interpolation == TIMEDSP_SINC ? sinc : nil
  }

  @inline(__always)
  func window(_ reading: Reading) -> Window {
    guard let sinc else { return Window(before: before, after: after, afterOnFrame: 0) }
    return window(sinc, scale: reading.scale, isIdentity: reading.isIdentity)
  }

  /// The widest one for all scales from `scale` to 1.
  func window(scale: Double) -> Window { window(Reading(scale: scale)) }

  private func window(_ sinc: SincQuality, scale: Double, isIdentity: Bool) -> Window {
    let half = sinc.half(scale: scale)
    return Window(before: half &- 1, after: half, afterOnFrame: isIdentity ? 0 : half)
  }
}
