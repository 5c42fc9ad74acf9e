// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct PlayedPart: ParsableArguments, Sendable {
  @Flag(help: "Play backwards, from the end.")
  var reverse = false

  @Option(
    "Where playback of the first file starts, in seconds or as 1:30.", value: "time",
    as: Duration.argument)
  var start: Duration?

  @Option(
    "Repeat this part of the first file, in seconds or as 1:02.5.", value: "A-B",
    as: Range.init(argument:))
  var loop: Range<Duration>?

  @Option(
    """
    Repeat the loop, or the first file, and make each pass faster: 60:100:5 is from 60 to 100 \
    percent of the speed, by 5. The pitch is kept.
    """, value: "A:B:step", as: ScaleFactor.ladder(argument:))
  var ladder: [ScaleFactor]?

  @Option(
    "Let the space bar pause so much earlier, to write down what you hear: 2. (default: 0)",
    value: "time", as: Duration.argument)
  var backstep: Duration?
}

struct PlayedSound: ParsableArguments, Sendable {
  @Option(parsing: .unconditional, help: ArgumentHelp("Volume, 0 to 100.", valueName: "percent"))
  var volume = 100

  @Option(help: "The channels to play.")
  var channels = AudioEdit.Channels.all

  @OptionGroup var effects: EffectOptions

  func validate() throws {
    guard (0...100).contains(volume) else {
      throw ValidationError("--volume must be from 0 to 100.")
    }
  }
}
