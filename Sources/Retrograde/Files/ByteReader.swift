// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// Reads small pieces of a file; what lies beyond its end is missing.
final class ByteReader {
  private let file: Int32
  /// Bytes in the file.
  let count: Int

  /// nil where it cannot be read.
  init?(_ url: URL) {
    file = open(url.path, O_RDONLY | O_CLOEXEC)
    count = file < 0 ? 0 : lseek(file, 0, SEEK_END)
    if file < 0 || count < 0 { return nil }
  }

  deinit { if file >= 0 { close(file) } }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < self.count else { return [] }
    return [UInt8](unsafeUninitializedCapacity: min(count, self.count - offset)) {
      $1 = max(pread(file, $0.baseAddress, $0.count, offset), 0)
    }
  }

  func text(at offset: Int, count: Int) -> String {
    String(decoding: bytes(at: offset, count: count), as: UTF8.self)
  }

  /// Where the ID3 tag at the beginning ends, whose length is four times seven bits; 0 where
  /// there is none.
  var endOfID3: Int {
    guard text(at: 0, count: 3) == "ID3" else { return 0 }
    return 10 + bytes(at: 6, count: 4).reduce(0) { $0 << 7 | Int(clamping: $1 & 0x7F) }
  }

  /// nil where the file is too short, or the number too large.
  func number(at offset: Int, count: Int, isBigEndian: Bool = true) -> Int? {
    let bytes = bytes(at: offset, count: count)
    guard bytes.count == count else { return nil }
    let value = (isBigEndian ? bytes : bytes.reversed()).reduce(UInt64(0)) {
      $0 << 8 | UInt64(clamping: $1)
    }
    return Int(exactly: value)
  }
}
