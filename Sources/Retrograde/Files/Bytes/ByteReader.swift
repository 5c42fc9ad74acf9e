// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// The bytes of a file, or of an array. Parsers access them as a ``ByteRange``.
///
/// Only one thread may use it at a time.
final class ByteReader {
  private enum Storage {
    case file(Int32)
    case memory([UInt8])
  }

  /// How much we read at once if a parser reads byte by byte.
  static let blockBytes = 4096

  private let storage: Storage
  let count: Int
  /// How many bytes we've read so far, and in how many calls.
  private(set) var cost = (bytes: 0, calls: 0)
  private var block: (position: Int, bytes: [UInt8]) = (0, [])

  convenience init?(_ url: URL) {
    self.init(taking: open(FilePath(url).cString, O_RDONLY | O_CLOEXEC))
  }

  /// Reads a file that's already open, and doesn't close it.
  convenience init?(descriptor: Int32) {
    self.init(taking: fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
  }

  private init?(taking file: Int32) {
    let end = file < 0 ? -1 : lseek(file, 0, SEEK_END)
    storage = .file(file)
    count = max(end, 0)
    if end < 0 {
      if file >= 0 { close(file) }
      return nil
    }
  }

  init(_ bytes: [UInt8]) {
    storage = .memory(bytes)
    count = bytes.count
  }

  deinit { if case .file(let file) = storage { close(file) } }

  var all: ByteRange { ByteRange(of: self) }

  /// Nil if there's no such byte, e.g. because the file has become shorter.
  func byte(at position: Int) -> UInt8? {
    guard position >= 0, position < count else { return nil }
    if position < block.position || position - block.position >= block.bytes.count {
      let start = position - position % Self.blockBytes
      block = (start, read(start..<min(start + Self.blockBytes, count)))
    }
    let index = position - block.position
    return index < block.bytes.count ? block.bytes[index] : nil
  }

  func read(_ range: Range<Int>) -> [UInt8] {
    let bytes: [UInt8]
    switch storage {
    case .memory(let all): bytes = Array(all[range.clamped(to: all.indices)])
    case .file(let file):
      bytes = [UInt8](unsafeUninitializedCapacity: range.count) {
        $1 = max(pread(file, $0.baseAddress, $0.count, off_t(clamping: range.lowerBound)), 0)
      }
    }
    cost.bytes += bytes.count
    cost.calls += 1
    return bytes
  }
}
