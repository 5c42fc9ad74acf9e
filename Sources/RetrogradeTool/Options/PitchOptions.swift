// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// They change pitch and formants, and leave the length alone.
struct PitchOptions: ParsableArguments, Sendable {
  @Option(
    name: [.customLong("semitones"), .customLong("pitch")], parsing: .unconditional,
    help: ArgumentHelp(
      "Change only the pitch, by -24 to 24; 12 is an octave up. (default: 0)",
      valueName: "semitones"),
    transform: Quantity.semitones(argument:))
  var givenSemitones: Double?

  @Option(
    name: .customLong("cents"), parsing: .unconditional,
    help: ArgumentHelp(
      "The same in hundredths of a semitone, -2400 to 2400.", valueName: "cents"),
    transform: Quantity.cents(argument:))
  var givenCents: Double?

  @Option(help: "Whether the resonances of a voice follow the pitch.")
  var formants = Formants.follow

  @Option(
    parsing: .unconditional,
    help: """
      Move only the formants, by -24 to 24; a voice below 0 seems to come from a larger head, above \
      0 from a smaller one. (default: 0)
      """,
    transform: Quantity.semitones(argument:))
  var formantSemitones: Double?

  private var semitones: Double { givenSemitones ?? givenCents ?? 0 }

  /// True if pitch or formants change even if the length doesn't.
  var moves: Bool { semitones != 0 || formantSemitones ?? 0 != 0 }

  /// With `isKept`, the pitch is preserved when the length changes.
  func pitch(isKept: Bool) -> Pitch {
    Pitch(
      isKept: isKept, semitones: semitones, formants: formants,
      formantSemitones: formantSemitones ?? 0)
  }

  /// Throws if two options set the pitch. ArgumentParser calls `validate()` before it detects an
  /// unknown option, so we don't check it there.
  func check() throws {
    guard givenSemitones != nil, givenCents != nil else { return }
    throw ValidationError("--semitones and --cents both set the pitch; use one of them.")
  }
}
