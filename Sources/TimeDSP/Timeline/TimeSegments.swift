// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// What a decoder may make beyond the end that a demuxer has declared, and how far
/// the stop and the duration of a stream are apart: MP4 rounds both to milliseconds.
private let surplusFrames: UInt64 = 2
private let declaredApartNs: UInt64 = 2_000_000

/// Backwards, positions are counted from the stop.
private let positionToleranceNs: UInt64 = 100_000_000

/// The segments before and after a stream is scaled: the C `TimeSegments`.
extension TimeSegments {
  init(
    _ pairs: UnsafeMutablePointer<TimeDSPTimePair>?, capacity: Int,
    _ waiting: UnsafeMutablePointer<TimeSegment>?, waitingCapacity: Int
  ) {
    self.init()
    self.waiting = waiting
    waiting_capacity = waiting == nil ? 0 : waitingCapacity
    history = TimeDSPTimeline(pairs: pairs, capacity: capacity, count: 0, factor: 1)
    factor = 1
    absorbed = 1
    reset(1)
  }

  mutating func reset(_ factor: Double) {
    end_ns = noTime
    multiplier = 1
    map = TimeDSPLine(0, 0, factor)
    base_map = map
    waiting_count = 0
  }

  var isReverse: Bool { output.applied_rate < 0 }

  /// The factor that is asked for, cut to the range that has an effect.
  private var nominalFactor: Double { factor * absorbed }

  /// Makes the output's segment for `segment`.
  mutating func start(_ segment: TimeSegment, _ asked: Double, absorbs: Bool, rate: UInt32) {
    let speed = segment.rate * multiplier
    followBase(asked)
    waiting_count = 0
    absorbed = absorbs ? speed : 1
    factor = absorb(asked, &absorbed)
    map = TimeDSPLine(0, 0, factor)
    input = segment
    end_ns = noTime
    output = segment
    output.rate = speed / absorbed
    output.applied_rate = segment.applied_rate * absorbed
    output.start = timedsp_scale_time(segment.start, factor)
    output.stop = timedsp_scale_time(
      timedsp_last_frame_end(segment.start, segment.stop, rate), factor)
    output.position = timedsp_scale_time(segment.position, factor)
    output.offset = timedsp_scale_time(segment.offset, factor)
    output.time = startHistory(asked)
    output.duration = timedsp_timeline_to_output(&history, segment.duration, asked)
    output.base = timedsp_line_to_output(&base_map, segment.base)
  }

  /// The base of the next segment is the running time of everything that upstream has
  /// sent. Other factors may have scaled that time, so the line goes through the end of
  /// the audio that has been played.
  private mutating func followBase(_ factor: Double) {
    base_map.factor = factor
    guard end_ns != noTime else { return }
    let ends = (input.runningTime(of: end_ns), newest.runningTime(of: mapped(end_ns)))
    if ends.0 != noTime, ends.1 != noTime { base_map = TimeDSPLine(ends.0, ends.1, factor) }
  }

  /// Starts the stream times of a segment. Returns the stream time of its output.
  private mutating func startHistory(_ factor: Double) -> UInt64 {
    // Backwards, the end is fixed, and one factor holds all the way to it.
    if isReverse { _ = timedsp_timeline_start(&history, factor) }
    let time = timedsp_timeline_to_output(&history, input.time, factor)
    if !isReverse, time != noTime { _ = timedsp_timeline_bend(&history, input.time, time, factor) }
    return time
  }

  mutating func settle(_ seek: TimeSeek) {
    guard input.time != noTime, seek.in_start_ns == input.time else { return }
    output.time = seek.out_start_ns
    if !isReverse { _ = timedsp_timeline_bend(&history, input.time, output.time, nominalFactor) }
    let wanted = seek.out_stop_ns &- output.time
    if input.stop != noTime, seek.out_stop_ns != noTime, seek.out_stop_ns > output.time,
      input.applied_rate.magnitude == 1, seek.in_stop_ns &- input.time == input.stop &- input.start
    {
      output.stop = output.start &+ timedsp_scale_time(wanted, 1 / output.applied_rate.magnitude)
    }
  }

  mutating func allowSurplus(_ duration: UInt64, rate: UInt32) {
    guard !isReverse, rate > 0, output.stop != noTime, duration != noTime,
      input.stop >= input.start, let end = input.streamTime(of: input.stop),
      apart(end, duration) < declaredApartNs
    else { return }
    let frames = UInt64(rate)
    let surplusNs = (surplusFrames &* 1_000_000_000 &+ frames &- 1).quotient(by: frames)
    output.stop = output.stop &+ timedsp_scale_time(surplusNs, factor)
  }

  /// Takes a factor that is asked for from `time` on; false if it is in force already.
  mutating func takeFactor(_ asked: Double, from time: UInt64) -> Bool {
    let wanted = effective(asked)
    if wanted == factor { return false }
    _ = turn(at: noTime)  // all that came before has left
    bend(at: time, mapped(time), wanted)
    if newest.stop != noTime { newest.stop = mapped(input.stop) }
    return true
  }

  func meanSpeed(to factor: Double) -> Double { (1 / self.factor + 1 / factor) / 2 }

  mutating func move(at from: UInt64, _ to: UInt64, to factor: Double, within wayNs: Double) {
    let madeNs = wayNs / meanSpeed(to: factor)
    bend(at: from, to, factor)
    note(from &+ wholeTime(wayNs), at: to &+ wholeTime(madeNs), toleranceNs: 0)
  }

  private mutating func bend(at from: UInt64, _ to: UInt64, _ factor: Double) {
    self.factor = factor
    map = TimeDSPLine(from, to, factor)
    bendHistory(at: from, to)
    if isReverse { newest.time = startHistory(nominalFactor) }
    newest.duration = timedsp_timeline_to_output(&history, input.duration, nominalFactor)
  }

  /// The same for the stream times of two times inside the segments.
  private mutating func bendHistory(at from: UInt64, _ to: UInt64) {
    guard !isReverse, let time = input.streamTime(of: from), let heard = newest.streamTime(of: to)
    else { return }
    _ = timedsp_timeline_bend(&history, time, heard, nominalFactor)
  }

  mutating func note(_ from: UInt64, at to: UInt64, toleranceNs: UInt64) {
    guard apart(mapped(from), to) > toleranceNs else { return }
    map = TimeDSPLine(from, to, factor)
    bendHistory(at: from, to)
  }

  mutating func multiplyRate(_ multiplier: Double) {
    self.multiplier = multiplier
    absorbed = input.rate * multiplier
  }

  func mapped(_ time: UInt64) -> UInt64 {
    withUnsafePointer(to: map) { timedsp_line_to_output($0, time) }
  }

  func isOutdated(_ sentStop: UInt64, frameNs: UInt64) -> Bool {
    // What leaves before a segment that waits has room in that which was sent.
    guard sentStop != noTime, waiting_count == 0 else { return false }
    let isCut = mapped(end_ns) > sentStop &+ frameNs
    return isCut || isReverse && apart(sentStop, output.stop) > positionToleranceNs
  }

  func effective(_ asked: Double) -> Double {
    var rate = absorbed
    return absorb(asked, &rate)
  }

  private func absorb(_ asked: Double, _ rate: inout Double) -> Double {
    timedsp_absorb_rate(asked, &rate)
  }
}

extension TimeDSPLine {
  fileprivate init(_ from: UInt64, _ to: UInt64, _ factor: Double) {
    self.init(pair: TimeDSPTimePair(in: from, out: to), factor: factor)
  }
}

/// The distance of two times.
private func apart(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) &- min(one, other) }
