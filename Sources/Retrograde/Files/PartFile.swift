// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// A file that has its name only when it is complete: until then it lies beside
/// it under a temporary one, and is removed with the last reference to this.
/// Where it replaces another, it gets that one's permissions; a link to it is followed.
final class PartFile: Sendable {
  /// Where to write.
  let temporary: URL
  private let target: URL
  private let replacesExisting: Bool
  /// Of the file that is replaced.
  private let permissions: mode_t?

  /// Throws where the target cannot be written or is there already.
  init(for target: URL, replacingExisting: Bool) throws(RetrogradeError) {
    let target = replacingExisting ? target.resolvingSymlinksInPath() : target
    self.target = target
    replacesExisting = replacingExisting
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    // a name has 255 bytes at most; a character that is cut in two becomes three
    let name = String(decoding: target.lastPathComponent.utf8.prefix(64), as: UTF8.self)
    temporary = target.deletingLastPathComponent()
      .appendingPathComponent(".\(name).part-\(getpid())-\(mark)")
    permissions = try Self.check(target, replacingExisting: replacingExisting)
    // what is to be private is so from the first byte on
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC
    let file = open(temporary.path, flags, permissions == nil ? 0o666 : 0o600)
    guard file >= 0 else { throw Self.unwritable(target, errno) }
    close(file)
    // ext4 writes to the disk at once what an emptied file has when it is closed, so an empty
    // one is left behind only where its permissions are needed
    if permissions == nil { unlink(temporary.path) }
  }

  /// Does nothing once the file has its name.
  deinit { unlink(temporary.path) }

  /// Gives the complete file its name, in one step.
  func keep() throws(RetrogradeError) {
    if replacesExisting {
      if let permissions { chmod(temporary.path, permissions) }
      guard rename(temporary.path, target.path) == 0 else { throw Self.unwritable(target, errno) }
      return
    }
    // unlike rename(), link() never replaces a file that has come meanwhile
    if link(temporary.path, target.path) == 0 { return }
    guard errno != EEXIST else { throw Self.exists(target) }
    // a file system without links
    try Self.check(target, replacingExisting: false)
    guard rename(temporary.path, target.path) == 0 else { throw Self.unwritable(target, errno) }
  }

  /// The permissions of a file that is to be replaced; nil where there is none.
  @discardableResult
  private static func check(
    _ target: URL, replacingExisting: Bool
  ) throws(RetrogradeError) -> mode_t? {
    var status = stat()
    guard lstat(target.path, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw RetrogradeError(
        .outputUnwritable, "\(target.path): this is a folder; name a file in it.")
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFLNK else {
      throw RetrogradeError(
        .outputUnwritable, "\(target.path): this is not an ordinary file; choose another name.")
    }
    if !replacingExisting { throw exists(target) }
    return status.st_mode & 0o777
  }

  private static func exists(_ target: URL) -> RetrogradeError {
    RetrogradeError(
      .outputExists,
      "\(target.path): it exists already; choose another name, or force it to be replaced.")
  }

  private static func unwritable(_ target: URL, _ number: Int32) -> RetrogradeError {
    let reason = String(cString: strerror(number))
    return RetrogradeError(
      .outputUnwritable,
      "\(target.path): it cannot be written (\(reason)); choose another name or folder.")
  }
}
