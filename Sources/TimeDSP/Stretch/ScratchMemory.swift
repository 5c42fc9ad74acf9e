// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Divides a block of memory into arrays, each of which begins at a cache line. A caller makes the
/// same allocations twice: first without a block, to find out its size in `bytes`, and then in the
/// block. Between the arrays there is a fence, so that AddressSanitizer sees an access beyond them.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  /// Number of bytes allocated so far.
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// Allocates an uninitialized array of `count` values. Without a block, the result is an address
  /// that must not be accessed.
  mutating func allocate<Value: BitwiseCopyable>(
    _ type: Value.Type, _ count: Int
  ) -> UnsafeMutablePointer<Value> {
    let used = count &* MemoryLayout<Value>.stride
    let size = ((used &+ 63) & ~63) &+ 64
    let address = base.map { $0 + bytes } ?? Self.nowhere
    if base != nil { timedsp_fence(address + used, size &- used) }
    bytes &+= size
    return address.bindMemory(to: type, capacity: count)
  }

  /// A non-null address that is never accessed.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }
}
