// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The range that the application has asked for. It is used while the session does not play the
/// stream itself. The application's seeks are then translated and sent upstream.
struct AskedRange {
  /// Whether upstream's stop is the position of a seek by the application. The stream plays from
  /// this position down to the beginning, and the application has asked for no stop. Otherwise,
  /// upstream's stop is the application's stop.
  private var stopIsOwn = false
  /// Whether the application has asked for a stop.
  private var isLimited = false

  /// Translates `seek` to the seek that is sent upstream. Returns whether the application limits
  /// the stream by a stop.
  ///
  /// `collects` means that the stream is collected and then sent backwards, unless the session
  /// starts to play it. A seek to a position then plays from there down to the beginning. Upstream
  /// is therefore asked for everything before that position.
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

  /// The range that the application sees, if the range of upstream's segment is `sent`.
  func seen(_ sent: Asked) -> Asked {
    guard stopIsOwn else { return sent }
    var seen = sent
    (seen.startNs, seen.stopNs) = (min(sent.stopNs, sent.durationNs), unknownTime)
    return seen
  }

  /// Whether `seek` asks for a stop, or keeps the stop of an earlier seek.
  private func asksForStop(_ seek: TimePlaySeek) -> Bool {
    if seek.stop_type == TIMEPLAY_KEEPS { return isLimited }
    return seek.stop_type == TIMEPLAY_FROM_END || seek.stop_ns >= 0
  }
}
