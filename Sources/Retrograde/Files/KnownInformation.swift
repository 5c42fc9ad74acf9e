// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Synchronization

/// Cached information on a file, valid as long as the file is unchanged. Some of it is slow to get:
/// for a FLAC file, for example, the whole file is parsed.
final class KnownInformation: Sendable {
  private let last = Mutex<Known?>(nil)
  private let lastFindings = Mutex<(state: FileState?, findings: Findings)>((nil, Findings()))
  private let lastMusic = Mutex<(state: FileState?, isOpusMusic: Bool)?>(nil)

  /// The cached information, or nil if the file has changed or was never examined.
  func information(in state: FileState?) -> AudioInformation? {
    last.withLock { $0?.state == state ? $0?.information : nil }
  }

  /// The elements that decode the file, as a pipeline description, or nil if unknown.
  func chain(in state: FileState?) -> String? {
    last.withLock { $0?.state == state ? $0?.chain : nil }
  }

  /// The file into which the streams of a chained Ogg file were joined, or nil if there is none.
  func joined(in state: FileState?) -> PartFile? {
    last.withLock { $0?.state == state ? $0?.joined : nil }
  }

  /// What decoding the file has shown so far.
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

/// Faults of a file, or of GStreamer in reading it, that every pipeline must allow for.
struct Findings: Sendable {
  /// Whether a seek may lead to other audio than decoding from the start.
  var seeksMislead = false
  /// The channel mask to use, if that of the file does not fit its number of channels.
  var channelMask: String?
  /// The bytes of each stream of a chained Ogg, or empty for other files.
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

/// Identifies a version of a file: two files, or a file before and after a change, have different
/// states.
struct FileState: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let byteCount: off_t
  /// Time of the last change to its content or permissions, in s and ns.
  private let changed: [Int]

  /// nil if the file does not exist.
  init?(of url: URL) {
    guard let status = FilePath(url).status() else { return nil }
    (device, inode, byteCount) = (status.st_dev, status.st_ino, status.st_size)
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
