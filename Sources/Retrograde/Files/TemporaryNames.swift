// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

/// Files that a program must remove before it ends, for example because it's about to be killed. The
/// library itself doesn't handle signals.
package enum TemporaryNames {
  private static let all = Mutex<[FilePath]>([])

  /// Calls `body`, which creates files and adds their paths to the list. ``removeAll(thenEnd:)``
  /// waits for `body`, so it doesn't miss any files.
  package static func change<Result>(
    _ body: (inout sending [FilePath]) throws(RetrogradeError) -> sending Result
  ) throws(RetrogradeError) -> sending Result {
    try all.withLock(body)
  }

  /// Removes a file and its path from the list.
  package static func remove(_ path: FilePath) {
    all.withLock { paths in
      unlink(path.cString)
      paths.removeAll { $0 == path }
    }
  }

  /// Removes all files, newest first, and calls `end`. Other threads wait in ``change(_:)`` until
  /// the process ends.
  package static func removeAll(thenEnd end: () -> Never) -> Never {
    all.withLock { paths in
      for path in paths.reversed() { unlink(path.cString) }
      end()
    }
  }

  /// Removes what a process has left behind in a folder if it ended before its new file was
  /// complete.
  package static func removeParts(of process: pid_t, in folder: FilePath) {
    for name in folder.names(that: { $0.description.contains(".part-\(process)-") }) ?? [] {
      unlink(folder.appending(name).cString)
    }
  }
}
