// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// Length of the analysis window with which a ``TimeScaler`` preserves the pitch.
///
/// The sizes are for 48 kHz. At other sample rates, it's the power of two that lasts about as long.
public enum StretchWindow: Hashable, Sendable, CaseIterable {
  /// ``music``, but ``speech`` while there's a single voice, and 512 frames for applause and the
  /// like.
  case auto
  /// 4096 frames: separates close notes.
  case music
  /// 2048 frames: preserves the pulses of a voice.
  case speech
  /// 1024 frames: for live use. Low notes aren't separated.
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
