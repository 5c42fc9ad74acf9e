// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// How a ``Scaler`` computes values between two frames.
///
/// y0 is the frame before the position, and y1 is the frame after it. The distance of the position
/// from y0 is a, in [0, 1).
public enum Interpolation: Hashable, Sendable {
  /// y0 if a < 1/2, else y1.
  case nearest
  /// y0 + a × (y1 - y0).
  case linear
  /// Linear in a² × (3 - 2 × a) if the output is longer than the input, otherwise linear in a.
  case smooth
  /// Lagrange's third-degree polynomial through four frames.
  case cubic
  /// Band-limited: a windowed sinc over 8 to 136 frames on either side of the position, for
  /// qualities 0 … 10. If the audio becomes shorter, the filter removes the frequencies that the
  /// output can't represent.
  case sinc(quality: Int)

  /// The default. Aliases are at least 114 dB below full scale, and 95 % of the band is preserved.
  public static let sinc = Interpolation.sinc(quality: 6)

  var code: TimeDSPInterpolation {
    switch self {
    case .nearest: TIMEDSP_NEAREST
    case .linear: TIMEDSP_LINEAR
    case .smooth: TIMEDSP_SMOOTH
    case .cubic: TIMEDSP_CUBIC
    case .sinc: TIMEDSP_SINC
    }
  }

  /// It's 6 for cases without a quality. An invalid quality stays invalid, and the core rejects it.
  var quality: UInt32 {
    if case .sinc(let quality) = self { return UInt32(clamping: quality < 0 ? .max : quality) }
    return 6
  }
}
