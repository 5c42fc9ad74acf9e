// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Requirements of the present positions on an interpolation.
struct Reading {
  /// The part of the band that the output has room for: the factor, but not
  /// more than 1.
  var scale: Double
  /// Positions are multiples of 1 / `numerator` of a frame, and `offset` of
  /// such a step beyond (below 1); 0 if nothing is known about them.
  var numerator: UInt64 = 0
  var offset = 0.0
  /// Whether every position has a factor of its own.
  var isMoving = false
  /// Whether the output is the input, frame by frame.
  var isIdentity = false
}

/// The frames that are needed for a position.
struct Window {
  /// Before the one that the position falls in.
  let before: Int
  /// After it.
  let after: Int
  /// After it if the position is on it exactly.
  let afterOnFrame: Int
}

/// Reach of an interpolation.
struct Reach {
  /// Frames before the one that a position falls in, and after it.
  private let before: Int
  private let after: Int
  /// The kernel that needs more frames if the output is shorter.
  private let sinc: SincQuality?

  init(_ interpolation: TimeDSPInterpolation, _ sinc: SincQuality) {
    before = interpolation.before
    after = interpolation.after
    self.sinc = interpolation == TIMEDSP_SINC ? sinc : nil
  }

  /// The window around positions that are read as `reading` says.
  @inline(__always)
  func window(_ reading: Reading) -> Window {
    guard let sinc else { return Window(before: before, after: after, afterOnFrame: 0) }
    return window(sinc, scale: reading.scale, isIdentity: reading.isIdentity)
  }

  /// The widest window under any factor down to `scale`.
  func window(scale: Double) -> Window { window(Reading(scale: scale)) }

  private func window(_ sinc: SincQuality, scale: Double, isIdentity: Bool) -> Window {
    let half = sinc.half(scale: scale)
    return Window(before: half &- 1, after: half, afterOnFrame: isIdentity ? 0 : half)
  }
}
