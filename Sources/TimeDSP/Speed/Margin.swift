// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Memory for the frames around positions near the ends of a source: some of the source's frames,
/// and silence before or after them.
struct Margin: ~Copyable {
  /// Capacity in frames.
  let capacity: Int
  private let shape: AudioShape
  private let storage: Storage
  /// Addresses of the planes. Both the addresses and the planes are in `storage`.
  let planes: UnsafePointer<UnsafeRawPointer?>

  /// Throws if memory cannot be allocated.
  init(_ shape: AudioShape, capacity: Int) throws(TimeDSPStatus) {
    self.shape = shape
    self.capacity = capacity
    let pointerBytes = shape.planes &* MemoryLayout<UnsafeRawPointer?>.stride
    let planeBytes = capacity &* shape.frameBytes
    storage = try Storage(bytes: pointerBytes &+ shape.planes &* planeBytes)
    let list = storage.base.bindMemory(to: UnsafeRawPointer?.self, capacity: shape.planes)
    for plane in upTo(shape.planes) {
      list[plane] = UnsafeRawPointer(storage.base + pointerBytes + plane &* planeBytes)
    }
    planes = UnsafePointer(list)
  }

  /// The frames `first` ..< `end`, at most `capacity`. Those in `inner`, which `source` must have,
  /// are copied from it, and the others are silent.
  func source(
    _ first: Int64, _ end: Int64, inner: (first: Int64, end: Int64), from source: FrameSource
  ) -> FrameSource {
    let bytes = shape.frameBytes
    for plane in upTo(shape.planes) {
      if let memory = UnsafeMutableRawPointer(mutating: planes[plane]) {
        timedsp_clear(memory, Int(truncatingIfNeeded: end &- first) &* bytes)
        if let from = source.planes[plane], inner.first < inner.end {
          timedsp_copy(
            memory + Int(truncatingIfNeeded: inner.first &- first) &* bytes,
            from + Int(truncatingIfNeeded: inner.first &- source.first) &* bytes,
            Int(truncatingIfNeeded: inner.end &- inner.first) &* bytes)
        }
      }
    }
    return FrameSource(planes: planes, first: first, end: end)
  }
}
