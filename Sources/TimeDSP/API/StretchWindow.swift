// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// The length of the analysis window that a ``TimeScaler`` uses to preserve the pitch.
///
/// The sizes are for 48 kHz. At other sample rates, it's the power of two with about the same
/// duration.
public enum StretchWindow: Hashable, Sendable, CaseIterable {
  /// ``music``, but ``speech`` for a single voice, and 512 frames for applause and the like.
  case auto
  /// 4096 frames: resolves notes that are close together.
  case music
  /// 2048 frames: preserves the pulses of a voice.
  case speech
  /// 1024 frames: for live use. It can't resolve low notes.
  case lowLatency

  var code: TimeStretchWindow {
    switch self {
    case .auto: TIMESTRETCH_AUTO
    case .music: TIMESTRETCH_MUSIC
    case .speech: TIMESTRETCH_SPEECH
    case .lowLatency: TIMESTRETCH_LOW_LATENCY
    }
  }
}
