// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maximum number of frames that a decoder outputs after the end declared by a demuxer; also the
/// tolerance between the stop and the duration of a stream, both of which MP4 rounds to
/// milliseconds.
private let surplusFrames: UInt64 = 2
private let declaredApartNs: UInt64 = 2_000_000

/// Tolerance of the stop in reverse, where positions are counted from the stop.
private let positionToleranceNs: UInt64 = 100_000_000

/// Maximum number of changes of the factor that are kept. If this is exceeded, every second one is
/// dropped.
private let mostPairs = 512

/// Maximum number of rate changes while frames from before the first one are still being output.
private let mostWaiting = 16

/// The segments of a stream before and after scaling, and the mapping between their times: times in
/// a segment, running time, and stream time.
struct TimeSegments: ~Copyable {
  var input = TimeSegment()
  /// The segment of the current output. Later segments wait, in order.
  var output = TimeSegment()
  private let waitingStorage: Storage
  let waiting: UnsafeMutablePointer<TimeSegment>
  let waitingCapacity: Int
  var waitingCount = 0
  /// The multiplier of the rate of `input` by an instant rate change.
  var multiplier = 1.0
  /// The part of the rate that the factor includes; 1 if none.
  var absorbed = 1.0
  /// The current factor: the requested factor / `absorbed`.
  private(set) var factor = 1.0
  /// The end of the input so far.
  var endNs = noTime
  /// Maps times in the segment.
  private var map = Line(0, 0, 1)
  /// Maps running times across segments.
  private var baseMap = Line(0, 0, 1)
  /// Maps stream times.
  var history: Timeline

  /// The initial state, in which nothing has been played. Throws if memory cannot be allocated.
  init(pairs: Int = mostPairs, waiting capacity: Int = mostWaiting) throws(TimeDSPStatus) {
    let history = try Timeline(capacity: pairs)
    let storage = try Storage(bytes: capacity &* MemoryLayout<TimeSegment>.stride)
    self.history = history
    waiting = storage.base.bindMemory(to: TimeSegment.self, capacity: capacity)
    waitingStorage = storage
    waitingCapacity = capacity
  }

  /// Restarts the running time after a flush, with `factor`.
  mutating func reset(_ factor: Double) {
    endNs = noTime
    multiplier = 1
    map = Line(0, 0, factor)
    baseMap = map
    waitingCount = 0
  }

  var isReverse: Bool { output.applied_rate < 0 }

  /// The requested factor, clamped to the supported range.
  private var nominalFactor: Double { factor * absorbed }

  /// Sets the segment of the output for `segment`. Its running time continues where the previous
  /// output ended. `asked` is the requested factor; with `absorbs`, the rate is included in the
  /// factor as far as the range allows. `rate` is the number of input frames per second; 0 if
  /// unknown.
  mutating func start(_ segment: TimeSegment, _ asked: Double, absorbs: Bool, rate: UInt32) {
    let speed = segment.rate * multiplier
    followBase(asked)
    waitingCount = 0
    absorbed = absorbs ? speed : 1
    factor = absorbing(&absorbed, asked)
    map = Line(0, 0, factor)
    input = segment
    endNs = noTime
    output = segment
    output.rate = speed / absorbed
    output.applied_rate = segment.applied_rate * absorbed
    output.start = scaledTime(segment.start, by: factor)
    output.stop = scaledTime(
      lastFrameEndNs(from: segment.start, to: segment.stop, rate: rate), by: factor)
    output.position = scaledTime(segment.position, by: factor)
    output.offset = scaledTime(segment.offset, by: factor)
    output.time = startHistory(asked)
    output.duration = history.output(segment.duration, orBy: asked)
    output.base = baseMap.mapped(segment.base)
  }

  /// Makes `baseMap` pass through the end of the audio that has been played. The base of the next
  /// segment is the running time of everything that upstream has sent, and other factors may have
  /// applied to that time.
  private mutating func followBase(_ factor: Double) {
    baseMap.slope = Fraction(nearest: factor)
    guard endNs != noTime else { return }
    let ends = (input.runningTime(of: endNs), newest.runningTime(of: mapped(endNs)))
    if ends.0 != noTime, ends.1 != noTime { baseMap = Line(ends.0, ends.1, factor) }
  }

  /// Starts the stream times of a segment. Returns the stream time of its output.
  private mutating func startHistory(_ factor: Double) -> UInt64 {
    // in reverse, the end is fixed, and a single factor applies to the whole segment
    if isReverse { history.start(Fraction(nearest: factor)) }
    let time = history.output(input.time, orBy: factor)
    if !isReverse, time != noTime { history.bend(at: input.time, time, factor) }
    return time
  }

  /// If the segment answers `seek`, sets its start and stop exactly to the times of the seek.
  /// Otherwise, scaling to the input and back could change them by 1 ns.
  mutating func settle(_ seek: ScaledSeek) {
    guard input.time != noTime, seek.inStartNs == input.time else { return }
    output.time = seek.outStartNs
    if !isReverse { history.bend(at: input.time, output.time, nominalFactor) }
    let wanted = seek.outStopNs &- output.time
    if input.stop != noTime, seek.outStopNs != noTime, seek.outStopNs > output.time,
      input.applied_rate.magnitude == 1, seek.inStopNs &- input.time == input.stop &- input.start
    {
      output.stop = output.start &+ scaledTime(wanted, by: 1 / output.applied_rate.magnitude)
    }
  }

  /// If a segment ends where a stream of `duration` ends, its stop was declared by a demuxer rather
  /// than requested by an application, and decoders exceed it by a frame or two. Extends the
  /// segment by these frames, so that sinks do not clip them.
  mutating func allowSurplus(_ duration: UInt64, rate: UInt32) {
    guard !isReverse, rate > 0, output.stop != noTime, duration != noTime,
      input.stop >= input.start, let end = input.streamTime(of: input.stop),
      apart(end, duration) < declaredApartNs
    else { return }
    output.stop = output.stop &+ scaledTime(timeNsCovering(surplusFrames, rate: rate), by: factor)
  }

  /// Adopts a factor that is requested from input time `time` on, after which nothing has been
  /// scaled, and moves the stop; false if the factor has not changed.
  mutating func takeFactor(_ asked: Double, from time: UInt64) -> Bool {
    let wanted = effective(asked)
    if wanted == factor { return false }
    _ = advance(to: noTime)  // all earlier output has been sent
    bend(at: TimePair(in: time, out: mapped(time)), wanted)
    if newest.stop != noTime { newest.stop = mapped(input.stop) }
    return true
  }

  /// The mean speed while the speed changes linearly from that of the current factor to that of
  /// `factor`.
  func meanSpeed(to factor: Double) -> Double { (1 / self.factor + 1 / factor) / 2 }

  /// From `pair` on, changes the speed linearly to that of `factor` within `wayNs` of the input;
  /// `factor` is the one that is applied to the input. The stop does not change.
  mutating func move(at pair: TimePair, to factor: Double, within wayNs: Double) {
    let madeNs = wayNs / meanSpeed(to: factor)
    bend(at: pair, factor)
    note(
      TimePair(in: pair.in &+ wholeTime(wayNs), out: pair.out &+ wholeTime(madeNs)), toleranceNs: 0)
  }

  private mutating func bend(at pair: TimePair, _ factor: Double) {
    self.factor = factor
    map = Line(pair.in, pair.out, factor)
    bendHistory(at: pair)
    if isReverse { newest.time = startHistory(nominalFactor) }
    newest.duration = history.output(input.duration, orBy: nominalFactor)
  }

  /// Applies the change to stream times; `pair` has two times in the segments.
  private mutating func bendHistory(at pair: TimePair) {
    guard !isReverse, let time = input.streamTime(of: pair.in),
      let heard = newest.streamTime(of: pair.out)
    else { return }
    history.bend(at: time, heard, nominalFactor)
  }

  /// Records that the times of `pair` correspond to each other. Corrects the mapping if it deviates
  /// by more than `toleranceNs`.
  mutating func note(_ pair: TimePair, toleranceNs: UInt64) {
    guard apart(mapped(pair.in), pair.out) > toleranceNs else { return }
    map = Line(pair.in, pair.out, factor)
    bendHistory(at: pair)
  }

  /// Applies an instant rate change: the input is played at `multiplier` times the rate of its
  /// segment. The whole rate is included in the requested factor. Call `begin(at:)` when the
  /// position of the change is known.
  mutating func multiplyRate(_ multiplier: Double) {
    self.multiplier = multiplier
    absorbed = input.rate * multiplier
  }

  /// The output time for the input time `time`, both in their segments.
  func mapped(_ time: UInt64) -> UInt64 { map.mapped(time) }

  /// Whether downstream, which knows a segment that stops at `sentStop`, needs another one: audio
  /// would be cut there, or in reverse the stop would make positions wrong. A new segment is
  /// audible if resamplers or encoders follow, because they start again.
  func isOutdated(_ sentStop: UInt64, frameNs: UInt64) -> Bool {
    // the sent segment has room for the frames before a waiting one
    guard sentStop != noTime, waitingCount == 0 else { return false }
    let isCut = mapped(endNs) > sentStop &+ frameNs
    return isCut || isReverse && apart(sentStop, output.stop) > positionToleranceNs
  }

  /// The factor that is applied to the input of this segment if `asked` is requested.
  func effective(_ asked: Double) -> Double {
    var rate = absorbed
    return absorbing(&rate, asked)
  }
}

/// Times of a seek: of the output, as the application gave them, and of the input, as they were
/// sent upstream; `noTime` if not set.
struct ScaledSeek {
  var outStartNs, outStopNs, inStartNs, inStopNs: UInt64
}

/// The factor for a stream that arrives at `rate` times its speed, with which the output lasts
/// `factor` times as long as the stream: `factor / rate`, clamped to the range of factors. `rate`,
/// above 0, is set to the part of it that the result includes.
func absorbing(_ rate: inout Double, _ factor: Double) -> Double {
  let wanted = factor / rate
  let used = nearestFactor(wanted)
  if used != wanted { rate = factor / used }
  return used
}

/// The absolute difference of two times.
private func apart(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) &- min(one, other) }
