// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
import Retrograde

/// `retrograde info`: describes files.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the format, length and tags of audio files, or lists a folder.",
    discussion: """
      Examples:
        retrograde info song.mp3      everything about one file
        retrograde info Music/        duration, channels, type and name of each
        retrograde info --json *.wav
        retrograde info --json --peaks 1000 song.wav
      """)

  @Argument(help: "The files, or folders of files.", completion: .file()) var inputs: [FilePath]

  @Flag(help: "Print JSON, one object per line; see man retrograde.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "With --json, add the peaks of so many equal parts of the file: 1 for full scale.",
      valueName: "count"))
  var peaks: Int?

  func validate() throws {
    guard let peaks else { return }
    if !json { throw ValidationError("--peaks needs --json.") }
    if !(1...1_000_000).contains(peaks) {
      throw ValidationError("--peaks must be from 1 to 1000000.")
    }
  }

  func run() async throws {
    var isGood = true
    for input in inputs where await !show(input) { isGood = false }
    if !isGood { throw ExitCode.failure }
  }

  private func show(_ input: FilePath) async -> Bool {
    let sources = await SourceSearch().sources([input])
    let files = await sources.concurrentMap { await FoundFile($0, columns: peaks) }
    let faults = files.compactMap(\.fault)
    if json {
      for file in files { Console.output.write(file.json + "\n") }
    } else {
      let isFolder = files.map(\.input) != [input]
      let lines = isFolder ? FoundFile.table(files.map(\.row)) : files.flatMap(\.lines)
      lines.forEach(Console.output.writeLine)
      for fault in faults { Console.error.complain(fault.message) }
    }
    return faults.isEmpty
  }
}
