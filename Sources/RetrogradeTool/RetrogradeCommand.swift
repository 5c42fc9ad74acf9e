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
    checkProc()
    checkOpenFiles()
    Console.watchOutput()
    do {
      let order = WorkOrder.own
      if case .describe = order { return await order?.describe() ?? () }
      let words = Array(FilePath.arguments.dropFirst(order == nil ? 1 : 2))
      var command = try await asyncParseAsRoot(words)
      guard var longCommand = command as? any AsyncParsableCommand else { return try command.run() }
      try await longCommand.run()
    } catch let error as ValidationError {
      // without the usage message, which wouldn't help with options that exclude each other
      Console.error.writeLine("retrograde: \(error.message)")
      exit(withError: ExitCode.validationFailure)
    } catch let status as ExitCode {
      exit(withError: status)
    } catch {
      exit(withError: error)
    }
  }

  static var _errorLabel: String { "retrograde" }

  /// libdispatch's threads look each other up in /proc. If they can't, libdispatch aborts the
  /// process later on, so we'd rather exit now.
  private static func checkProc() {
    guard access("/proc/self/stat", F_OK) != 0 else { return }
    Console.error.writeLine(
      "retrograde: this program needs /proc, which is not mounted; mount it first: mount -t proc proc "
        + "/proc.")
    exit(withError: ExitCode.failure)
  }

  /// libdispatch needs two file descriptors for its events. It aborts the process if it can't open
  /// them, so we'd rather exit now.
  private static func checkOpenFiles() {
    let opened = [open("/", O_RDONLY | O_CLOEXEC), open("/", O_RDONLY | O_CLOEXEC)]
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard opened.contains(-1) else { return }
    Console.error.writeLine(
      "retrograde: too many files are open; raise the limit with ulimit -n.")
    exit(withError: ExitCode.failure)
  }
}
