// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Synchronization

/// Cached information on a file, valid as long as the file is unchanged: the end of a FLAC file,
/// for example, is verified only once, because the whole file is parsed for it.
final class KnownInformation: Sendable {
  private let last = Mutex<Known?>(nil)
  private let lastMusic = Mutex<(state: FileState?, isOpusMusic: Bool)?>(nil)

  /// The cached information; nil if the file has changed or was never examined.
  func information(in state: FileState?) -> AudioInformation? {
    last.withLock { $0?.state == state ? $0?.information : nil }
  }

  /// The elements that decode the file, as a pipeline description; nil if unknown.
  func chain(in state: FileState?) -> String? {
    last.withLock { $0?.state == state ? $0?.chain : nil }
  }

  /// For a chained Ogg file, the file into which its streams were joined; nil if they have not
  /// been.
  func joined(in state: FileState?) -> PartFile? {
    last.withLock { $0?.state == state ? $0?.joined : nil }
  }

  func remember(
    _ information: AudioInformation, chain: String?, joined: PartFile? = nil, in state: FileState?
  ) {
    last.withLock { $0 = state.map { Known($0, information, chain, joined) } }
  }

  /// The cached result of `find`, which reads the whole file. If `find` was cancelled and returned
  /// nil, nothing is cached.
  func isOpusMusic(in state: FileState?, _ find: () -> Bool?) -> Bool {
    lastMusic.withLock { last in
      if let last, last.state == state { return last.isOpusMusic }
      guard let found = find() else { return false }
      last = (state, found)
      return found
    }
  }
}

private struct Known {
  let state: FileState
  let information: AudioInformation
  let chain: String?
  let joined: PartFile?

  init(
    _ state: FileState, _ information: AudioInformation, _ chain: String?, _ joined: PartFile?
  ) {
    (self.state, self.information, self.chain, self.joined) = (state, information, chain, joined)
  }
}

/// Values by which two files, or two versions of a file, can be distinguished.
struct FileState: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let byteCount: off_t
  /// Time of the last change to its content or permissions, in s and ns.
  private let changed: [Int]

  /// nil if the file does not exist.
  init?(of url: URL) {
    var status = stat()
    guard stat(url.path, &status) == 0 else { return nil }
    (device, inode, byteCount) = (status.st_dev, status.st_ino, status.st_size)
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
