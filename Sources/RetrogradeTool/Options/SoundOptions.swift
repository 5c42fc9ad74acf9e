// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Which of the sound is used.
struct SoundOptions: ParsableArguments {
  @Option(help: "Every channel in its place, the first alone, or a mix of all.")
  var channels = AudioEdit.Channels.all

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The part from A to B alone, in seconds or h:m:s; either may be left out.",
      valueName: "A-B"))
  var region: Region?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Louder by this, or quieter where it is below 0.", valueName: "dB"))
  var gain = 0.0

  @Flag(
    help: "Bring the loudest sample to full scale, and add --gain then: -1 leaves 1 dB of room.")
  var normalize = false

  var edit: AudioEdit {
    AudioEdit(region: region?.range, channels: channels, gain: gain, normalizes: normalize)
  }
}
