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
    version: version,
    subcommands: [PlayCommand.self])
}
