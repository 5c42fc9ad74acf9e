// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

package struct ChainSettings: Sendable {
  package var audio: TimeDSPConfig
  /// In Hz. We accept any value.
  package var rate: UInt32
  /// Output duration / input duration, `TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR`.
  package var factor: Double
  package var pitch: TimePitch
  /// Set if the factor or the pitch follows a control curve. In that case, ramps begin exactly at
  /// the next frame, and if the pitch isn't that of a tape, there's a stretcher from the outset.
  package var followsCurve: Bool

  package init(
    audio: TimeDSPConfig, rate: UInt32, factor: Double, pitch: TimePitch, followsCurve: Bool = false
  ) {
    (self.audio, self.rate, self.factor, self.pitch) = (audio, rate, factor, pitch)
    self.followsCurve = followsCurve
  }

  func isSame(as other: ChainSettings) -> Bool {
    audio.isSame(as: other.audio) && rate == other.rate && factor == other.factor
      && pitch.isSame(as: other.pitch) && followsCurve == other.followsCurve
  }
}

package struct ChainProgress: Sendable {
  /// Input frames consumed. Pass the rest again.
  package var used = 0
  /// Output frames produced.
  package var made = 0
  /// Another call may write more, even if you don't give it any input.
  package var hasMore = false
}
