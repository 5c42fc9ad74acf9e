// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How the pitch changes when the duration does.
///
/// ```swift
/// let lower = AudioEdit(pitch: Pitch(semitones: -2))
/// let slower = AudioEdit(factor: try ScaleFactor(1.25), pitch: .kept)
/// ```
public struct Pitch: Sendable, Hashable {
  /// Preserves the pitch at every factor. If it's `false`, the pitch follows the speed as on a
  /// tape, so a sound that's twice as long is an octave lower.
  public var isKept: Bool
  /// Additional change in pitch in semitones, −24 … 24. Fractions are fine. This doesn't affect the
  /// duration.
  public var semitones: Double
  /// How formants change when the pitch is shifted.
  public var formants: Formants
  /// Additional shift of the formants in semitones, −24 … 24.
  public var formantSemitones: Double

  /// Creates a pitch setting. By default, the pitch follows the speed.
  public init(
    isKept: Bool = false, semitones: Double = 0, formants: Formants = .follow,
    formantSemitones: Double = 0
  ) {
    (self.isKept, self.semitones) = (isKept, semitones)
    (self.formants, self.formantSemitones) = (formants, formantSemitones)
  }

  /// The pitch follows the speed, as on a tape.
  public static let followsSpeed = Pitch()
  /// The pitch is preserved.
  public static let kept = Pitch(isKept: true)

  /// The pitch is preserved, and then shifted by −24 … 24 semitones.
  public static func kept(semitones: Double, formants: Formants = .follow) -> Pitch {
    Pitch(isKept: true, semitones: semitones, formants: formants)
  }
}

extension Pitch {
  /// Throws if semitones are out of range.
  package func check() throws(RetrogradeError) {
    try Self.check(semitones, "A pitch change")
    try Self.check(formantSemitones, "A formant shift")
  }

  private static func check(_ semitones: Double, _ what: String) throws(RetrogradeError) {
    guard (-24...24).contains(semitones) else {
      throw RetrogradeError(
        .invalidArgument,
        "\(what) must be from -24 to 24 semitones (\(semitones) is not); choose another.")
    }
  }
}

/// How formants change when the pitch is shifted. Formants are the resonances that make men, women
/// and children sound different.
///
/// ```swift
/// let higher = Pitch(semitones: 4, formants: .keep)
/// ```
public enum Formants: String, Sendable, CaseIterable {
  /// Formants move with the pitch.
  case follow
  /// Formants stay at their frequencies. A voice keeps its character at the new pitch.
  case keep
}
