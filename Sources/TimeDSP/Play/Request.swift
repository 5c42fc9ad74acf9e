// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Flags of GStreamer. They have the same values in a seek and in the segment after it.
private let flushFlag: UInt32 = 1 << 0
let segmentFlag: UInt32 = 1 << 3
let instantRateFlag: UInt32 = 1 << 10
/// The flags that a segment inherits from a seek: flush, segment, trick modes, no audio.
private let segmentFlags: UInt32 = 1 << 0 | 1 << 3 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 9

extension TimePlaySeek {
  var isFlushing: Bool { flags & flushFlag != 0 }
}

/// The part of the stream that the application asked for last, as the application sees it.
struct Asked {
  var startNs: UInt64 = 0
  /// `unknownTime` for the end of the stream.
  var stopNs = unknownTime
  /// Duration of the stream; `unknownTime` if it is not known.
  var durationNs = unknownTime
}

/// What a seek asks for: another position, range or rate.
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
  /// The new format of the stream after a foreign seek; otherwise no format.
  var format = TimePlayFormat()
  var seqnum: UInt32 = 0
  /// Flags of all segments.
  var flags: UInt32 = 0
  /// Additional flags of the first segment.
  var firstFlags: UInt32 = 0

  var isForeign: Bool { format.rate > 0 }

  /// The additional flags of the first segment since the seek; 0 for later segments.
  mutating func consumeFirstFlags() -> UInt32 {
    let flags = firstFlags
    firstFlags = 0
    return flags
  }

  private mutating func setFlags(_ all: UInt32) {
    flags = all & ~flushFlag
    firstFlags = all & flushFlag
  }

  /// Adapts the range to the backward direction. Playback begins at the seek target and continues
  /// down to the beginning of the stream.
  private mutating func playDown() {
    guard direction == TIMEDSP_BACKWARD, stopNs == unknownTime else { return }
    stopNs = startNs
    startNs = 0
  }
}

// Requests that result from a segment.
extension Request {
  /// A request to play `segment`.
  ///
  /// `isLimited` means that a seek has asked for the segment's stop. Otherwise, a segment that stops
  /// at the duration is treated as open, because the last frame may lie after the duration.
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

  /// The range as the application sees it.
  var asked: Asked { Asked(startNs: startNs, stopNs: stopNs, durationNs: durationNs) }

  /// Plays from the start of `segment` down to the beginning of the stream. If the segment is a
  /// whole stream with a known stop, plays all of it instead.
  mutating func playDown(from segment: TimePlaySegment) {
    if segment.rate >= 0, startNs > 0 || segment.stop_ns == unknownTime { playDown() }
  }
}

// Requests that result from a seek.
extension Request {
  /// The request for `seek`, as `gst_segment_do_seek()` applies a seek to a segment. It is `nil` if
  /// the seek is invalid. `asked` becomes the range that the application sees.
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
      stopNs = unknownTime  // the last frame may lie after the stated duration
    }
  }
}

extension Asked {
  /// The start or the stop after a seek. `type` and `value` are the two fields of the seek for it.
  /// Before the seek, it was `now`.
  private func position(_ type: TimePlaySeekType, _ value: Int64, _ now: UInt64) -> UInt64 {
    switch type {
    case TIMEPLAY_KEEPS: return now
    case TIMEPLAY_FROM_END:
      if durationNs == unknownTime { return unknownTime }
      return UInt64(max(Int64(bitPattern: durationNs) &+ value, 0))
    default: return UInt64(bitPattern: value)
    }
  }

  /// Whether the start is not after the stop. GStreamer treats any other range as a programming
  /// error.
  func isRange(_ seek: TimePlaySeek) -> Bool {
    let start = position(seek.start_type, seek.start_ns, startNs)
    let stop = position(seek.stop_type, seek.stop_ns, stopNs)
    if start == unknownTime || stop == unknownTime { return true }
    return min(start, durationNs) <= min(stop, durationNs)
  }

  /// Applies `seek` as `gst_segment_do_seek()` does. Returns `false` and changes nothing if that is
  /// impossible.
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
