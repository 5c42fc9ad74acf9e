// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A validated list of planes from a caller of the C interface.
struct PlaneList {
  private let planes: UnsafePointer<UnsafeRawPointer?>?
  private let count: Int
  private let planeBytes: UInt
  /// The smallest range that contains all planes.
  private var hull = MemoryRange.empty

  /// Throws if a plane is NULL or does not fit in memory, or if there are more frames than a stream
  /// may have. If there are no frames, `planes` is not read.
  init(
    _ planes: UnsafePointer<UnsafeRawPointer?>?, count planeCount: Int, frames: Int,
    frameBytes: Int
  ) throws(TimeDSPStatus) {
    self.planes = planes
    count = frames == 0 ? 0 : planeCount
    planeBytes = UInt(bitPattern: frames &* frameBytes)
    if frames == 0 { return }
    guard let planes else { throw TIMEDSP_NULL_POINTER }
    var plane = 0
    while plane < count {
      guard let base = planes[plane] else { throw TIMEDSP_NULL_POINTER }
      let range = try MemoryRange(base, frames: frames, frameBytes: frameBytes)
      hull = hull.joined(with: range)
      plane &+= 1
    }
  }

  /// The input planes of a stream with this shape.
  init(
    _ planes: UnsafePointer<UnsafeRawPointer?>?, frames: Int, shape: AudioShape
  ) throws(TimeDSPStatus) {
    try self.init(planes, count: shape.planes, frames: frames, frameBytes: shape.frameBytes)
  }

  /// The output planes of a stream with this shape.
  init(
    _ planes: UnsafePointer<UnsafeMutableRawPointer?>?, frames: Int, shape: AudioShape
  ) throws(TimeDSPStatus) {
    let readable = UnsafeRawPointer(planes)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    try self.init(readable, frames: frames, shape: shape)
  }

  /// Whether a plane overlaps a plane of `other`.
  func overlaps(_ other: PlaneList) -> Bool {
    // usually, input and output are each in a single block of memory
    guard hull.overlaps(other.hull) else { return false }
    var plane = 0
    while plane < count {
      var otherPlane = 0
      while otherPlane < other.count {
        if range(of: plane).overlaps(other.range(of: otherPlane)) { return true }
        otherPlane &+= 1
      }
      plane &+= 1
    }
    return false
  }

  private func range(of plane: Int) -> MemoryRange {
    let start = UInt(bitPattern: planes?[plane])
    return MemoryRange(start: start, end: start &+ planeBytes)
  }
}

/// A stream that receives frames from a caller of the C interface.
protocol FrameStream: ~Copyable {
  var shape: AudioShape { get }
  /// Number of input frames received so far.
  var received: Int64 { get }
}

extension FrameStream where Self: ~Copyable {
  /// Throws if planes are invalid, if input and output overlap, or if there is more input than a
  /// stream may have.
  borrowing func check(
    _ input: UnsafePointer<UnsafeRawPointer?>?, _ inFrames: Int,
    _ output: UnsafePointer<UnsafeMutableRawPointer?>?, _ outCapacity: Int
  ) throws(TimeDSPStatus) {
    let input = try PlaneList(input, frames: inFrames, shape: shape)
    let output = try PlaneList(output, frames: outCapacity, shape: shape)
    try require(
      Int64(truncatingIfNeeded: inFrames) <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    try require(!input.overlaps(output), else: TIMEDSP_OVERLAP)
  }
}
