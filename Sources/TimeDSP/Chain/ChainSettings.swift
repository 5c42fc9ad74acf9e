// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The settings of a chain.
package struct ChainSettings: Sendable {
  package var audio: TimeDSPConfig
  /// Frames per second; not limited.
  package var rate: UInt32
  /// Output duration / input duration.
  package var factor: Double
  package var pitch: TimePitch
  /// Whether a curve controls factor or pitch. If so, a stretcher is never removed.
  package var moves: Bool

  package init(
    audio: TimeDSPConfig, rate: UInt32, factor: Double, pitch: TimePitch, moves: Bool = false
  ) {
    (self.audio, self.rate, self.factor, self.pitch) = (audio, rate, factor, pitch)
    self.moves = moves
  }
}

/// The result of a call.
package struct ChainProgress: Sendable {
  /// Number of input frames that were consumed. Pass the others again.
  package var used = 0
  /// Number of output frames that were written.
  package var made = 0
  /// Whether to call again, even without more input.
  package var hasMore = false
}
