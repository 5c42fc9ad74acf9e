// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

/// A new file that only gets its name once it's complete. Until then it has no name, or a temporary
/// one in the same folder if the file system doesn't support that. If it's still incomplete when
/// the last reference to this object goes away, we remove it. If it replaces another file, it takes
/// on that file's owner and permissions. A symbolic link is replaced itself.
///
/// We open the file only once, and write all data through its descriptor. If we reopened it by
/// name, another user with write access to the folder could have put a link there by then.
final class PartFile: Sendable {
  /// For reading and writing. Closed along with the last reference to this object.
  let descriptor: Int32
  /// Where you can read the file before it has its final name.
  let readable: URL
  private let target: FilePath
  private let replacesExisting: Bool
  private let replaced: stat?
  private let temporary: FilePath?

  /// Throws if we can't write the target, or if it exists and we mustn't replace it.
  init(for url: URL, replacingExisting: Bool) throws(RetrogradeError) {
    let target = FilePath(url)
    (self.target, replacesExisting) = (target, replacingExisting)
    let link = target.status(followsLinks: false)
    let status = target.status() ?? link
    let kind = (status?.st_mode ?? S_IFREG) & S_IFMT
    guard kind != S_IFDIR else {
      throw .unwritable("\(target): this is a folder; name a file in it.")
    }
    guard kind == S_IFREG || kind == S_IFLNK else {
      throw .unwritable("\(target): this is not an ordinary file; choose another name.")
    }
    guard replacingExisting || link == nil else { throw Self.exists(target) }
    // a dangling link's permissions don't mean anything
    replaced = kind == S_IFREG ? status : nil
    // the replaced file may be private, so the new one must be private from its first byte
    let mode: mode_t = replaced == nil ? 0o666 : 0o600
    var file = cgst_open_unnamed(target.folder.cString, mode)
    temporary = file < 0 ? target.temporary : nil
    if let temporary {
      file = open(temporary.cString, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode)
    }
    descriptor = file
    readable = FilePath(Self.link(to: file)).url
    guard file >= 0 else { throw unwritable(errno) }
  }

  deinit {
    if let temporary { unlink(temporary.cString) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// A path to a file that we have open.
  private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  var sink: String { "fdsink name=\(Self.sinkName) fd=\(descriptor)" }
  private static let sinkName = "newfile"

  /// The error to throw if the element ``sink`` has failed. Nil if it was another element.
  func error(_ failure: PipelineFailure) -> RetrogradeError? {
    guard failure.source == Self.sinkName else { return nil }
    let isFull = failure.isA(gst_resource_error_quark(), GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue)
    return isFull
      ? .unwritable("\(target): the disk is full; make room and try again.")
      : unwritable(failure.text)
  }

  func empty() throws(RetrogradeError) {
    var status = stat()
    // Don't truncate an empty file, because ext4 writes truncated files to disk when they're
    // closed, which takes time
    guard fstat(descriptor, &status) != 0 || status.st_size > 0 else { return }
    guard ftruncate(descriptor, 0) == 0 else { throw unwritable(errno) }
  }

  /// Gives the complete file its name, atomically.
  func keep() throws(RetrogradeError) {
    if let replaced {
      // or at least the group, if we may not change the owner
      if fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0 {
        _ = fchown(descriptor, .max, replaced.st_gid)
      }
      _ = fchmod(descriptor, replaced.st_mode & 0o777)
    }
    // Unlike renaming, linking never replaces a file that somebody has created in the meantime. We
    // link from the descriptor through /proc, because the temporary name may refer to another file
    // by now.
    let name = replacesExisting ? target.temporary : target
    if linkat(AT_FDCWD, Self.link(to: descriptor), AT_FDCWD, name.cString, AT_SYMLINK_FOLLOW) == 0 {
      if replacesExisting { try rename(name) }
      return
    }
    guard errno != EEXIST else { throw Self.exists(target) }
    // a file system without links
    guard let temporary else { throw unwritable(errno) }
    guard replacesExisting || target.status(followsLinks: false) == nil else {
      throw Self.exists(target)
    }
    try rename(temporary)
  }

  private func rename(_ source: FilePath) throws(RetrogradeError) {
    guard Glibc.rename(source.cString, target.cString) != 0 else { return }
    let failure = unwritable(errno)
    unlink(source.cString)
    throw failure
  }
}

extension FilePath {
  /// A new hidden name in the same folder. Contains only the first 64 bytes of this name, because
  /// file names are limited to 255 bytes.
  fileprivate var temporary: FilePath {
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    let start = FilePath(bytes: name.bytes.prefix(64))
    return folder.appending("." + start + ".part-\(getpid())-\(mark)")
  }
}

// MARK: - Sentences

extension PartFile {
  private static func exists(_ target: FilePath) -> RetrogradeError {
    RetrogradeError(
      .outputExists,
      "\(target): it already exists; choose another name, or allow it to be replaced.")
  }

  private func unwritable(_ number: Int32) -> RetrogradeError {
    OpenFiles.isLimit(number)
      ? .unwritable("\(target): \(OpenFiles.advice)")
      : unwritable(String(cString: strerror(number)))
  }

  private func unwritable(_ reason: String) -> RetrogradeError {
    .unwritable("\(target): it cannot be written (\(reason)); choose another name or folder.")
  }
}
