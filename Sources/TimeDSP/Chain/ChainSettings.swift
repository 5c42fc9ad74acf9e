// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The settings of a chain.
package struct ChainSettings: Sendable {
  package var audio: TimeDSPConfig
  /// Sample rate in Hz; any value.
  package var rate: UInt32
  /// Output duration / input duration, `TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR`.
  package var factor: Double
  package var pitch: TimePitch
  /// Whether a control curve sets factor or pitch. If so, a stretcher is never removed, because it
  /// may be needed again at any time.
  package var moves: Bool

  package init(
    audio: TimeDSPConfig, rate: UInt32, factor: Double, pitch: TimePitch, moves: Bool = false
  ) {
    (self.audio, self.rate, self.factor, self.pitch) = (audio, rate, factor, pitch)
    self.moves = moves
  }

  func isSame(as other: ChainSettings) -> Bool {
    audio.isSame(as: other.audio) && rate == other.rate && factor == other.factor
      && pitch.isSame(as: other.pitch) && moves == other.moves
  }
}

/// The result of a call to a chain.
package struct ChainProgress: Sendable {
  /// Number of input frames that were consumed. The caller must pass the other frames again.
  package var used = 0
  /// Number of output frames that were written.
  package var made = 0
  /// Whether another call, even without input, may write more output.
  package var hasMore = false
}
