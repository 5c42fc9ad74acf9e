// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Where the new files go, and what they are written as.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The new file, a folder for them (default: the current folder), or - for a pipe.",
      valueName: "file or folder"),
    completion: .file())
  var output: String?

  @Option(help: "What is written, whatever the name's extension says.")
  var type: OutputSettings.FileType?

  @Option(help: "How samples are stored, where the type has a choice.")
  var codec: OutputSettings.Codec?

  @Option(
    name: .customLong("bitrate"), parsing: .unconditional,
    help: ArgumentHelp("In kbit/s, 8 to 512, for lossy codecs.", valueName: "kbit/s"))
  var bitRate: Int?

  @Flag(help: "Replace files that are there already.")
  var force = false

  var settings: OutputSettings {
    let (bits, overflow) = (bitRate ?? 0).multipliedReportingOverflow(by: 1000)
    return OutputSettings(
      type: type, codec: codec, bitRate: bitRate.map { _ in overflow ? .max : bits },
      replacesExisting: force)
  }
}
