// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Synchronization

/// Cached information about a file, valid until the file changes. Some of it is slow to get, such
/// as for FLAC, where we parse the whole file.
final class KnownInformation: Sendable {
  private let last = Mutex<Known?>(nil)
  private let lastFindings = Mutex<(state: FileState?, findings: Findings)>((nil, Findings()))
  private let lastMusic = Mutex<(state: FileState?, isOpusMusic: Bool)?>(nil)

  func information(in state: FileState?) -> AudioInformation? {
    last.withLock { $0?.state == state ? $0?.information : nil }
  }

  func chain(in state: FileState?) -> String? {
    last.withLock { $0?.state == state ? $0?.chain : nil }
  }

  /// The file that holds the joined streams of a chained Ogg.
  func joined(in state: FileState?) -> PartFile? {
    last.withLock { $0?.state == state ? $0?.joined : nil }
  }

  func findings(in state: FileState?) -> Findings {
    lastFindings.withLock { state != nil && $0.state == state ? $0.findings : Findings() }
  }

  func note(in state: FileState?, _ change: (inout Findings) -> Void) {
    lastFindings.withLock { last in
      if last.state != state { last = (state, Findings()) }
      change(&last.findings)
    }
  }

  func remember(
    _ information: AudioInformation, chain: String?, joined: PartFile? = nil, in state: FileState?
  ) {
    last.withLock { $0 = state.map { Known($0, information, chain, joined) } }
  }

  /// Caches the result of `find`, which reads the whole file. If `find` is cancelled it returns
  /// nil, and nothing is cached.
  func isOpusMusic(in state: FileState?, _ find: () -> Bool?) -> Bool {
    lastMusic.withLock { last in
      if let last, last.state == state { return last.isOpusMusic }
      guard let found = find() else { return false }
      last = (state, found)
      return found
    }
  }
}

/// Faults in the file, or in how GStreamer reads it, that every pipeline has to allow for.
struct Findings: Sendable {
  /// Seeking may give different audio from decoding from the start.
  var seeksMislead = false
  /// The mask to use if the file's own doesn't fit its number of channels.
  var channelMask: String?
  /// The bytes of each stream in a chained Ogg. Empty for other files.
  var links: [Range<Int>] = []
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
