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
        retrograde info Music/        name, duration, channels and type of each
        retrograde info --json *.wav
        retrograde info --json --peaks 1000 song.wav

      With --json, each line of standard output is an object with "input" and either "duration" \
      (seconds), "rate", "channels", "layout", "sampleFormat", "lossy", "container", "codec", \
      "bitRate", "extras", "tags", or "code" and "message"; both if the file is cut off. --peaks adds "peaks", the waveform.
      """)

  @Argument(help: "The files, or folders of files.", completion: .file()) var inputs: [FilePath]

  @Flag(help: "Print JSON, one object per line.")
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
    for input in inputs {
      let isDone =
        SourceSearch.Kind(of: input) == .folder ? await list(input) : await describe(input)
      isGood = isGood && isDone
    }
    if !isGood { throw ExitCode.failure }
  }

  private func describe(_ input: FilePath) async -> Bool {
    let found = await FoundFile.read(input, columns: peaks)
    if json {
      Console.output.write(found.json + "\n")
    } else {
      if case .success(let information) = found.information {
        Console.output.writeLines(information.lines(named: input.description))
      }
      report(found)
    }
    return found.fault == nil
  }

  private func list(_ folder: FilePath) async -> Bool {
    let files: [FoundFile]
    do throws(RetrogradeError) { files = try await FoundFile.list(folder, columns: peaks) } catch {
      Console.error.writeLine("retrograde: \(error.message)")
      return false
    }
    if json {
      for file in files { Console.output.write(file.json + "\n") }
    } else if files.isEmpty {
      Console.output.writeLine(
        "\(folder): there is no audio file in this folder; folders in it are not searched.")
    } else {
      Console.output.writeLines(FoundFile.table(files))
      files.forEach(report)
    }
    return files.allSatisfy { $0.fault == nil }
  }

  private func report(_ file: FoundFile) {
    if let fault = file.fault { Console.error.writeLine("retrograde: \(fault.message)") }
  }
}
