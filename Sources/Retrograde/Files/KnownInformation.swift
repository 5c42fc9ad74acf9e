// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Synchronization

/// Cached facts about a file, valid until the file changes. Some are slow to get, such as the length
/// of a FLAC, where we parse the whole file.
final class KnownInformation: Sendable {
  private let url: URL
  private let last = Mutex<(state: FileState?, facts: Facts)>((nil, Facts()))

  init(_ url: URL) { self.url = url }

  /// Reads or changes the facts about the file as it is now.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout Facts) -> Result) -> Result {
    let state = FileState(of: url)
    return last.withLock { last in
      if state == nil || last.state != state { last = (state, Facts()) }
      return body(&last.facts)
    }
  }
}

struct Facts: Sendable {
  var information: AudioInformation?
  /// The WAV that we've decoded the file to (``AudioFile/opened(_:)``).
  var joined: PartFile?
  var isOpusMusic: Bool?

  /// The mask to use if the file's own doesn't fit its number of channels.
  var channelMask: String?
  /// The bytes of each stream in a chained Ogg. Empty for other files.
  var links: [Range<Int>] = []
}

/// Identifies a version of a file. The state is different for every file, and changes whenever the
/// file does.
struct FileState: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let byteCount: off_t
  /// When its content or permissions last changed, in s and ns.
  private let changed: [Int]

  init?(of url: URL) {
    guard let status = FilePath(url).status() else { return nil }
    (device, inode, byteCount) = (status.st_dev, status.st_ino, status.st_size)
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
