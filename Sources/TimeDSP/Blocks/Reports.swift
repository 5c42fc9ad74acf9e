// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Counts since the stream began. A seam is equal, shifted or faded (`timeblocks.h`).
package struct BlockStats {
  package var blocks: UInt64 = 0
  package var seamsEqual: UInt64 = 0
  package var seamsShifted: UInt64 = 0
  package var seamsFaded: UInt64 = 0
  var prerollsWidened: UInt64 = 0
}

extension TimeBlocksReport {
  init(_ code: TimeBlocksCode, at frame: Int64 = 0, value: Double = 0, ahead: Int64 = 0) {
    self.init(code: code, frame: frame, value: value, ahead_frames: ahead)
  }
}

/// A FIFO queue. If it's full, we drop the oldest report.
struct Reports: ~Copyable {
  private var waiting: FixedArray<TimeBlocksReport>

  init() throws(TimeDSPStatus) { waiting = try FixedArray(capacity: 8) }

  mutating func add(_ report: TimeBlocksReport) {
    if waiting.isFull { waiting.removeFirst() }
    waiting.append(report)
  }

  mutating func next() -> TimeBlocksReport? {
    let report = waiting.first
    waiting.removeFirst()
    return report
  }
}
