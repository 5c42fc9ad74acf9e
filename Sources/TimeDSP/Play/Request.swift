// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Values of `GstSeekFlags`. The flags that a segment inherits from a seek have the same values in
/// `GstSegmentFlags`.
private let flushFlag: UInt32 = 1 << 0
let segmentFlag: UInt32 = 1 << 3
let instantRateFlag: UInt32 = 1 << 10
/// The flags of a seek that its segments inherit: flush, segment, trick modes, no audio.
private let segmentFlags: UInt32 = 1 << 0 | 1 << 3 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 9

extension TimePlaySeek {
  var isFlushing: Bool { flags & flushFlag != 0 }
}

/// The range that the application has asked for, as in its `GstSegment`. A seek that leaves the
/// start or the stop unchanged refers to this range.
struct Asked {
  var startNs: UInt64 = 0
  /// `unknownTime` for the end of the stream.
  var stopNs = unknownTime
  /// Duration of the stream; `unknownTime` if it is not known.
  var durationNs = unknownTime
}

/// A seek in the terms of the session. The source of the request may be a seek by the application,
/// the segment with which playback begins, or the segment of a seek by another element.
struct Request {
  var kind = Target.Kind.goTo
  var direction = TIMEDSP_FORWARD
  /// The playback rate, above 0.
  var rate = 1.0
  var startNs: UInt64 = 0
  /// `unknownTime` for the end of the stream.
  var stopNs = unknownTime
  /// Duration of the stream; `unknownTime` if it is not known.
  var durationNs = unknownTime
  /// The format of the stream, if a seek or flush by another element may have changed the stream.
  /// Otherwise, a format without a rate.
  var format = TimePlayFormat()
  var seqnum: UInt32 = 0
  /// Flags of all segments that are sent for this request.
  var flags: UInt32 = 0
  /// Additional flags of the first segment that is sent.
  var firstFlags: UInt32 = 0

  /// Whether a seek or flush by another element may have changed the stream.
  var isForeign: Bool { format.rate > 0 }

  /// Returns the additional flags of the first segment, and 0 from the second call on.
  mutating func consumeFirstFlags() -> UInt32 {
    let flags = firstFlags
    firstFlags = 0
    return flags
  }

  private mutating func setFlags(_ all: UInt32) {
    flags = all & ~flushFlag
    firstFlags = all & flushFlag
  }

  /// Adapts the range of a backward request without a stop position: plays from the seek target
  /// down to the beginning of the stream.
  private mutating func playDown() {
    guard direction == TIMEDSP_BACKWARD, stopNs == unknownTime else { return }
    stopNs = startNs
    startNs = 0
  }
}

// Requests that result from a segment.
extension Request {
  /// A request to play `segment`. `preferred` is the direction that the properties ask for.
  ///
  /// `isLimited` means that a seek has set the stop of the segment. Otherwise, a segment that stops
  /// at the duration is played to the end of the stream, which may be later than the duration.
  init(
    _ segment: TimePlaySegment, _ seqnum: UInt32, durationNs: UInt64,
    direction preferred: TimeDSPDirection, isLimited: Bool
  ) {
    startNs = segment.start_ns
    stopNs = segment.stop_ns
    self.durationNs = durationNs
    if !isLimited, durationNs != unknownTime, stopNs >= durationNs { stopNs = unknownTime }
    self.seqnum = seqnum
    rate = segment.rate.magnitude
    direction = segment.rate < 0 ? TIMEDSP_BACKWARD : preferred
    setFlags(segment.flags)
  }

  /// The range for the application.
  var asked: Asked { Asked(startNs: startNs, stopNs: stopNs, durationNs: durationNs) }

  /// Adapts a backward request: plays from the start of `segment` down to the beginning of the
  /// stream. If the segment is a whole stream with a known end, the whole stream is played instead.
  mutating func playDown(from segment: TimePlaySegment) {
    if segment.rate >= 0, startNs > 0 || segment.stop_ns == unknownTime { playDown() }
  }
}

// Requests that result from a seek.
extension Request {
  /// The request for `seek`; `nil` if the seek is invalid. Applies the seek to `asked` as
  /// `gst_segment_do_seek()` would apply it to a segment. `preferred` is the direction that the
  /// properties ask for.
  init?(_ seek: TimePlaySeek, _ asked: inout Asked, direction preferred: TimeDSPDirection) {
    guard seek.rate != 0, seek.flags & instantRateFlag == 0, asked.isRange(seek),
      asked.seek(seek)
    else { return nil }
    seqnum = seek.seqnum
    rate = seek.rate.magnitude
    direction = seek.rate < 0 ? TIMEDSP_BACKWARD : preferred
    let keepsStart = seek.start_type == TIMEPLAY_KEEPS
    let keepsStop = seek.stop_type == TIMEPLAY_KEEPS
    let isBackward = direction == TIMEDSP_BACKWARD
    let isResumed = seek.rate < 0 ? keepsStop : keepsStart && (!isBackward || keepsStop)
    kind = isResumed ? .resume : .goTo
    setFlags(seek.flags & segmentFlags)
    startNs = asked.startNs
    stopNs = asked.stopNs
    durationNs = asked.durationNs
    if seek.rate > 0 {
      playDown()
    } else if durationNs != unknownTime, stopNs >= durationNs {
      stopNs = unknownTime  // the last frame may be after the reported duration
    }
  }
}

extension Asked {
  /// The start or the stop after a seek, not clamped to the duration. `type` and `value` are the
  /// fields of the seek for this position, and `now` is the position before the seek.
  private func position(_ type: TimePlaySeekType, _ value: Int64, _ now: UInt64) -> UInt64 {
    switch type {
    case TIMEPLAY_KEEPS: return now
    case TIMEPLAY_FROM_END:
      if durationNs == unknownTime { return unknownTime }
      return UInt64(max(Int64(bitPattern: durationNs) &+ value, 0))
    default: return UInt64(bitPattern: value)
    }
  }

  /// Whether the start after the seek is not after the stop. GStreamer treats any other range as a
  /// programming error.
  func isRange(_ seek: TimePlaySeek) -> Bool {
    let start = position(seek.start_type, seek.start_ns, startNs)
    let stop = position(seek.stop_type, seek.stop_ns, stopNs)
    if start == unknownTime || stop == unknownTime { return true }
    return min(start, durationNs) <= min(stop, durationNs)
  }

  /// Applies `seek` as `gst_segment_do_seek()` does. Returns `false` and changes nothing if the
  /// start would be after the stop.
  mutating func seek(_ seek: TimePlaySeek) -> Bool {
    let isEndKnown = durationNs != unknownTime
    var start = startNs
    switch seek.start_type {
    case TIMEPLAY_SETS: start = seek.start_ns == -1 ? 0 : UInt64(bitPattern: seek.start_ns)
    case TIMEPLAY_FROM_END where isEndKnown:
      start = durationNs &+ UInt64(bitPattern: seek.start_ns)
    default: break
    }
    start = isEndKnown ? min(start, durationNs) : atLeast0(start)
    var stop = stopNs
    switch seek.stop_type {
    case TIMEPLAY_SETS: stop = UInt64(bitPattern: seek.stop_ns)
    case TIMEPLAY_FROM_END where isEndKnown:
      stop = durationNs &+ UInt64(bitPattern: seek.stop_ns)
    default: break
    }
    if stop != unknownTime {
      stop = isEndKnown ? min(atLeast0(stop), durationNs) : atLeast0(stop)
      if start > stop { return false }
    }
    startNs = start
    stopNs = stop
    return true
  }

  /// `timeNs`; 0 if it is negative as an `Int64`.
  private func atLeast0(_ timeNs: UInt64) -> UInt64 { timeNs > UInt64(Int64.max) ? 0 : timeNs }
}
