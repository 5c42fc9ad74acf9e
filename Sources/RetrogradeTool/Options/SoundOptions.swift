// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Which of the sound is used.
struct SoundOptions: ParsableArguments, Sendable {
  @Option(help: "Every channel in its place, the first alone, or a mix of all.")
  var channels = AudioEdit.Channels.all

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only the part from A to B, in seconds or as 1:30; either may be left out.",
      valueName: "A-B"),
    transform: Region.init(argument:))
  var region: Region?

  @Option(
    help: ArgumentHelp("Only the last part, in seconds or as 1:30.", valueName: "time"),
    transform: Clock.init(argument:))
  var last: Clock?

  @Flag(help: "Keep what is in front of the part and behind it, too.")
  var keepRest = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Louder by this, or quieter where it is below 0.", valueName: "dB"))
  var gain = 0.0

  @Flag(
    help: "Bring the loudest sample to full scale, and add --gain then: -1 leaves 1 dB of room.")
  var normalize = false

  func check() throws {
    if region != nil, last != nil {
      throw ValidationError("--region and --last both choose a part; use one of them.")
    }
    if keepRest, region == nil, last == nil {
      throw ValidationError("--keep-rest needs a part: --region A-B, or --last.")
    }
  }

  var request: EditRequest {
    EditRequest(
      edit: AudioEdit(
        region: region?.range, channels: channels, gain: gain, normalizes: normalize,
        keepsRest: keepRest),
      last: last?.time)
  }
}
