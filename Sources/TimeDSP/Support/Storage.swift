// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Memory from `malloc`, freed with its owner.
///
/// Swift's own allocation ends the process if there is no memory; this one can report it.
struct Storage: ~Copyable {
  let base: UnsafeMutableRawPointer

  /// Throws if there is no memory.
  init(bytes: Int) throws(TimeDSPStatus) {
    guard let base = timedsp_allocate(bytes) else { throw TIMEDSP_NO_MEMORY }
    self.base = base
  }

  deinit { timedsp_deallocate(base) }
}

/// Moves `value` to separate memory, which `free(_:)` of `HeldByC` frees; throws if there is none.
func placed<Value: ~Copyable>(
  _ value: consuming Value
) throws(TimeDSPStatus) -> UnsafeMutablePointer<Value> {
  guard let memory = timedsp_allocate(MemoryLayout<Value>.size) else { throw TIMEDSP_NO_MEMORY }
  let place = memory.bindMemory(to: Value.self, capacity: 1)
  place.initialize(to: value)
  return place
}

/// A value that C holds a pointer to, made by `placed(_:)`.
protocol HeldByC: ~Copyable {}

extension HeldByC where Self: ~Copyable {
  /// The value of a C pointer; throws if that is NULL.
  static func value(
    of pointer: OpaquePointer?
  ) throws(TimeDSPStatus) -> UnsafeMutablePointer<Self> {
    guard let pointer else { throw TIMEDSP_NULL_POINTER }
    return UnsafeMutablePointer(pointer)
  }

  /// Frees the value of a pointer; NULL is ignored.
  static func free(_ pointer: OpaquePointer?) {
    guard let pointer else { return }
    let place = UnsafeMutablePointer<Self>(pointer)
    place.deinitialize(count: 1)
    timedsp_deallocate(place)
  }
}
