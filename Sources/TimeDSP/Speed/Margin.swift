// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Near the ends of a source, kernels reach beyond it. Here we put some of its frames, with silence
/// before or after them.
struct Margin: ~Copyable {
  /// In frames.
  let capacity: Int
  private let shape: AudioShape
  private let storage: Storage
  /// Addresses and planes are both in `storage`.
  let planes: UnsafePointer<UnsafeRawPointer?>

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

  /// The frames `first` ..< `end`, at most `capacity`. We copy those in `inner` from `source`,
  /// which must have them. The others are silent.
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
