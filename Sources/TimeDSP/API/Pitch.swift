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
  /// If true, the pitch stays the same at every duration. Otherwise, it follows the speed, as on a
  /// tape.
  public var isKept: Bool
  /// Additional change of pitch in semitones, −24 … 24. Fractions are fine.
  public var semitones: Double
  /// How formants change. They're the resonances by which you recognize a voice.
  public var formants: Formants
  /// Additional change of the formants in semitones, −24 … 24.
  public var formantSemitones: Double

  /// How formants change when the pitch is moved.
  public enum Formants: Hashable, Sendable, CaseIterable {
    /// Formants move with the pitch.
    case follow
    /// Formants stay at their frequencies. A voice keeps its character at the new pitch.
    case keep
  }

  /// Creates a pitch that is preserved or follows the speed, and then moves by `semitones`.
  public init(
    isKept: Bool, semitones: Double = 0, formants: Formants = .follow, formantSemitones: Double = 0
  ) {
    (self.isKept, self.semitones) = (isKept, semitones)
    (self.formants, self.formantSemitones) = (formants, formantSemitones)
  }

  /// The input's pitch.
  public static let kept = Pitch(isKept: true)
  /// As on a tape: at factor 2, an octave lower.
  public static let followsSpeed = Pitch(isKept: false)

  /// The input's pitch, moved by −24 … 24 semitones.
  public static func kept(semitones: Double, formants: Formants = .follow) -> Pitch {
    Pitch(isKept: true, semitones: semitones, formants: formants)
  }
}

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
