// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// What a scaler works on and how.
struct ScalerSettings {
  let shape: AudioShape
  let interpolation: TimeDSPInterpolation
  let sinc: SincQuality

  /// Refuses what is not in the enumerations, too few or too many channels,
  /// and a quality that there is not.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    shape = try AudioShape(config)
    interpolation = config.interpolation
    try require(interpolation.isKnown, else: TIMEDSP_BAD_INTERPOLATION)
    try require(config.quality <= SincQuality.highest, else: TIMEDSP_BAD_QUALITY)
    sinc = SincQuality(config.quality)
  }

  var reach: Reach { Reach(interpolation, sinc) }
}
