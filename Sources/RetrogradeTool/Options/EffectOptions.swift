// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct EffectOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("effect"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      GStreamer elements that process the new sound, written as for gst-launch-1.0: "audioecho \
      delay=250000000". May be given several times.
      """, valueName: "elements"))
  var chains: [String] = []

  @Option(
    name: .customLong("effect-before"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The same, but applied before the sound is reversed and scaled.", valueName: "elements"))
  var chainsBefore: [String] = []

  @Option(
    "Time to add at the end, in which the last effect dies away, in seconds or as 1:30. (default: 0)",
    value: "time", as: Duration.argument)
  var tail: Duration?

  func effects() throws -> [AudioEffect] {
    var effects: [AudioEffect] = []
    do {
      effects += try chainsBefore.map { try AudioEffect($0, place: .before) }
      effects += try chains.map { try AudioEffect($0) }
    } catch let error as RetrogradeError {
      throw ValidationError(error.message)
    }
    guard let tail else { return effects }
    guard let last = effects.indices.last else {
      throw ValidationError("--tail needs an effect; add --effect.")
    }
    guard tail <= .seconds(3600) else {
      throw ValidationError("--tail can be at most an hour; an effect dies away in seconds.")
    }
    effects[last].tail = tail
    return effects
  }
}
