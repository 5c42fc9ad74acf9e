// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Glibc
import Retrograde

@main
struct RetrogradeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retrograde",
    abstract: "Reverses audio files, changes their length or pitch, and plays them.",
    discussion: """
      Write ./-name for a file whose name begins with a dash.

      Exit status: 0 if everything succeeded, 1 if something failed, 64 if the command line is \
      wrong, and 128 + the number of a signal that ended it (130 for Ctrl-C).
      """,
    version: RetrogradeLibrary.version,
    subcommands: [ReverseCommand.self, ScaleCommand.self, InfoCommand.self, PlayCommand.self])

  /// Must start in the main thread, before there are any other threads.
  @MainActor
  static func main() async {
    keepFreedMemory()
    Console.watchOutput()
    do {
      try checkSystem()
      if let order = WorkOrder.own, case .describe = order { return await order.describe() }
      var command = try await asyncParseAsRoot(Array(FilePath.arguments.dropFirst()))
      guard var longCommand = command as? any AsyncParsableCommand else { return try command.run() }
      Console.silenceLibraries()
      try await longCommand.run()
    } catch let error as ValidationError {
      // without the usage message, which wouldn't help with options that exclude each other
      Console.error.complain(error.message)
      exit(withError: ExitCode.validationFailure)
    } catch let error as RetrogradeError {
      Console.error.complain(error.message)
      exit(withError: ExitCode.failure)
    } catch {
      exit(withError: error)
    }
  }

  static var _errorLabel: String { "retrograde" }

  /// libdispatch would abort the process later on if it couldn't look up its threads in /proc, or
  /// open two files for its events.
  private static func checkSystem() throws {
    guard access("/proc/self/stat", F_OK) == 0 else {
      throw RetrogradeError.unreadable(
        "this program needs /proc, which is not mounted; mount it first: mount -t proc proc /proc.")
    }
    let opened = [open("/", O_RDONLY | O_CLOEXEC), open("/", O_RDONLY | O_CLOEXEC)]
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    if opened.contains(-1) {
      throw RetrogradeError.unreadable(
        "too many files are open; raise the limit with ulimit -n.")
    }
  }
}
