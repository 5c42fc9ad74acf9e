// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The range that the application has asked for. It is used while the session does not play the
/// stream itself. The application's seeks are then translated and sent upstream.
struct AskedRange {
  /// Whether upstream's stop is the position of a seek by the application. A collected stream plays
  /// from this position down to the beginning. Otherwise, upstream's stop is the application's
  /// stop.
  private var stopIsOwn = false
  /// The stop that the application asked for; -1 for the end of the stream.
  private var stopNs: Int64 = -1

  /// Translates `seek` to the seek that is sent upstream. Returns whether the application limits
  /// the stream by a stop.
  ///
  /// `collects` means that the stream is collected and then sent backwards. A seek to a position
  /// then plays from there down to the beginning. Upstream is therefore asked for everything before
  /// that position. If a seek leaves the stop unchanged, the application's last stop is used.
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

  /// Whether `seek` asks for a stop, or keeps the stop of an earlier seek.
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
