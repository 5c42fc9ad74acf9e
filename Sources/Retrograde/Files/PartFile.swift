// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

/// A new file that only gets its name once it's complete. Until then it has no name, or a temporary
/// one in the same folder if the file system doesn't support that. If it's still incomplete when
/// the last reference to this object goes away, we remove it. If it replaces another file, it takes
/// on that file's owner and permissions. Symbolic links are followed.
///
/// We open the file only once, and write all data through its descriptor. If we reopened it by
/// name, another user with write access to the folder could have put a link there by then.
final class PartFile: Sendable {
  /// For reading and writing. Closed along with the last reference to this object.
  let descriptor: Int32
  /// Where you can read the file before it has its final name.
  let readable: URL
  private let target: Target
  private let replacesExisting: Bool
  private let temporary: TemporaryName?

  /// Throws if we can't write the target, or if it exists and we mustn't replace it.
  init(for target: URL, replacingExisting: Bool) throws(RetrogradeError) {
    let target = try Target(FilePath(target), replacingExisting: replacingExisting)
    (self.target, replacesExisting) = (target, replacingExisting)
    (descriptor, temporary) = try TemporaryNames.change { names throws(RetrogradeError) in
      try Self.open(for: target, &names)
    }
    readable = FilePath(linkTo(descriptor)).url
  }

  deinit {
    if let temporary { TemporaryNames.remove(temporary) }
    close(descriptor)
  }

  var sink: String { "fdsink name=\(Self.sinkName) fd=\(descriptor)" }
  private static let sinkName = "newfile"

  /// The error to throw if the element ``sink`` has failed. Nil if it was another element.
  func error(_ failure: PipelineFailure) -> RetrogradeError? {
    guard failure.source == Self.sinkName else { return nil }
    let isFull = failure.isA(gst_resource_error_quark(), GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue)
    return isFull ? target.full : target.unwritable(failure.text)
  }

  func empty() throws(RetrogradeError) {
    var status = stat()
    // Don't truncate an empty file, because ext4 writes truncated files to disk when they're
    // closed, which takes time
    guard fstat(descriptor, &status) != 0 || status.st_size > 0 else { return }
    guard ftruncate(descriptor, 0) == 0 else { throw target.unwritable(errno) }
  }

  /// Gives the complete file its name, atomically.
  func keep() throws(RetrogradeError) {
    try TemporaryNames.change { _ throws(RetrogradeError) in
      if let replaced = target.replaced { adopt(replaced) }
      if replacesExisting { try replace() } else { try link() }
      guard isHere(target.name) else { throw target.exchanged }
    }
  }

  /// Copies the owner, group and permissions of the replaced file, or at least the group if we may
  /// not change the owner.
  private func adopt(_ replaced: Target.Replaced) {
    if fchown(descriptor, replaced.owner, replaced.group) != 0 {
      _ = fchown(descriptor, .max, replaced.group)
    }
    _ = fchmod(descriptor, replaced.permissions)
  }

  /// Makes a new link to this file and renames that to the target, because the temporary name may
  /// refer to a different file by now. On a file system without links, we have to rename the temporary name.
  private func replace() throws(RetrogradeError) {
    let new = target.temporaryName
    if link(to: new.name) {
      defer { new.remove() }
      try rename(new)
    } else {
      guard let temporary else { throw target.unwritable(errno) }
      guard isHere(temporary.name) else { throw target.exchanged }
      try rename(temporary)
    }
  }

  private func rename(_ source: TemporaryName) throws(RetrogradeError) {
    let folder = target.folder.descriptor
    guard renameat(folder, source.name.cString, folder, target.name.cString) == 0 else {
      throw target.unwritable(errno)
    }
  }

  /// Gives the file its name by linking. Unlike renaming, this never replaces a file that somebody
  /// has created in the meantime.
  private func link() throws(RetrogradeError) {
    if link(to: target.name) { return }
    guard errno != EEXIST else { throw target.exists }
    guard let temporary else { throw target.unwritable(errno) }
    guard isHere(temporary.name) else { throw target.exchanged }
    // a file system without links
    guard !target.isThere else { throw target.exists }
    try rename(temporary)
  }

  /// Gives this file an additional name. Returns false on failure, with errno set. We link from the
  /// descriptor through /proc, because the temporary name may refer to another file by now.
  private func link(to name: FilePath) -> Bool {
    linkat(
      AT_FDCWD, linkTo(descriptor), target.folder.descriptor, name.cString, AT_SYMLINK_FOLLOW) == 0
  }

  private func isHere(_ name: FilePath) -> Bool {
    var (here, written) = (stat(), stat())
    return fstatat(target.folder.descriptor, name.cString, &here, AT_SYMLINK_NOFOLLOW) == 0
      && fstat(descriptor, &written) == 0
      && here.st_dev == written.st_dev && here.st_ino == written.st_ino
  }
}

// MARK: - Opening

/// A path to a file that we have open.
private func linkTo(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

extension PartFile {
  /// Opens an unnamed file if the file system supports that. Otherwise, the file gets a temporary
  /// name.
  private static func open(
    for target: Target, _ names: inout [TemporaryName]
  ) throws(RetrogradeError) -> (Int32, TemporaryName?) {
    // the replaced file may be private, so the new one must be private from its first byte
    let mode: mode_t = target.replaced == nil ? 0o666 : 0o600
    let unnamed = cgst_open_unnamed(target.folder.descriptor, mode)
    if unnamed >= 0 { return (unnamed, nil) }
    let temporary = target.temporaryName
    let flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC
    let named = openat(target.folder.descriptor, temporary.name.cString, flags, mode)
    guard named >= 0 else { throw target.unwritable(errno) }
    names.append(temporary)
    return (named, temporary)
  }
}

private final class Folder: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// The name for the new file, and its folder. We keep the folder open in case somebody renames it.
private struct Target: Sendable {
  struct Replaced: Sendable {
    var owner: uid_t
    var group: gid_t
    var permissions: mode_t
  }

  private let place: FilePath
  let folder: Folder
  let name: FilePath
  private(set) var replaced: Replaced?

  /// Throws if we can't write the file, or if it exists and we mustn't replace it.
  init(_ path: FilePath, replacingExisting: Bool) throws(RetrogradeError) {
    place = replacingExisting ? try Self.followed(path) : path
    name = place.name
    let descriptor = cgst_open_folder(place.folder.cString)
    guard descriptor >= 0 else { throw Self.unwritable(place, errno) }
    folder = Folder(descriptor)
    guard let status else { return }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR {
      throw RetrogradeError.unwritable("\(place): this is a folder; name a file in it.")
    }
    guard kind == S_IFREG || kind == S_IFLNK else {
      throw RetrogradeError.unwritable(
        "\(place): this is not an ordinary file; choose another name.")
    }
    if !replacingExisting { throw exists }
    // a dangling link's permissions don't mean anything
    guard kind == S_IFREG else { return }
    replaced = Replaced(
      owner: status.st_uid, group: status.st_gid, permissions: status.st_mode & 0o777)
  }

  private var status: stat? {
    var status = stat()
    return fstatat(folder.descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0
      ? status : nil
  }

  var isThere: Bool { status != nil }

  /// Contains only the first 64 bytes of the name, because file names are limited to 255 bytes.
  var temporaryName: TemporaryName {
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    let start = FilePath(bytes: name.bytes.prefix(64))
    return TemporaryName("." + start + ".part-\(getpid())-\(mark)", in: folder.descriptor)
  }

  /// The file that a link leads to. In a world-writable folder, anyone could have created the link,
  /// so we only follow it if it belongs to this user or to the owner of the folder, as Linux does
  /// if the folder is sticky.
  private static func followed(_ path: FilePath) throws(RetrogradeError) -> FilePath {
    guard let link = path.status(followsLinks: false), link.st_mode & S_IFMT == S_IFLNK,
      let folder = path.folder.status()
    else { return path }
    guard folder.st_mode & S_IWOTH == 0 || [geteuid(), folder.st_uid].contains(link.st_uid) else {
      throw RetrogradeError.unwritable(
        "\(path): this is another user's link in a folder that everyone may write to; "
          + "choose another name.")
    }
    return path.resolved
  }
}

// MARK: - Sentences

extension Target {
  var exists: RetrogradeError {
    RetrogradeError(
      .outputExists,
      "\(place): it already exists; choose another name, or allow it to be replaced.")
  }

  var exchanged: RetrogradeError {
    RetrogradeError.unwritable(
      "\(place): another program has put its own file in place of the new one; choose a folder that only you can write to."
    )
  }

  var full: RetrogradeError {
    RetrogradeError.unwritable("\(place): the disk is full; make room and try again.")
  }

  func unwritable(_ reason: String) -> RetrogradeError { Self.unwritable(place, reason) }

  func unwritable(_ number: Int32) -> RetrogradeError { Self.unwritable(place, number) }

  private static func unwritable(_ place: FilePath, _ number: Int32) -> RetrogradeError {
    if OpenFiles.isLimit(number) {
      return RetrogradeError.unwritable("\(place): \(OpenFiles.advice)")
    }
    return unwritable(place, String(cString: strerror(number)))
  }

  private static func unwritable(_ place: FilePath, _ reason: String) -> RetrogradeError {
    RetrogradeError.unwritable(
      "\(place): it cannot be written (\(reason)); choose another name or folder.")
  }
}
