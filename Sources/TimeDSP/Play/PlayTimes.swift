// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Conversions between times of the session and frames of the blocks. These functions are not
// inlined: a 128-bit division is long code, and none of them is called for each sample.

/// A time that is not known or not set. It equals `TIMEPLAY_NO_TIME`, a macro that Swift cannot
/// read.
let unknownTime = UInt64.max

/// The time of boundary `frame`: `frame` × 10^9 / `rate`, rounded down as GStreamer does. The
/// result is 0 if `frame` is negative or `rate` is 0, and `unknownTime` if the time does not fit.
@inline(never)
func timeNs(of frame: Int64, rate: UInt32) -> UInt64 {
  guard frame >= 0, rate > 0 else { return 0 }
  return timeNs(ofHalfFrames: UInt64(truncatingIfNeeded: frame) &<< 1, rate: rate)
}

/// The boundary nearest to a time; `unknownFrame` if the time is unknown.
@inline(never)
func boundary(atNs timeNs: UInt64, rate: UInt32) -> Int64 {
  timeNs == unknownTime ? unknownFrame : frame(atNs: timeNs, rate: rate)
}

/// The time of a seek target in half frames; at most `Int64.max`, the latest time of a seek.
@inline(never)
func seekNs(toHalfFrame half: Int64, rate: UInt32) -> UInt64 {
  let halves = UInt64(truncatingIfNeeded: half)
  return min(
    timeNs(ofHalfFrames: halves, rate: max(rate, 1)), UInt64(truncatingIfNeeded: Int64.max))
}

extension TimePlaySettings {
  /// The settings in frames, for a stream of `rate` frames per second.
  @inline(never)
  func inFrames(rate: UInt32) -> BlockSettings {
    var frames = BlockSettings()
    frames.maxBlockFrames = frame(atNs: max_block_ns, rate: rate)
    frames.prerollFrames = boundary(atNs: preroll_ns, rate: rate)
    frames.maxMemoryBytes = max_memory_bytes
    frames.isExact = exact != 0
    frames.loop = loop
    frames.loopStartFrame = boundary(atNs: loop_start_ns, rate: rate)
    frames.loopStopFrame = boundary(atNs: loop_stop_ns, rate: rate)
    return frames
  }
}

extension Request {
  /// The request in frames, for a stream of `rate` frames per second.
  @inline(never)
  func inFrames(rate: UInt32) -> Target {
    var target = Target()
    target.kind = kind
    target.direction = direction
    target.startFrame = boundary(atNs: startNs, rate: rate)
    target.stopFrame = boundary(atNs: stopNs, rate: rate)
    target.endFrame = boundary(atNs: durationNs, rate: rate)
    target.format = format
    return target
  }
}

extension FetchedRun {
  /// Adds a buffer from upstream. Returns whether the run needs more frames.
  mutating func add(
    _ buffer: TimePlayBuffer, _ format: TimePlayFormat, from first: inout Int
  ) -> Bool {
    var position: Int64?
    if buffer.time_sign != 0 {
      let frame = frame(atNs: buffer.time_ns, rate: format.rate)
      position = buffer.time_sign < 0 ? 0 &- frame : frame
    }
    var arrival = Arrival(planes: buffer.planes, frames: buffer.frames, position: position)
    arrival.isTimed = buffer.has_timestamp != 0
    arrival.offset = buffer.offset_ns
    add(arrival, format, from: &first)
    return state == .open
  }
}
