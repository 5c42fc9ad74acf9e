// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

extension Interpolation {
  var code: TimeDSPInterpolation {
    switch self {
    case .nearest: TIMEDSP_NEAREST
    case .linear: TIMEDSP_LINEAR
    case .smooth: TIMEDSP_SMOOTH
    case .cubic: TIMEDSP_CUBIC
    case .sinc: TIMEDSP_SINC
    }
  }

  /// An invalid quality stays invalid, and the core rejects it.
  var qualityCode: UInt32 { UInt32(clamping: quality < 0 ? .max : quality) }
}
