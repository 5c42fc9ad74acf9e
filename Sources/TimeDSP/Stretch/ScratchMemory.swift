// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Allocates pieces of one block of memory, each on a line of the cache; without a block it only
/// counts. The same layout is run twice: first for its size, then for its addresses.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  /// Bytes handed out.
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// Room for `count` values, or a place that must not be touched while counting.
  /// It is not initialised.
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
