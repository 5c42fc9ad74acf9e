// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Divides a block of memory into parts, each at the start of a cache line; without a block, the
/// sizes are only added up. The same allocations are made twice: first to determine the size of the
/// block, then to get addresses in it.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  /// Number of bytes allocated.
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// Allocates `count` values; while counting, the result is an address that must not be used. The
  /// memory is not initialized.
  mutating func allocate<Value: BitwiseCopyable>(
    _ type: Value.Type, _ count: Int
  ) -> UnsafeMutablePointer<Value> {
    let size = (count &* MemoryLayout<Value>.stride &+ 63) & ~63
    let place = base.map { $0 + bytes } ?? Self.nowhere
    bytes &+= size
    return place.bindMemory(to: type, capacity: count)
  }

  /// An address that is not nil.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }
}
