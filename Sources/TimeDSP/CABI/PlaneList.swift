// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Planes that came in through the C interface and were found to be sound.
struct PlaneList {
  private let planes: UnsafePointer<UnsafeRawPointer?>?
  private let count: Int
  private let planeBytes: UInt
  /// From the lowest address of all planes to the highest.
  private var hull = MemoryRange.empty

  /// Refuses planes that are NULL or do not fit in memory, and more frames than a stream may have;
  /// planes of no frames are not read.
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

  /// The same for planes of a stream's input.
  init(
    _ planes: UnsafePointer<UnsafeRawPointer?>?, frames: Int, shape: AudioShape
  ) throws(TimeDSPStatus) {
    try self.init(planes, count: shape.planes, frames: frames, frameBytes: shape.frameBytes)
  }

  /// The same for planes of output.
  init(
    _ planes: UnsafePointer<UnsafeMutableRawPointer?>?, frames: Int, shape: AudioShape
  ) throws(TimeDSPStatus) {
    let readable = UnsafeRawPointer(planes)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    try self.init(readable, frames: frames, shape: shape)
  }

  /// Whether a plane shares memory with a plane of `other`.
  func overlaps(_ other: PlaneList) -> Bool {
    // Input and output mostly lie in a block of memory each.
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

/// A stream of frames that C holds.
protocol FrameStream: HeldByC, ~Copyable {
  var shape: AudioShape { get }
  /// Frames of input received so far.
  var received: Int64 { get }
}

extension FrameStream where Self: ~Copyable {
  /// Refuses planes that are not sound or share memory, and more input than a
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
