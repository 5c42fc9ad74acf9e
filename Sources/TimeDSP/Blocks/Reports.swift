// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Counts since the stream began. A seam is equal, shifted or faded; see `timeblocks.h`.
package struct BlockStats {
  package var blocks: UInt64 = 0
  package var seamsEqual: UInt64 = 0
  package var seamsShifted: UInt64 = 0
  package var seamsFaded: UInt64 = 0
  var prerollsWidened: UInt64 = 0
}

/// A report or an error for the application. The meaning of `frame` and `value` depends on `code`
/// (see `timeblocks.h`).
struct Report {
  var code: TimeBlocksCode
  var frame: Int64 = 0
  var value = 0.0
  /// Number of frames from the playhead to a seam.
  var ahead: Int64 = 0
}

/// A first-in, first-out queue of reports. If the queue is full, the oldest report is dropped.
struct Reports: ~Copyable {
  private var waiting: FixedArray<Report>

  init() throws(TimeDSPStatus) { waiting = try FixedArray(capacity: 8) }

  mutating func add(_ report: Report) {
    if waiting.isFull { waiting.removeFirst() }
    waiting.append(report)
  }

  mutating func next() -> Report? {
    let report = waiting.first
    waiting.removeFirst()
    return report
  }
}

/// The splices between different audio that have been reported, by frame. Each splice is reported
/// once. If the list is full, no more splices are reported.
struct OddSplices: ~Copyable {
  private var frames: FixedArray<Int64>

  init() throws(TimeDSPStatus) { frames = try FixedArray(capacity: 64) }

  mutating func clear() { frames.removeAll() }

  /// Returns whether the splice at `frame` must be reported, and records it as reported.
  mutating func isNew(_ frame: Int64) -> Bool {
    guard !frames.isFull, frames.firstIndex(where: { $0 == frame }) == nil else { return false }
    frames.append(frame)
    return true
  }
}
