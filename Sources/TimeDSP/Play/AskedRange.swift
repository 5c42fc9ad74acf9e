// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The range that an application has asked for, and the seek that upstream gets for it, of a stream
/// that the playback does not play.
struct AskedRange {
  /// Upstream's stop is a seek target.
  private var stopIsOwn = false
  /// The application's stop; -1: the end.
  private var stopNs: Int64 = -1

  /// Translates `seek` to the one for upstream. `collects`: the stream is collected, to be sent
  /// backwards. A seek to a position then plays from there down to the beginning, so upstream is
  /// asked for everything before it. A stop that is left unchanged is the one that the application
  /// asked for last. Returns whether the application asks for a part of the stream.
  mutating func translate(_ seek: inout TimePlaySeek, collects: Bool) -> Bool {
    let isDownward = collects && seek.isPosition
    let limits = !isDownward && asksForStop(seek)
    if seek.flags & instantRateFlag != 0 { return limits }
    if seek.stop_type == TIMEPLAY_SETS { stopNs = seek.stop_ns }
    if isDownward {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = seek.start_ns
      seek.start_ns = 0
    } else if seek.stop_type == TIMEPLAY_KEEPS, stopIsOwn {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = stopNs
    }
    stopIsOwn = isDownward
    return limits
  }

  /// Whether `seek` asks for a stop or, if it leaves the stop unchanged, an earlier seek did.
  private func asksForStop(_ seek: TimePlaySeek) -> Bool {
    if seek.stop_type == TIMEPLAY_KEEPS { return stopNs >= 0 }
    return seek.stop_type == TIMEPLAY_FROM_END || seek.stop_ns >= 0
  }
}

extension TimePlaySeek {
  /// Whether it sets a start, at a positive rate, and no stop.
  fileprivate var isPosition: Bool {
    rate > 0 && start_type == TIMEPLAY_SETS && (stop_type != TIMEPLAY_SETS || stop_ns < 0)
  }
}
