// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// What the current positions require of an interpolation.
struct Reading {
  /// The share of the band that the output can represent: the factor, but at most 1.
  var scale: Double
  /// Positions are multiples of a step of 1 / `numerator` frames, plus a common offset. `numerator`
  /// is 0 if nothing is known about the positions.
  var numerator: UInt64 = 0
  /// The common offset of all positions, in steps, below 1.
  var offset = 0.0
  /// Whether every position has its own factor.
  var isMoving = false
  /// Whether the output equals the input frame by frame.
  var isIdentity = false
}

/// The numbers of frames that are needed around a position.
struct Window {
  /// Number of frames needed before the frame that is at or before the position.
  let before: Int
  /// Number of frames needed after that frame.
  let after: Int
  /// Number of frames needed after that frame if the position is exactly on it.
  let afterOnFrame: Int
}

/// The number of frames that an interpolation reads.
struct Reach {
  /// Number of frames read before the frame at or before a position. Not used for sinc.
  private let before: Int
  /// Number of frames read after that frame. Not used for sinc.
  private let after: Int
  /// The quality of the sinc, if sinc is used. A sinc reads more frames if the output is shorter.
  private let sinc: SincQuality?

  init(_ interpolation: TimeDSPInterpolation, _ sinc: SincQuality) {
    before = interpolation.before
    after = interpolation.after
    self.sinc = interpolation == TIMEDSP_SINC ? sinc : nil
  }

  /// The window around the positions that `reading` describes.
  @inline(__always)
  func window(_ reading: Reading) -> Window {
    guard let sinc else { return Window(before: before, after: after, afterOnFrame: 0) }
    return window(sinc, scale: reading.scale, isIdentity: reading.isIdentity)
  }

  /// The widest window for all factors down to `scale`.
  func window(scale: Double) -> Window { window(Reading(scale: scale)) }

  private func window(_ sinc: SincQuality, scale: Double, isIdentity: Bool) -> Window {
    let half = sinc.half(scale: scale)
    return Window(before: half &- 1, after: half, afterOnFrame: isIdentity ? 0 : half)
  }
}
