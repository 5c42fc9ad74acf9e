// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

struct ScalerSettings {
  let shape: AudioShape
  let interpolation: TimeDSPInterpolation
  let sinc: SincQuality

  /// Throws for an unknown format, layout or interpolation, and for channels or a quality out of
  /// range.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    shape = try AudioShape(config)
    interpolation = config.interpolation
    try require(interpolation.isKnown, else: TIMEDSP_BAD_INTERPOLATION)
    try require(config.quality <= SincQuality.highest, else: TIMEDSP_BAD_QUALITY)
    sinc = SincQuality(config.quality)
  }

  var reach: Reach { Reach(interpolation, sinc) }
}
