// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

// A result that was not written, on a full disk for one, is no success.

extension Console {
  /// The first error of writing to standard output.
  private static let failure = Mutex<Int32?>(nil)

  /// A reader that has gone does not matter.
  static func note(_ number: Int32, at descriptor: Int32) {
    guard descriptor == output.descriptor, number != EPIPE else { return }
    failure.withLock { $0 = $0 ?? number }
  }

  /// Checks standard output when the process ends, because the help is written by the C library.
  static func watchOutput() {
    atexit {
      if fflush(nil) != 0 { Console.note(errno, at: STDOUT_FILENO) }
      guard let number = Console.failure.withLock({ $0 }) else { return }
      let reason = String(cString: strerror(number))
      Console.error.writeLine(
        "retrograde: standard output cannot be written (\(reason)); send it somewhere else.")
      _exit(EXIT_FAILURE)
    }
  }
}
