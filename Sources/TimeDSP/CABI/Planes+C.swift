// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A stream that's fed by a caller in C.
protocol FrameStream: ~Copyable {
  var shape: AudioShape { get }
  var received: Int64 { get }
}

extension FrameStream where Self: ~Copyable {
  /// Throws if any planes are invalid, or if there's more input than a stream may have.
  borrowing func check(
    _ input: UnsafePointer<UnsafeRawPointer?>?, _ inFrames: Int,
    _ output: UnsafePointer<UnsafeMutableRawPointer?>?, _ outCapacity: Int
  ) throws(TimeDSPStatus) {
    try checkPlanes(input, frames: inFrames, shape)
    try checkPlanes(output, frames: outCapacity, shape)
    try require(
      Int64(truncatingIfNeeded: inFrames) <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
  }
}

/// Throws if a plane is NULL or doesn't fit in memory, or if there are more frames than a stream
/// may have. We don't read `planes` if there aren't any frames.
func checkPlanes(
  _ planes: UnsafePointer<UnsafeRawPointer?>?, frames: Int, _ shape: AudioShape
) throws(TimeDSPStatus) {
  if frames == 0 { return }
  guard let planes else { throw TIMEDSP_NULL_POINTER }
  for plane in upTo(shape.planes) {
    guard let base = planes[plane] else { throw TIMEDSP_NULL_POINTER }
    _ = try MemoryRange(base, frames: frames, frameBytes: shape.frameBytes)
  }
}

func checkPlanes(
  _ planes: UnsafePointer<UnsafeMutableRawPointer?>?, frames: Int, _ shape: AudioShape
) throws(TimeDSPStatus) {
  let readable = UnsafeRawPointer(planes)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
  try checkPlanes(readable, frames: frames, shape)
}

/// `TIMEDSP_MAX_FRAMES`, a macro that Swift can't import.
let maxFrames: Int64 = 1 << 53

struct MemoryRange {
  var start: UInt
  var end: UInt

  func overlaps(_ other: MemoryRange) -> Bool {
    start < other.end && other.start < end
  }
}

extension MemoryRange {
  /// Throws if there aren't any frames, or more than fit in a stream or in memory. A C `size_t`
  /// above `Int.max` shows up as a negative number.
  init(_ base: UnsafeRawPointer, frames: Int, frameBytes: Int) throws(TimeDSPStatus) {
    let (bytes, isTooLong) = frames.multipliedReportingOverflow(by: frameBytes)
    let start = UInt(bitPattern: base)
    let (end, isPastEnd) = start.addingReportingOverflow(UInt(bitPattern: bytes))
    try require(
      frames > 0 && Int64(truncatingIfNeeded: frames) <= maxFrames && !isTooLong && !isPastEnd,
      else: TIMEDSP_BAD_LENGTH)
    self.init(start: start, end: end)
  }
}
