// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Allocated memory, which is freed when this value is destroyed.
///
/// Swift's own allocation traps if there is no memory; this type throws.
struct Storage: ~Copyable {
  let base: UnsafeMutableRawPointer

  /// Throws if memory cannot be allocated.
  init(bytes: Int) throws(TimeDSPStatus) {
    guard let base = timedsp_allocate(bytes) else { throw TIMEDSP_NO_MEMORY }
    self.base = base
  }

  deinit { timedsp_deallocate(base) }
}

/// Moves `value` to separately allocated memory, which `HeldByC.free(_:)` frees. Throws if memory
/// cannot be allocated.
func allocated<Value: ~Copyable>(
  _ value: consuming Value
) throws(TimeDSPStatus) -> UnsafeMutablePointer<Value> {
  guard let memory = timedsp_allocate(MemoryLayout<Value>.size) else { throw TIMEDSP_NO_MEMORY }
  let pointer = memory.bindMemory(to: Value.self, capacity: 1)
  pointer.initialize(to: value)
  return pointer
}

/// A type whose values C code holds as opaque pointers. `allocated(_:)` makes such a pointer.
protocol HeldByC: ~Copyable {}

extension HeldByC where Self: ~Copyable {
  /// The value to which an opaque pointer from C points. Throws if the pointer is NULL.
  static func value(
    of pointer: OpaquePointer?
  ) throws(TimeDSPStatus) -> UnsafeMutablePointer<Self> {
    guard let pointer else { throw TIMEDSP_NULL_POINTER }
    return UnsafeMutablePointer(pointer)
  }

  /// Destroys the value to which an opaque pointer from C points, and frees its memory. NULL is
  /// ignored.
  static func free(_ pointer: OpaquePointer?) {
    guard let pointer else { return }
    let memory = UnsafeMutablePointer<Self>(pointer)
    memory.deinitialize(count: 1)
    timedsp_deallocate(memory)
  }
}
