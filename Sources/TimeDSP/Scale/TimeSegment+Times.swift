// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Conversions of times. The results equal GStreamer's to the nanosecond.
extension TimeSegment {
  /// The running time of `time`; `noTime` if `time` is outside the segment. A time after the stop
  /// is treated as the stop, because rounding may put the end of the last frame after the stop.
  func runningTime(of time: UInt64) -> UInt64 {
    let held = stop == noTime ? time : min(time, stop)
    guard held != noTime, held >= start else { return noTime }
    let first = start &+ offset
    let way = held < first ? first &- held : held &- first
    let played = rate == 1 ? way : wholeTime(Double(way) / rate)
    if held >= first { return base &+ played }
    return base >= played ? base &- played : noTime
  }

  /// The stream time of `time`, which may be outside the segment; `nil` if it is unknown or below
  /// 0. If the applied rate is below 0, stream times decrease towards the stop.
  func streamTime(of time: UInt64) -> UInt64? {
    let isReverse = applied_rate < 0
    guard time != noTime, self.time != noTime, !isReverse || stop != noTime else { return nil }
    let fixed = isReverse ? stop : start
    let way = time > fixed ? time &- fixed : fixed &- time
    let speed = applied_rate.magnitude
    let passed = speed == 1 ? way : wholeTime(Double(way) * speed)
    if (time > fixed) != isReverse { return self.time &+ passed }
    return passed <= self.time ? self.time &- passed : nil
  }
}

/// A time in whole nanoseconds; at most `latestTime`.
func wholeTime(_ time: Double) -> UInt64 {
  time < 0x1p63 ? UInt64(truncatingIfNeeded: timedsp_whole_part(time)) : latestTime
}
