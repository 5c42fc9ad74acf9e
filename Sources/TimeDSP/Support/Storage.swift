// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Moves `value` to its own memory, which you free with `HeldByC.free(_:)`. Throws if we run out of
/// memory.
func allocated<Value: ~Copyable>(
  _ value: consuming Value
) throws(TimeDSPStatus) -> UnsafeMutablePointer<Value> {
  guard let memory = timedsp_allocate(MemoryLayout<Value>.size) else { throw TIMEDSP_NO_MEMORY }
  let pointer = memory.bindMemory(to: Value.self, capacity: 1)
  pointer.initialize(to: value)
  return pointer
}

/// C code holds these values as opaque pointers, made by `allocated(_:)`.
protocol HeldByC: ~Copyable {}

extension HeldByC where Self: ~Copyable {
  static func value(
    of pointer: OpaquePointer?
  ) throws(TimeDSPStatus) -> UnsafeMutablePointer<Self> {
    guard let pointer else { throw TIMEDSP_NULL_POINTER }
    return UnsafeMutablePointer(pointer)
  }

  static func free(_ pointer: OpaquePointer?) {
    guard let pointer else { return }
    UnsafeMutablePointer<Self>(pointer).free()
  }
}

extension UnsafeMutablePointer where Pointee: ~Copyable {
  func free() {
    deinitialize(count: 1)
    timedsp_deallocate(self)
  }
}
