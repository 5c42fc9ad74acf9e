// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The settings of a chain.
package struct ChainSettings: Sendable {
  package var audio: TimeDSPConfig
  /// Frames per second, without a limit.
  package var rate: UInt32
  /// Output duration / input duration.
  package var factor: Double
  package var pitch: TimePitch
  /// Whether a curve will change factor or pitch, so that a stretcher is kept once it exists.
  package var moves: Bool

  package init(
    audio: TimeDSPConfig, rate: UInt32, factor: Double, pitch: TimePitch, moves: Bool = false
  ) {
    (self.audio, self.rate, self.factor, self.pitch) = (audio, rate, factor, pitch)
    self.moves = moves
  }
}

/// The result of a call: input frames that were consumed (pass the others again), output frames
/// that were written, and whether to call again, even without more input.
package struct ChainProgress: Sendable {
  package var used = 0
  package var made = 0
  package var hasMore = false
}
