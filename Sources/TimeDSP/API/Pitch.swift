// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// How the pitch behaves when a ``TimeScaler`` changes the duration.
///
/// ```swift
/// let third = Pitch.kept(semitones: 4)  // four semitones up, whatever the duration
/// ```
public struct Pitch: Hashable, Sendable {
  /// Whether it stays as it is, whatever the duration; otherwise it follows the speed, as that of
  /// a tape does.
  public var isKept: Bool
  /// Semitones by which it moves in addition, −24 … 24; fractions are allowed.
  public var semitones: Double
  /// How the formants behave, the resonances that characterise a person's voice.
  public var formants: Formants
  /// By how many semitones formants move besides, −24 … 24.
  public var formantSemitones: Double

  /// How formants behave when the pitch moves.
  public enum Formants: Hashable, Sendable, CaseIterable {
    /// They move with it.
    case follow
    /// They stay at their frequencies: the same voice at another pitch.
    case keep
  }

  /// A pitch that is kept or follows the speed, and moves by this many semitones in addition.
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

/// Length of the sound that a ``TimeScaler`` analyses together to keep the pitch.
///
/// The figures are for 48 kHz. At another sample rate a window is the power of two that lasts
/// about as long.
public enum StretchWindow: Hashable, Sendable, CaseIterable {
  /// ``music``, and ``speech`` while a single voice sounds.
  case auto
  /// 4096 frames: keeps notes apart that lie close together.
  case music
  /// 2048 frames: keeps the pulses of a voice.
  case speech
  /// 1024 frames: for live use. It does not keep low notes apart.
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
