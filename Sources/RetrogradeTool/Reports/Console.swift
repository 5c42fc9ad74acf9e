// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

/// Unbuffered output to a file descriptor, normally standard output or standard error.
struct Console: Sendable {
  let descriptor: Int32

  static let output = Console(descriptor: STDOUT_FILENO)
  static var error: Console { Console(descriptor: errors.load(ordering: .relaxed)) }

  private static let errors = Atomic(STDERR_FILENO)

  /// From now on, standard error only gets our messages. Libraries such as sound drivers also write
  /// to it, and they'd mess up the screen and hide our messages. We leave them alone if you ask for
  /// GStreamer's debug output.
  static func silenceLibraries() {
    guard getenv("GST_DEBUG") == nil else { return }
    let saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if saved >= 0, dup2(nowhere, STDERR_FILENO) >= 0 { errors.store(saved, ordering: .relaxed) }
    close(nowhere)
  }

  /// False for a dumb terminal, too.
  var isTerminal: Bool {
    isatty(descriptor) != 0 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// 80×24 if the terminal doesn't report its size.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    _ = ioctl(descriptor, UInt(clamping: TIOCGWINSZ), &size)
    return (
      size.ws_col > 0 ? Int(clamping: size.ws_col) : 80,
      size.ws_row > 0 ? Int(clamping: size.ws_row) : 24
    )
  }

  /// A failed write is reported when the process ends.
  func write(_ text: String) {
    write(Array(text.utf8)[...])
  }

  @discardableResult
  func write(_ bytes: ArraySlice<UInt8>) -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        Self.note(errno, at: descriptor)
        return false
      }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Characters that a terminal wouldn't print become "?".
  func writeLine(_ text: String) {
    write(text.printable + "\n")
  }

  /// Tells the user in a sentence what's wrong.
  func complain(_ sentence: String) { writeLine("retrograde: \(sentence)") }

  // MARK: - Failures

  private static let failure = Mutex<Int32?>(nil)

  /// We ignore EPIPE, because the reader of a pipe may exit early.
  private static func note(_ number: Int32, at descriptor: Int32) {
    guard descriptor == output.descriptor, number != EPIPE else { return }
    failure.withLock { $0 = $0 ?? number }
  }

  /// Checks at the end of the process that all output was written. The C library may buffer text
  /// until then, such as the output of `--help`.
  static func watchOutput() {
    atexit {
      if fflush(nil) != 0 { Console.note(errno, at: STDOUT_FILENO) }
      guard let number = Console.failure.withLock({ $0 }) else { return }
      let reason = String(cString: strerror(number))
      Console.error.complain(
        "standard output cannot be written to (\(reason)); redirect it somewhere else.")
      _exit(EXIT_FAILURE)
    }
  }
}
