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
    let isFolder = SourceSearch.Kind(of: input) == .folder
    let files: [FoundFile]
    do throws(RetrogradeError) {
      files =
        isFolder
        ? try await FoundFile.list(input, columns: peaks) : [await .read(input, columns: peaks)]
    } catch {
      Console.error.writeLine("retrograde: \(error.message)")
      return false
    }
    let faults = files.compactMap(\.fault)
    if json {
      for file in files { Console.output.write(file.json + "\n") }
    } else {
      Console.output.writeLines(isFolder ? FoundFile.table(files) : files.flatMap(\.lines))
      if files.isEmpty { Console.output.writeLine(FoundFile.nothing(in: input)) }
      for fault in faults { Console.error.writeLine("retrograde: \(fault.message)") }
    }
    return faults.isEmpty
  }
}
