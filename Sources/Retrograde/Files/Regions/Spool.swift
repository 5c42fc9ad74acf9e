// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Bytes on their way through the disk: one thread writes all of them, another one reads them
/// once they are there. The file has no name, and goes with the last reference to this.
final class Spool: Sendable {
  private let descriptor: Int32
  private let place = Mutex(Int64(0))
  private let isWhole = Mutex(false)
  private let isDone = DispatchSemaphore(value: 0)

  /// In the folder of `file`; nil where nothing can be written there.
  init?(beside file: URL) {
    descriptor = cgst_nameless_file(file.deletingLastPathComponent().path)
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes all that `next` gives, up to where it gives nothing.
  func fill(from next: () -> [UInt8]) {
    var isGood = true
    while isGood, case let bytes = next(), !bytes.isEmpty {
      isGood = write(descriptor, bytes, bytes.count) == bytes.count
    }
    isWhole.withLock { $0 = isGood }
    isDone.signal()
  }

  /// Waits until everything is written. FALSE where it could not be, as on a full disk.
  func wait() -> Bool {
    isDone.wait()
    return isWhole.withLock { $0 }
  }

  /// The next `count` bytes; fewer at the end.
  func read(_ count: Int) -> [UInt8] {
    place.withLock { place in
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
        filled = max(pread(descriptor, room.baseAddress, count, off_t(clamping: place)), 0)
      }
      place += Int64(clamping: bytes.count)
      return bytes
    }
  }
}
