// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// A time that is not known: `TIMEDSP_NO_TIME`, which is no macro that Swift
/// can read.
let noTime = UInt64.max

/// Multiplies a time. See `timeline.h`.
@c @implementation
public func timedsp_scale_time(_ timeNs: UInt64, _ factor: Double) -> UInt64 {
  timeNs == noTime || factor == 1 ? timeNs : scaled(timeNs, by: factor)
}

/// Takes a rate into a factor. See `timeline.h`.
@c @implementation
public func timedsp_absorb_rate(
  _ factor: Double, _ rate: UnsafeMutablePointer<Double>!
) -> Double {
  guard let rate else { return nearestFactor(factor) }
  let wanted = factor / rate.pointee
  let used = nearestFactor(wanted)
  if used != wanted { rate.pointee = factor / used }
  return used
}

/// The end of what is played of a stream. See `timeline.h`.
@c @implementation
public func timedsp_last_frame_end(
  _ startNs: UInt64, _ stopNs: UInt64, _ rate: UInt32
) -> UInt64 {
  guard stopNs != noTime, startNs < stopNs, rate > 0 else { return stopNs }
  return endOfLastFrameNs(from: startNs, to: stopNs, rate: rate)
}

/// Maps a time by a line. See `timeline.h`.
@c @implementation
public func timedsp_line_to_output(
  _ line: UnsafePointer<TimeDSPLine>!, _ inNs: UInt64
) -> UInt64 {
  guard let line = line?.pointee, inNs != noTime else { return inNs }
  return Line(pair: line.pair, slope: Fraction(nearest: line.factor)).output(inNs)
}

/// Starts a timeline. See `timeline.h`.
@c @implementation
public func timedsp_timeline_start(
  _ timeline: UnsafeMutablePointer<TimeDSPTimeline>!, _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let timeline, let pairs = timeline.pointee.pairs else { throw TIMEDSP_NULL_POINTER }
    try require(timeline.pointee.capacity >= 2, else: TIMEDSP_BAD_LENGTH)
    var times = Timeline(
      pairs, capacity: timeline.pointee.capacity, count: 0, factor: Fraction(nearest: factor))
    times.start(times.factor)
    timeline.pointee.count = times.count
    timeline.pointee.factor = factor
  }
}

/// Bends a timeline. See `timeline.h`.
@c @implementation
public func timedsp_timeline_bend(
  _ timeline: UnsafeMutablePointer<TimeDSPTimeline>!, _ inNs: UInt64, _ outNs: UInt64,
  _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let timeline else { throw TIMEDSP_NULL_POINTER }
    try require(max(inNs, outNs) <= latestTime, else: TIMEDSP_BAD_LENGTH)
    if timeline.pointee.count == 0 {
      let started = timedsp_timeline_start(timeline, factor)
      try require(started == TIMEDSP_OK, else: started)
    }
    guard var times = Timeline(timeline.pointee) else { throw TIMEDSP_NULL_POINTER }
    times.bend(at: TimeDSPTimePair(in: inNs, out: outNs), Fraction(nearest: factor))
    timeline.pointee.count = times.count
    timeline.pointee.factor = factor
  }
}

/// Maps a time of the input. See `timeline.h`.
@c @implementation
public func timedsp_timeline_to_output(
  _ timeline: UnsafePointer<TimeDSPTimeline>!, _ inNs: UInt64, _ factor: Double
) -> UInt64 {
  guard inNs != noTime else { return inNs }
  guard let timeline, let times = Timeline(timeline.pointee) else {
    let fraction = Fraction(nearest: factor)
    return scaled(inNs, fraction.numerator, by: fraction.denominator)
  }
  return times.output(min(inNs, latestTime))
}

/// Maps a time of the output. See `timeline.h`.
@c @implementation
public func timedsp_timeline_to_input(
  _ timeline: UnsafePointer<TimeDSPTimeline>!, _ outNs: UInt64, _ factor: Double
) -> UInt64 {
  guard outNs != noTime else { return outNs }
  guard let timeline, let times = Timeline(timeline.pointee) else {
    let fraction = Fraction(nearest: factor)
    return scaled(outNs, fraction.denominator, by: fraction.numerator)
  }
  return times.input(min(outNs, latestTime))
}

extension Timeline {
  /// What C keeps of it; `nil` where nothing has been played.
  init?(_ timeline: TimeDSPTimeline) {
    guard let pairs = timeline.pairs, timeline.count > 0, timeline.count <= timeline.capacity
    else { return nil }
    self.init(
      pairs, capacity: timeline.capacity, count: timeline.count,
      factor: Fraction(nearest: timeline.factor))
  }
}
