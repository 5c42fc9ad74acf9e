// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Input frames that are still to be consumed. The array of plane addresses belongs to the cursor's
/// owner.
struct FrameCursor: BitwiseCopyable {
  private(set) var planes: UnsafeMutablePointer<UnsafeRawPointer?>
  private let shape: AudioShape
  private(set) var count = 0

  /// What the array of plane addresses takes.
  static func bytes(_ shape: AudioShape) -> Int {
    shape.planes &* MemoryLayout<UnsafeRawPointer?>.stride
  }

  init(_ shape: AudioShape, memory: UnsafeMutableRawPointer) {
    self.shape = shape
    planes = memory.bindMemory(to: UnsafeRawPointer?.self, capacity: shape.planes)
  }

  /// Without a `source`, there are no frames.
  mutating func point(at source: UnsafePointer<UnsafeRawPointer?>?, _ count: Int) {
    self.count = source == nil ? 0 : count
    for plane in upTo(shape.planes) {
      planes[plane] = source?[plane]
    }
  }

  mutating func point(everyPlaneAt frames: UnsafeRawPointer, _ count: Int) {
    self.count = count
    for plane in upTo(shape.planes) {
      planes[plane] = frames
    }
  }

  mutating func consume(_ frames: Int) {
    for plane in upTo(shape.planes) {
      if let start = planes[plane] { planes[plane] = start + frames &* shape.frameBytes }
    }
    count &-= frames
  }
}

/// Memory between two parts of a chain, for frames that the next one has still to consume.
struct Scratch: ~Copyable {
  /// In frames.
  static let capacity = 512

  private let storage: Storage
  private let starts: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  var rest: FrameCursor

  init(_ shape: AudioShape) throws(TimeDSPStatus) {
    let planeBytes = Self.capacity &* shape.frameBytes
    let pointers = FrameCursor.bytes(shape)
    storage = try Storage(bytes: shape.planes &* planeBytes &+ 2 &* pointers)
    timedsp_clear(storage.base, shape.planes &* planeBytes)
    let lists = storage.base + shape.planes &* planeBytes
    starts = lists.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: shape.planes)
    rest = FrameCursor(shape, memory: lists + pointers)
    for plane in upTo(shape.planes) {
      starts[plane] = storage.base + plane &* planeBytes
    }
  }

  func sink(_ capacity: Int) -> FrameSink { FrameSink(planes: starts, capacity: capacity) }

  /// The first `count` frames have been written.
  mutating func fill(_ count: Int) {
    rest.point(at: UnsafeRawPointer(starts).assumingMemoryBound(to: UnsafeRawPointer?.self), count)
  }

  mutating func empty(into sink: inout FrameSink, _ shape: AudioShape) {
    let count = min(rest.count, sink.room)
    guard count > 0, let planes = sink.planes else { return }
    for plane in upTo(shape.planes) {
      if let from = rest.planes[plane], let to = planes[plane] {
        timedsp_copy(to + sink.made &* shape.frameBytes, from, count &* shape.frameBytes)
      }
    }
    sink.made &+= count
    rest.consume(count)
  }
}
