// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Options for speed, pitch and formants, both for files and for the player.
struct SpeedOptions: ParsableArguments, Sendable {
  @Option(
    "How many times as fast: 1.25, 125% or 5/4. The pitch changes as well, as on a tape.",
    as: ScaleFactor.init(speedArgument:))
  var speed: ScaleFactor?

  @Option(
    "The same, but the pitch stays: 0.75 is three quarters of the speed.",
    as: ScaleFactor.init(speedArgument:))
  var tempo: ScaleFactor?

  @Option(
    "New length / old length, 0.01 to 100: 1.5, 150% or 3/2. Below 1 is faster.",
    as: ScaleFactor.init(argument:))
  var factor: ScaleFactor?

  @Flag(help: "Keep the pitch when the speed changes.")
  var keepPitch = false

  @Option(
    name: [.customLong("semitones"), .customLong("pitch")], parsing: .unconditional,
    help: ArgumentHelp(
      "Change only the pitch, by -24 to 24; 12 is an octave up.", valueName: "semitones"))
  var semitones = 0.0

  @Option(
    help: "With keep, a voice at another pitch is still the same person: its resonances stay.")
  var formants = Formants.follow

  @Option(
    parsing: .unconditional,
    help: """
      Move only the formants, by -24 to 24; a voice below 0 seems to come from a larger head, above \
      0 from a smaller one.
      """)
  var formantSemitones = 0.0

  @Option(help: "How to calculate values between two samples.")
  var interpolation: Interpolation = .sinc

  /// True if pitch or formants change even if the length doesn't.
  var moves: Bool { semitones != 0 || formantSemitones != 0 }

  var scale: ScaleFactor? { factor ?? speed ?? tempo }

  var pitch: Pitch {
    Pitch(
      isKept: keepPitch || tempo != nil, semitones: semitones, formants: formants,
      formantSemitones: formantSemitones)
  }

  /// The options among those given that set the length.
  var lengths: [String] {
    [("--factor", factor != nil), ("--speed", speed != nil), ("--tempo", tempo != nil)]
      .filter(\.1).map(\.0)
  }

  /// Throws if there's more than one of `lengths`, or if the pitch is out of range. ArgumentParser
  /// calls `validate()` before it detects an unknown option, so we don't check it there.
  func check(_ lengths: [String]) throws {
    do throws(RetrogradeError) { try pitch.check() } catch { throw ValidationError(error.message) }
    guard lengths.count > 1 else { return }
    throw ValidationError(
      "\(lengths.joined(separator: " and ")) both set the length; use one of them.")
  }
}
