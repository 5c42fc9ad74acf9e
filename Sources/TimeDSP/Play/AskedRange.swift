// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The range that the application has asked for, in a stream that the session does not play itself.
/// Translates the application's seeks to those that are sent upstream.
struct AskedRange {
  /// Whether the stop that upstream knows is the target of a downward seek, and not the
  /// application's stop.
  private var stopIsOwn = false
  /// The stop that the application asked for; -1 for the end of the stream.
  private var stopNs: Int64 = -1

  /// Translates `seek` to the seek that is sent upstream. `collects`: the stream is collected, and
  /// then sent backwards. A seek to a position then means to play from there down to the beginning,
  /// so upstream is asked for everything before that position. If a seek leaves the stop unchanged,
  /// the stop that the application asked for last is used. Returns whether the application limits
  /// the stream by a stop.
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
  /// Whether the seek sets a start, at a positive rate, and no stop.
  fileprivate var isPosition: Bool {
    rate > 0 && start_type == TIMEPLAY_SETS && (stop_type != TIMEPLAY_SETS || stop_ns < 0)
  }
}
