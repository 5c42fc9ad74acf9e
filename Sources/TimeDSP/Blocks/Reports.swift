// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension TimeBlocksReport {
  init(_ code: TimeBlocksCode, at frame: Int64 = 0, value: Double = 0, ahead: Int64 = 0) {
    self.init(code: code, frame: frame, value: value, ahead_frames: ahead)
  }
}

extension BlockPlanner {
  /// If there are too many, we drop the oldest.
  mutating func report(_ report: TimeBlocksReport) {
    if reports.isFull { reports.removeFirst() }
    reports.append(report)
  }

  mutating func nextReport() -> TimeBlocksReport? {
    defer { reports.removeFirst() }
    return reports.first
  }
}
