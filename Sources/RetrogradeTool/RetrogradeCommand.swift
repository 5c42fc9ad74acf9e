// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// The tool: one command for each thing that people do to a file.
@main
struct RetrogradeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retrograde",
    abstract: "Turns audio files around, stretches or squeezes them in time, and plays them.",
    discussion: """
      A file whose name begins with a dash is written ./-name, or after --.

      Exit status: 0 all went well; 1 something failed; 64 the command was written wrongly; \
      128 + the number of a signal that ended it (130 for Ctrl-C).
      """,
    version: RetrogradeLibrary.version,
    subcommands: [ReverseCommand.self, ScaleCommand.self, InfoCommand.self, PlayCommand.self])

  static func main() async {
    Console.watchOutput()
    await main(nil)
  }
}
