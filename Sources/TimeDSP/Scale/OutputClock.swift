// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Counts output frames and makes their timestamps. A run is a sequence of frames without a gap.
/// Frame n of a run is at start + n / rate. Durations are not added up, so timestamps do not drift
/// over hours.
struct OutputClock {
  /// Frames per second; 0 if unknown.
  private(set) var rate: UInt32 = 0
  /// The time of the next frame; `noTime` outside a run.
  private(set) var nextNs = noTime
  private var startNs = noTime
  /// Number of frames stamped in this run.
  private var frames: UInt64 = 0
  /// Number of frames stamped since `clear`, for the offset of buffers.
  private var offset: UInt64 = 0
  /// Whether the next buffer is the first of a run.
  private var isFirst = true

  var isRunning: Bool { nextNs != noTime }

  /// Ends the run. Offsets start again at 0.
  mutating func clear(_ rate: UInt32) {
    self.rate = rate
    offset = 0
    start(at: noTime)
  }

  mutating func start(at time: UInt64) {
    (startNs, nextNs) = (time, time)
    frames = 0
    isFirst = true
  }

  mutating func stop() { start(at: noTime) }

  /// The time of the frame `count` frames after the next frame; `noTime` outside a run.
  func time(after count: UInt64) -> UInt64 {
    guard isRunning, rate > 0 else { return noTime }
    return startNs &+ timeNs(ofHalfFrames: (frames &+ count) &<< 1, rate: rate)
  }

  /// Stamps the next `count` frames, and advances the clock by them.
  mutating func stamp(_ count: Int) -> TimeScaleStamp {
    let count = UInt64(truncatingIfNeeded: count)
    let (pts, end) = (nextNs, time(after: count))
    let stamp = TimeScaleStamp(
      pts_ns: pts, duration_ns: end &- pts, offset: offset, offset_end: offset &+ count,
      discont: isFirst ? 1 : 0)
    nextNs = end
    frames &+= count
    offset &+= count
    isFirst = false
    return stamp
  }
}
