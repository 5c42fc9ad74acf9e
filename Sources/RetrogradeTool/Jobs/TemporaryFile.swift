// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

/// A file on its way from standard input, or to standard output. Sound that is read backwards
/// has to be there as a whole, and most types have a header that is written last: a pipe can
/// neither give the one nor take the other. It is removed with the last reference to this.
final class TemporaryFile: Sendable {
  let url: URL
  private let folder: URL

  /// Creates no file yet; `name` is its name in errors.
  init(name: String) {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("retrograde-\(UUID().uuidString)")
    url = folder.appendingPathComponent(name)
  }

  deinit {
    for name in names.reversed() { TemporaryNames.remove(name) }
  }

  private var names: [TemporaryName] {
    [TemporaryName(folder.path, isFolder: true), TemporaryName(url.path)]
  }

  /// Makes the folder, for the user alone, in which the file is to lie.
  func prepare() throws(RetrogradeError) {
    try TemporaryNames.change { names throws(RetrogradeError) in
      guard mkdir(folder.path, 0o700) == 0 else { throw unwritable(errno) }
      names += self.names
    }
  }

  /// Copies a pipe to its end.
  func fill(from descriptor: Int32) async throws(RetrogradeError) {
    guard isatty(descriptor) == 0 else {
      throw RetrogradeError(
        .inputUnreadable,
        "Standard input is a terminal; send sound into it: … | retrograde reverse -.")
    }
    try prepare()
    let file = open(url.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw unwritable(errno) }
    defer { close(file) }
    var block = [UInt8](repeating: 0, count: 1 << 20)
    while !Task.isCancelled {
      // a signal cancels the task, and must not wait for who writes
      var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
      guard poll(&waiting, 1, 100) > 0 else { continue }
      let count = read(descriptor, &block, block.count)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw RetrogradeError(
          .inputUnreadable, "Standard input cannot be read (\(String(cString: strerror(errno)))).")
      }
      guard Console(descriptor: file).write(block[..<count]) else { throw unwritable(errno) }
    }
  }

  /// A failed write is reported at the end of the process; a reader that has gone is no error.
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

  private func unwritable(_ number: Int32) -> RetrogradeError {
    RetrogradeError(
      .outputUnwritable,
      "\(url.path): it cannot be written (\(String(cString: strerror(number)))); make room, or "
        + "name another folder for temporary files in TMPDIR.")
  }
}
