// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

package struct ChainSettings: Sendable {
  package var audio: TimeDSPConfig
  /// In Hz. Any value will do.
  package var rate: UInt32
  /// Output duration / input duration, `TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR`.
  package var factor: Double
  package var pitch: TimePitch
  /// If a control curve sets factor or pitch, a stretcher never leaves, because we may need it
  /// again at any time.
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
  /// Input frames consumed. Pass the others again.
  package var used = 0
  /// Output frames produced.
  package var made = 0
  /// Another call, even without input, may write more.
  package var hasMore = false
}
