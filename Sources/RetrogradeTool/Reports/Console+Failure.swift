// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

// Makes the process fail if standard output cannot be written, for example because the disk is
// full.

extension Console {
  /// The error number of the first failed write to standard output.
  private static let failure = Mutex<Int32?>(nil)

  /// Records a failed write to standard output. EPIPE is ignored, because the reader of a pipe may
  /// exit early.
  static func note(_ number: Int32, at descriptor: Int32) {
    guard descriptor == output.descriptor, number != EPIPE else { return }
    failure.withLock { $0 = $0 ?? number }
  }

  /// Makes the process check, when it ends, whether all output could be written. Until then, the C
  /// library may keep text in its buffer, for example the text of `--help`.
  static func watchOutput() {
    atexit {
      if fflush(nil) != 0 { Console.note(errno, at: STDOUT_FILENO) }
      guard let number = Console.failure.withLock({ $0 }) else { return }
      let reason = String(cString: strerror(number))
      Console.error.writeLine(
        "retrograde: standard output cannot be written to (\(reason)); redirect it somewhere else.")
      _exit(EXIT_FAILURE)
    }
  }
}
