// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct PlayedPart: ParsableArguments, Sendable {
  @Flag(help: "Play backwards, from the end.")
  var reverse = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where playback of the first file starts, in seconds or as 1:30.", valueName: "time"),
    transform: Clock.init(argument:))
  var start: Clock?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Repeat this part of the first file, in seconds or as 1:02.5.", valueName: "A-B"),
    transform: Region.init(argument:))
  var loop: Region?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Repeat the loop, or the first file, and make each pass faster: 60:100:5 is from 60 to 100 "
        + "percent of the speed, by 5. The pitch is kept.", valueName: "A:B:step"),
    transform: ScaleFactor.ladder(argument:))
  var ladder: [ScaleFactor] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Let the space bar pause so much earlier, to write down what you hear: 2. (default: 0)",
      valueName: "time"),
    transform: Clock.init(fromZero:))
  var backstep: Clock?
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
