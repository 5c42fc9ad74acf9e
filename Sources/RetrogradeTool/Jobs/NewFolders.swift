// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

/// Creates the folders that new files need and that do not exist yet.
struct NewFolders {
  /// The folders that were created; a folder comes before the folders inside it.
  private var made: [TemporaryName] = []

  /// Creates the folders. If one cannot be created, those created before are removed again.
  init(for jobs: [Job]) throws(RetrogradeError) {
    for job in jobs where !job.isPiped {
      do throws(RetrogradeError) {
        try make(job.target.deletingLastPathComponent())
      } catch {
        removeEmpty()
        throw error
      }
    }
  }

  /// Removes the folders that have remained empty.
  func removeEmpty() {
    for folder in made.reversed() { TemporaryNames.remove(folder) }
  }

  private mutating func make(_ folder: URL) throws(RetrogradeError) {
    let path = folder.path
    if path.isEmpty || path == "/" || access(path, F_OK) == 0 { return }
    try make(folder.deletingLastPathComponent())
    let name = TemporaryName(path, isFolder: true)
    let isMade = TemporaryNames.change { names in
      let isMade = mkdir(path, 0o777) == 0
      if isMade { names.append(name) }
      return isMade
    }
    if isMade {
      made.append(name)
    } else if errno != EEXIST {
      throw RetrogradeError(
        .outputUnwritable,
        "\(path): this folder cannot be created (\(String(cString: strerror(errno)))); "
          + "choose another.")
    }
  }
}
