// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Divides a block of memory into arrays, each at the start of a cache line. Allocate twice in the
/// same order: first without a block, to learn its size in `bytes`, and then in the block. Between
/// the arrays there's a fence, so that AddressSanitizer sees an access beyond them.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// The array is uninitialized. Without a block, you mustn't access it.
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

  /// Not null, and never accessed.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }
}
