// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension UnsafeRawPointer {
  /// The address may have any alignment.
  @inline(__always)
  func read<Value: BitwiseCopyable>(_ type: Value.Type) -> Value {
    loadUnaligned(as: type)
  }
}

extension UnsafeMutableRawPointer {
  @inline(__always)
  func read<Value: BitwiseCopyable>(_ type: Value.Type) -> Value {
    loadUnaligned(as: type)
  }

  @inline(__always)
  func write<Value: BitwiseCopyable>(_ value: Value) {
    storeBytes(of: value, as: Value.self)
  }
}
