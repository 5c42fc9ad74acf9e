// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Most frames that a stream may have: `TIMEDSP_MAX_FRAMES`, which is no
/// macro that Swift can read.
let mostFrames: Int64 = 1 << 53

/// The addresses that an array takes up: `start ..< end`.
struct MemoryRange {
  var start: UInt
  var end: UInt

  /// No addresses.
  static var empty: MemoryRange { MemoryRange(start: .max, end: .min) }

  /// Whether some byte belongs to both.
  func overlaps(_ other: MemoryRange) -> Bool {
    start < other.end && other.start < end
  }

  /// The addresses from the lowest of both to the highest.
  func joined(with other: MemoryRange) -> MemoryRange {
    MemoryRange(start: min(start, other.start), end: max(end, other.end))
  }
}

extension MemoryRange {
  /// The addresses of `frames` frames, more than 0; refuses more than a stream
  /// may have or than fit in memory. A C `size_t` above `Int.max` comes in
  /// below 0.
  init(_ base: UnsafeRawPointer, frames: Int, frameBytes: Int) throws(TimeDSPStatus) {
    let (bytes, isTooLong) = frames.multipliedReportingOverflow(by: frameBytes)
    let start = UInt(bitPattern: base)
    let (end, isPastEnd) = start.addingReportingOverflow(UInt(bitPattern: bytes))
    try require(
      frames > 0 && Int64(truncatingIfNeeded: frames) <= mostFrames && !isTooLong && !isPastEnd,
      else: TIMEDSP_BAD_LENGTH)
    self.init(start: start, end: end)
  }
}
