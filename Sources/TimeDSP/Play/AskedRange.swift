// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Translates the application's seeks to seeks that are sent upstream, while the session does not
/// play the stream. Remembers whether the application has set a stop position.
struct AskedRange {
  /// Whether the last seek sent upstream had the application's seek position as its stop position,
  /// because the stream is played from there down to the beginning. In this case, the application
  /// has set no stop position.
  private var stopIsOwn = false
  /// Whether the application has set a stop position.
  private var isLimited = false

  /// Translates `seek` to the seek that is sent upstream. Returns whether the application limits
  /// the stream by a stop position.
  ///
  /// `collects` means that the stream will be collected and then sent backwards, unless the session
  /// begins to play it. A seek to a position then plays from there down to the beginning. Upstream
  /// is therefore asked for everything before that position. A later seek that leaves the stop
  /// unchanged must not keep the stop position that was sent upstream, because the application has
  /// not set it.
  mutating func translate(_ seek: inout TimePlaySeek, collects: Bool) -> Bool {
    let limits = asksForStop(seek)
    if seek.flags & instantRateFlag != 0 { return limits }
    isLimited = limits
    let isDownward = collects && !limits && seek.rate > 0 && seek.start_type == TIMEPLAY_SETS
    if isDownward {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = seek.start_ns
      seek.start_ns = 0
    } else if seek.stop_type == TIMEPLAY_KEEPS, stopIsOwn {
      seek.stop_type = TIMEPLAY_SETS
      seek.stop_ns = -1
    }
    stopIsOwn = isDownward
    return limits
  }

  /// The range that the application has asked for, if upstream's segment has the range `sent`.
  func seen(_ sent: Asked) -> Asked {
    guard stopIsOwn else { return sent }
    var seen = sent
    (seen.startNs, seen.stopNs) = (min(sent.stopNs, sent.durationNs), unknownTime)
    return seen
  }

  /// Whether `seek` sets a stop position, or keeps the stop position of an earlier seek.
  private func asksForStop(_ seek: TimePlaySeek) -> Bool {
    if seek.stop_type == TIMEPLAY_KEEPS { return isLimited }
    return seek.stop_type == TIMEPLAY_FROM_END || seek.stop_ns >= 0
  }
}
