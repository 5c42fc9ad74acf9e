// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

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
  /// Throws if there's no frame, or if there are more than fit in a stream or in memory. A C
  /// `size_t` above `Int.max` arrives as a negative number.
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
