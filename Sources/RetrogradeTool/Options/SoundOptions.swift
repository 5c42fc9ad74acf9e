// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Which of the sound is used.
struct SoundOptions: ParsableArguments {
  @Option(help: "Every channel in its place, the first alone, or a mix of all.")
  var channels = ChannelSelection.all

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The part from A to B alone, in seconds or h:m:s; either may be left out.",
      valueName: "A-B"))
  var region: Region?

  var edit: Edit { Edit(region: region?.range, channels: channels) }
}
