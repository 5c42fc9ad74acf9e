// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Glibc
import Retrograde

/// The tool, with its subcommands.
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

  /// Starts in the main thread, while there is no other.
  @MainActor
  static func main() async {
    checkProc()
    checkOpenFiles()
    Console.watchOutput()
    do {
      let words = Array(OddNames.arguments().dropFirst())
      try checkCommand(words.first)
      var command = try await asyncParseAsRoot(words)
      guard var longCommand = command as? any AsyncParsableCommand else { return try command.run() }
      try await longCommand.run()
    } catch let error as ValidationError {
      // for options that exclude each other, the usage of the whole tool would not help
      Console.error.writeLine("retrograde: \(error.message)")
      exit(withError: ExitCode.validationFailure)
    } catch let status as ExitCode {
      exit(withError: status)
    } catch {
      end(with: error)
    }
  }

  /// Ends as ArgumentParser does, but with the same prefix as all other errors.
  private static func end(with error: any Error) -> Never {
    let status = exitCode(for: error)
    guard !status.isSuccess else { exit(withError: error) }
    let message = Suggestion.onlyNear(in: fullMessage(for: error))
    let rest = message.hasPrefix("Error: ") ? message.dropFirst("Error: ".count) : message[...]
    Console.error.writeLines(
      "retrograde: \(rest)".split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init))
    exit(withError: status)
  }

  /// Swift's threads (libdispatch) inspect each other in /proc, and abort the process at some point
  /// if they cannot.
  private static func checkProc() {
    guard access("/proc/self/stat", F_OK) != 0 else { return }
    Console.error.writeLine(
      "retrograde: this program needs /proc, which is not mounted; mount it first: mount -t proc proc "
        + "/proc.")
    exit(withError: ExitCode.failure)
  }

  /// Swift's threads (libdispatch) abort the process if they cannot open the two file descriptors
  /// they wait on.
  private static func checkOpenFiles() {
    let opened = [open("/", O_RDONLY | O_CLOEXEC), open("/", O_RDONLY | O_CLOEXEC)]
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard opened.contains(-1) else { return }
    Console.error.writeLine(
      "retrograde: too many files are open; raise the limit with ulimit -n.")
    exit(withError: ExitCode.failure)
  }

  /// Reports an unknown command; ArgumentParser would call it and all following words "unexpected".
  private static func checkCommand(_ word: String?) throws {
    guard let word, !word.hasPrefix("-") else { return }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard word != "help", !names.contains(word) else { return }
    throw ValidationError(
      "\(word): there is no such command; choose one of: \(names.joined(separator: ", "))."
    )
  }
}
