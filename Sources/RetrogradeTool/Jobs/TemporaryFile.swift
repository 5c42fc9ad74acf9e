// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// A temporary copy of standard input, or of the data for standard output. We can't use pipes
/// directly, because reversing needs the whole input first and most file types have their headers
/// written last. The file is removed with the last reference to this object.
final class TemporaryFile: Sendable {
  let path = FilePath.newTemporary()

  deinit { TemporaryNames.remove(path) }

  /// Creates an empty file that only this user can access, and returns its descriptor.
  private func create() throws(RetrogradeError) -> Int32 {
    try TemporaryNames.change { names throws(RetrogradeError) in
      let file = open(path.cString, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw unwritable(errno) }
      names.append(path)
      return file
    }
  }

  /// Creates the file, so that another one can replace it.
  func prepare() throws(RetrogradeError) { close(try create()) }

  func fill(from descriptor: Int32) async throws(RetrogradeError) {
    guard isatty(descriptor) == 0 else {
      throw RetrogradeError.unreadable(
        "Standard input is a terminal; pipe the sound in: … | retrograde reverse -.")
    }
    guard path.status() == nil else {
      throw RetrogradeError.invalid("Standard input can be read only once; name - once.")
    }
    let file = try create()
    defer { close(file) }
    var block = [UInt8](repeating: 0, count: 1 << 20)
    while !Task.isCancelled {
      // wait 100 ms at most, because a signal may cancel the task while nothing comes from the pipe
      var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
      guard poll(&waiting, 1, 100) > 0 else { continue }
      let count = read(descriptor, &block, block.count)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw RetrogradeError.unreadable(
          "Standard input cannot be read (\(String(cString: strerror(errno)))).")
      }
      guard Console(descriptor: file).write(block[..<count]) else { throw unwritable(errno) }
    }
  }

  /// A failed write is reported when the process ends. It isn't an error if the reader has exited.
  func copy(to console: Console) {
    let file = open(path.cString, O_RDONLY | O_CLOEXEC)
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
    RetrogradeError.unwritable(
      "\(path): it cannot be written (\(String(cString: strerror(number)))); make room, or "
        + "set TMPDIR to another folder for temporary files.")
  }
}
