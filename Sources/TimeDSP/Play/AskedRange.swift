// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The range that an application has asked for, and the seek that upstream gets for it: the C
/// `TimePlayRange`.
extension TimePlayRange {
  /// Translates `seek` to the one for upstream. Returns whether it asks for a part of the stream.
  mutating func translate(_ seek: inout TimePlaySeek, collects: Bool) -> Bool {
    let isDownward = collects && seek.isPosition
    let limits = !isDownward && asksForStop(seek)
    if seek.flags & instantRateFlag != 0 { return limits }
    if seek.stop_type == TIMEPLAY_SETS { stop_ns = seek.stop_ns }
    if isDownward {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = seek.start_ns
      seek.start_ns = 0
    } else if seek.stop_type == TIMEPLAY_KEEPS, stop_is_own != 0 {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = stop_ns
    }
    stop_is_own = isDownward ? 1 : 0
    return limits
  }

  /// Whether `seek` asks for a stop or, if it leaves the stop unchanged, an earlier seek did.
  private func asksForStop(_ seek: TimePlaySeek) -> Bool {
    if seek.stop_type == TIMEPLAY_KEEPS { return stop_ns >= 0 }
    return seek.stop_type == TIMEPLAY_FROM_END || seek.stop_ns >= 0
  }
}

extension TimePlaySeek {
  /// Whether it sets a start, at a positive rate, and no stop.
  fileprivate var isPosition: Bool {
    rate > 0 && start_type == TIMEPLAY_SETS && (stop_type != TIMEPLAY_SETS || stop_ns < 0)
  }
}
