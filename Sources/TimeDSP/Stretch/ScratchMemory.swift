// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Divides a block of memory into parts. Each part begins at a cache line. The same allocations are
/// made twice: first without a block, to determine the size of the block, and then to get addresses
/// in the block.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  /// Number of bytes allocated.
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// Allocates memory for `count` values. The memory is not initialized. Without a block, the
  /// result is an address that must not be used.
  mutating func allocate<Value: BitwiseCopyable>(
    _ type: Value.Type, _ count: Int
  ) -> UnsafeMutablePointer<Value> {
    let size = (count &* MemoryLayout<Value>.stride &+ 63) & ~63
    let address = base.map { $0 + bytes } ?? Self.nowhere
    bytes &+= size
    return address.bindMemory(to: type, capacity: count)
  }

  /// An address that is not nil.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }
}
