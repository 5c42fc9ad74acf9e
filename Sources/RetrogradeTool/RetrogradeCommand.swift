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
    abstract: "Reverses audio files, changes their length or pitch, and plays them.",
    discussion: """
      Write ./-name for a file whose name begins with a dash.

      Exit status: 0 if all went well, 1 if something failed, 64 if the command was wrong; \
      128 + its number if a signal ended it (130 for Ctrl-C).
      """,
    version: RetrogradeLibrary.version,
    subcommands: [ReverseCommand.self, ScaleCommand.self, InfoCommand.self, PlayCommand.self])

  static func main() async {
    Console.watchOutput()
    await main(nil)
  }
}
