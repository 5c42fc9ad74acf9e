// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// A file on its way to standard output. Most types have a header that is written last, which a
/// pipe cannot take: it gets the file when it is complete.
final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("retrograde-\(UUID().uuidString)")

  deinit { unlink(url.path) }

  /// What cannot be written is told at the end of the process; a reader that has gone is not.
  func copy(to console: Console) {
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    var block = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(file, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0, console.write(block[..<count]) else { return }
    }
  }
}
