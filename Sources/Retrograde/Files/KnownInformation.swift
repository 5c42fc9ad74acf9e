// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Synchronization

/// Information on a file, kept as long as the file is unchanged: to verify the end of a FLAC file,
/// all of it is parsed, and once is enough.
final class KnownInformation: Sendable {
  private let last = Mutex<Known?>(nil)
  private let lastMusic = Mutex<(state: FileState?, isOpusMusic: Bool)?>(nil)

  /// nil if the file has changed, or was never read.
  func information(in state: FileState?) -> AudioInformation? {
    last.withLock { $0?.state == state ? $0?.information : nil }
  }

  /// The elements that decode the file, as text for a pipeline; nil if they are not known.
  func chain(in state: FileState?) -> String? {
    last.withLock { $0?.state == state ? $0?.chain : nil }
  }

  /// The file that its links were joined into, if it is a chained Ogg file; nil before that.
  func joined(in state: FileState?) -> PartFile? {
    last.withLock { $0?.state == state ? $0?.joined : nil }
  }

  func remember(
    _ information: AudioInformation, chain: String?, joined: PartFile? = nil, in state: FileState?
  ) {
    last.withLock { $0 = state.map { Known($0, information, chain, joined) } }
  }

  /// The result of `find`, which reads the whole file; nil, which is not remembered, if it was
  /// cancelled.
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

/// Values that differ between two files, and between a file and its changed version.
struct FileState: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let byteCount: off_t
  /// Time of the last change of its content or its permissions, in s and ns.
  private let changed: [Int]

  /// nil if there is no such file.
  init?(of url: URL) {
    var status = stat()
    guard stat(url.path, &status) == 0 else { return nil }
    (device, inode, byteCount) = (status.st_dev, status.st_ino, status.st_size)
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
