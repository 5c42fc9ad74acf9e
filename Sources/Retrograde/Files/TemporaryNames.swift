// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Synchronization

/// A file that we must remove before the process ends.
package struct TemporaryName: Hashable, Sendable {
  /// `name` is relative to this folder.
  var folder: Int32
  var name: FilePath

  /// `name` is a path, or relative to a folder that you keep open for as long as the name is
  /// registered.
  package init(_ name: FilePath, in folder: Int32 = AT_FDCWD) {
    (self.name, self.folder) = (name, folder)
  }

  package func remove() { unlinkat(folder, name.cString, 0) }
}

/// All temporary names of the process. A program that's about to be killed can remove them. The
/// library itself doesn't handle signals.
package enum TemporaryNames {
  private static let all = Mutex<[TemporaryName]>([])

  /// Calls `body`, which creates, renames or removes such files and updates the list.
  /// ``removeAll(thenEnd:)`` waits for `body`, so it doesn't miss any files.
  package static func change<Result: ~Copyable, Failure>(
    _ body: (inout sending [TemporaryName]) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try all.withLock(body)
  }

  /// Removes a name from the disk and from the list.
  package static func remove(_ name: TemporaryName) {
    change { names in
      name.remove()
      names.removeAll { $0 == name }
    }
  }

  /// Removes all files, newest first, and calls `end`. Other threads wait in ``change(_:)`` until
  /// the process ends.
  package static func removeAll(thenEnd end: () -> Never) -> Never {
    all.withLock { names in
      for name in names.reversed() { name.remove() }
      end()
    }
  }

  /// Removes what a process has left behind in a folder if it ended before its new file was
  /// complete.
  package static func removeParts(of process: pid_t, in folder: FilePath) {
    for name in folder.names(that: { $0.description.contains(".part-\(process)-") }) ?? [] {
      TemporaryName(folder.appending(name)).remove()
    }
  }
}
