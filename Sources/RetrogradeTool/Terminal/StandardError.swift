// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The standard error output, kept for our own sentences: sound libraries write there, too,
/// which would spoil the screen and bury what we say.
final class StandardError {
  private let saved: Int32

  /// Silences everybody else, unless GStreamer's debugging output is asked for.
  init() {
    saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard saved >= 0, getenv("GST_DEBUG") == nil else { return }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, STDERR_FILENO)
    close(nowhere)
  }

  /// Everybody may write again.
  deinit {
    guard saved >= 0 else { return }
    dup2(saved, STDERR_FILENO)
    close(saved)
  }

  func say(_ sentence: String) {
    let line = Array((sentence + "\n").utf8)
    _ = write(saved >= 0 ? saved : STDERR_FILENO, line, line.count)
  }
}
