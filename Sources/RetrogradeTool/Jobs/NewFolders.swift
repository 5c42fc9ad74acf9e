// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// Creates the folders that new files need and that don't exist yet.
struct NewFolders {
  /// Parents come before the folders inside them.
  private var made: [TemporaryName] = []

  /// If we can't create one of them, we remove those that we've already created.
  init(for jobs: [Job]) throws(RetrogradeError) {
    for job in jobs where !job.isPiped {
      do throws(RetrogradeError) {
        try make(job.output.folder)
      } catch {
        removeEmpty()
        throw error
      }
    }
  }

  func removeEmpty() {
    for folder in made.reversed() { TemporaryNames.remove(folder) }
  }

  private mutating func make(_ folder: FilePath) throws(RetrogradeError) {
    if access(folder.cString, F_OK) == 0 || folder.folder == folder { return }
    try make(folder.folder)
    let name = TemporaryName(folder, isFolder: true)
    let isMade = TemporaryNames.change { names in
      let isMade = mkdir(folder.cString, 0o777) == 0
      if isMade { names.append(name) }
      return isMade
    }
    if isMade {
      made.append(name)
    } else if errno != EEXIST {
      throw RetrogradeError.unwritable(
        "\(folder): this folder cannot be created (\(String(cString: strerror(errno)))); "
          + "choose another.")
    }
  }
}
