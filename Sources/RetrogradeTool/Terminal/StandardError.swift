// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

/// Reserves standard error for our messages. Libraries such as sound drivers also write to it, and
/// they'd mess up the screen and hide our messages. Only one instance may exist at a time.
final class StandardError {
  private let saved: Int32
  private static let current = Mutex<Int32>(STDERR_FILENO)

  static var descriptor: Int32 { current.withLock { $0 } }

  /// Unless you ask for GStreamer's debug output, we discard what libraries write to standard
  /// error.
  init() {
    saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard saved >= 0, getenv("GST_DEBUG") == nil else { return }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, STDERR_FILENO)
    close(nowhere)
    Self.current.withLock { $0 = saved }
  }

  deinit {
    guard saved >= 0 else { return }
    Self.current.withLock { $0 = STDERR_FILENO }
    dup2(saved, STDERR_FILENO)
    close(saved)
  }

  func say(_ sentence: String) {
    Console.error.writeLine("retrograde: \(sentence)")
  }
}
