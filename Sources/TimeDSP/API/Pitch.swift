// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// How the pitch changes when a ``TimeScaler`` changes the duration.
///
/// ```swift
/// let third = Pitch.kept(semitones: 4)  // four semitones up, whatever the duration
/// ```
public struct Pitch: Hashable, Sendable {
  /// Whether the pitch stays the same for every duration. Otherwise, the pitch follows the speed,
  /// as on a tape.
  public var isKept: Bool
  /// Additional change of pitch in semitones, −24 … 24; fractions are allowed.
  public var semitones: Double
  /// How formants change. Formants are the resonances that characterize a voice.
  public var formants: Formants
  /// Additional change of the formants in semitones, −24 … 24.
  public var formantSemitones: Double

  /// How formants change when the pitch is moved.
  public enum Formants: Hashable, Sendable, CaseIterable {
    /// Formants move with the pitch.
    case follow
    /// Formants stay at their frequencies, so a voice keeps its character at the new pitch.
    case keep
  }

  /// Creates a pitch that is kept or follows the speed. It is also moved by `semitones`.
  public init(
    isKept: Bool, semitones: Double = 0, formants: Formants = .follow, formantSemitones: Double = 0
  ) {
    (self.isKept, self.semitones) = (isKept, semitones)
    (self.formants, self.formantSemitones) = (formants, formantSemitones)
  }

  /// The pitch of the input.
  public static let kept = Pitch(isKept: true)
  /// The pitch of a tape: an octave lower at factor 2.
  public static let followsSpeed = Pitch(isKept: false)

  /// The pitch of the input, moved by −24 … 24 semitones.
  public static func kept(semitones: Double, formants: Formants = .follow) -> Pitch {
    Pitch(isKept: true, semitones: semitones, formants: formants)
  }
}

/// Length of the analysis window with which a ``TimeScaler`` keeps the pitch.
///
/// The sizes are for 48 kHz. At a different sample rate, a window is the power of two with about
/// the same duration.
public enum StretchWindow: Hashable, Sendable, CaseIterable {
  /// Uses ``music``, except in two cases: ``speech`` while there is only a single voice, and 512
  /// frames for applause and similar sounds.
  case auto
  /// 4096 frames: separates close notes.
  case music
  /// 2048 frames: preserves the pulses of a voice.
  case speech
  /// 1024 frames: for live use. It does not separate low notes.
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
