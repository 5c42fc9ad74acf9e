// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maximum number of frames that a decoder outputs after the end that a demuxer declares.
private let surplusFrames: UInt64 = 2
/// If a segment stops at most this time before or after the duration, the stop is taken to be the
/// end of the stream. MP4 rounds both times to milliseconds.
private let declaredApartNs: UInt64 = 2_000_000

/// Maximum error of the stop that downstream knows, in reverse playback: stream times are then
/// counted from the stop.
private let positionToleranceNs: UInt64 = 100_000_000

/// Maximum number of factor changes that are kept for the conversion of stream times. If there are
/// more, every second change is dropped.
private let mostPairs = 512

/// Maximum number of output segments that have not begun.
private let mostWaiting = 16

/// The segments of a stream before and after scaling. Maps input times to output times: times in a
/// segment, running times, and stream times.
///
/// If the element absorbs the playback rate, the rate becomes part of the scaling: at rate 2, the
/// input is scaled to half the duration, and the output segment has rate 1. `factor` is the factor
/// with which the input is then actually scaled.
struct TimeSegments: ~Copyable {
  /// The current segment of the input.
  var input = TimeSegment()
  /// The segment of the current output.
  var output = TimeSegment()
  /// Output segments that have not begun, in order.
  var waiting: FixedArray<TimeSegment>
  /// Multiplier of an instant rate change. The input is played at `multiplier` × `input.rate`. It
  /// is 1 without such a change.
  var multiplier = 1.0
  /// The part of the playback rate that is absorbed, that is, included in `factor`; 1 if nothing is
  /// absorbed.
  var absorbed = 1.0
  /// The factor with which the input is scaled: the requested factor divided by `absorbed`.
  private(set) var factor = 1.0
  /// The end of the input so far, as a time in the input segment.
  var endNs = noTime
  /// Maps times in the input segment to times in the output segment.
  private var map = LinearTimeMap(0, 0, 1)
  /// Maps running times of the input to running times of the output, across segments.
  private var baseMap = LinearTimeMap(0, 0, 1)
  /// Maps stream times of the input to stream times of the output, with all factors so far.
  var history: Timeline

  /// Begins without a segment. Throws if memory cannot be allocated.
  init(pairs: Int = mostPairs, waiting capacity: Int = mostWaiting) throws(TimeDSPStatus) {
    let history = try Timeline(capacity: pairs)
    waiting = try FixedArray(capacity: capacity)
    self.history = history
  }

  /// Restarts the running time after a flush. `factor` applies from then on.
  mutating func reset(_ factor: Double) {
    endNs = noTime
    multiplier = 1
    map = LinearTimeMap(0, 0, factor)
    baseMap = map
    waiting.removeAll()
  }

  var isReverse: Bool { output.applied_rate < 0 }

  /// The requested factor, clamped to the supported range.
  private var nominalFactor: Double { factor * absorbed }

  /// Sets the output segment for the input segment `segment`. The running time of the output
  /// continues where the previous output ended.
  ///
  /// `asked` is the requested factor. With `absorbs`, the playback rate is absorbed, as far as the
  /// range of factors allows. `rate` is the number of input frames per second; 0 if unknown.
  mutating func start(_ segment: TimeSegment, _ asked: Double, absorbs: Bool, rate: UInt32) {
    let speed = segment.rate * multiplier
    followBase(asked)
    waiting.removeAll()
    absorbed = absorbs ? speed : 1
    factor = absorbing(&absorbed, asked)
    map = LinearTimeMap(0, 0, factor)
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

  /// Makes `baseMap` map the end of the last input to the end of the last output, because several
  /// factors may have applied until then. The base of the next segment is a running time of the
  /// input.
  private mutating func followBase(_ factor: Double) {
    baseMap.slope = Fraction(nearest: factor)
    guard endNs != noTime else { return }
    let ends = (input.runningTime(of: endNs), newest.runningTime(of: mapped(endNs)))
    if ends.0 != noTime, ends.1 != noTime { baseMap = LinearTimeMap(ends.0, ends.1, factor) }
  }

  /// Begins a segment in `history`. Returns the stream time at which its output starts.
  private mutating func startHistory(_ factor: Double) -> UInt64 {
    // in reverse, the end is fixed, and a single factor applies to the whole segment
    if isReverse { history.start(Fraction(nearest: factor)) }
    let time = history.output(input.time, orBy: factor)
    if !isReverse, time != noTime { history.bend(at: input.time, time, factor) }
    return time
  }

  /// If the segment results from `seek`, sets its start and stop exactly to the output times of the
  /// seek. Scaling these times to the input and back could have changed them by 1 ns.
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

  /// Extends the output segment by `surplusFrames` if the input segment stops at the end of a
  /// stream with duration `duration`. Such a stop was declared by a demuxer, and the decoder may
  /// output a few more frames. Sinks must not clip them.
  mutating func allowSurplus(_ duration: UInt64, rate: UInt32) {
    guard !isReverse, rate > 0, output.stop != noTime, duration != noTime,
      input.stop >= input.start, let end = input.streamTime(of: input.stop),
      apart(end, duration) < declaredApartNs
    else { return }
    output.stop = output.stop &+ scaledTime(timeNsCovering(surplusFrames, rate: rate), by: factor)
  }

  /// Adopts the requested factor `asked` from input time `time` on, and moves the stop. No input
  /// after `time` has been scaled yet. Returns `false` if the factor has not changed.
  mutating func adoptFactor(_ asked: Double, from time: UInt64) -> Bool {
    let wanted = effective(asked)
    if wanted == factor { return false }
    _ = advance(to: noTime)  // all earlier output has been sent
    bend(at: TimePair(in: time, out: mapped(time)), wanted)
    if newest.stop != noTime { newest.stop = mapped(input.stop) }
    return true
  }

  /// The mean speed during a linear change of the speed from the current factor to `factor`.
  func meanSpeed(to factor: Double) -> Double { (1 / self.factor + 1 / factor) / 2 }

  /// Changes the factor to `factor` over `wayNs` of input, beginning at the times of `pair`.
  /// `factor` is not the requested factor, but already divided by `absorbed`. The speed changes
  /// linearly. The stop stays unchanged.
  mutating func move(at pair: TimePair, to factor: Double, within wayNs: Double) {
    let madeNs = wayNs / meanSpeed(to: factor)
    bend(at: pair, factor)
    note(
      TimePair(in: pair.in &+ wholeTime(wayNs), out: pair.out &+ wholeTime(madeNs)), toleranceNs: 0)
  }

  /// Makes all mappings continue with `factor` from the times of `pair` on.
  private mutating func bend(at pair: TimePair, _ factor: Double) {
    self.factor = factor
    map = LinearTimeMap(pair.in, pair.out, factor)
    bendHistory(at: pair)
    if isReverse { newest.time = startHistory(nominalFactor) }
    newest.duration = history.output(input.duration, orBy: nominalFactor)
  }

  /// Makes the mapping of stream times continue with the current factor from `pair` on, whose times
  /// are times in the segments.
  private mutating func bendHistory(at pair: TimePair) {
    guard !isReverse, let time = input.streamTime(of: pair.in),
      let outTime = newest.streamTime(of: pair.out)
    else { return }
    history.bend(at: time, outTime, nominalFactor)
  }

  /// Records that the input time and the output time of `pair` correspond. The mapping is corrected
  /// if it deviates by more than `toleranceNs`.
  mutating func note(_ pair: TimePair, toleranceNs: UInt64) {
    guard apart(mapped(pair.in), pair.out) > toleranceNs else { return }
    map = LinearTimeMap(pair.in, pair.out, factor)
    bendHistory(at: pair)
  }

  /// Applies an instant rate change: the input is played at `multiplier` times the rate of its
  /// segment. The whole rate is absorbed. Call `begin(at:)` when the position of the change is
  /// known.
  mutating func multiplyRate(_ multiplier: Double) {
    self.multiplier = multiplier
    absorbed = input.rate * multiplier
  }

  /// The output time for the input time `time`, both as times in their segments.
  func mapped(_ time: UInt64) -> UInt64 { map.mapped(time) }

  /// Whether the segment must be sent again, because downstream knows the wrong stop `sentStop`. In
  /// forward playback, this is necessary if audio would be clipped; in reverse, if positions would
  /// be wrong. Otherwise, a new segment is avoided, because resamplers and encoders restart
  /// audibly.
  func isOutdated(_ sentStop: UInt64, frameNs: UInt64) -> Bool {
    // the sent segment includes all frames before a waiting segment
    guard sentStop != noTime, waiting.isEmpty else { return false }
    let isCut = mapped(endNs) > sentStop &+ frameNs
    return isCut || isReverse && apart(sentStop, output.stop) > positionToleranceNs
  }

  /// The factor with which the input of this segment is scaled if the factor `asked` is requested.
  func effective(_ asked: Double) -> Double {
    var rate = absorbed
    return absorbing(&rate, asked)
  }
}

/// The times of a seek; `noTime` if not set. The application has requested the output times, and
/// the input times were sent upstream.
struct ScaledSeek {
  var outStartNs, outStopNs, inStartNs, inStopNs: UInt64
}

/// `factor / rate`, clamped to the range of factors: a stream that arrives at `rate` times its
/// speed, scaled by this factor, lasts `factor` times as long as at rate 1. `rate` must be above 0.
/// On return, `rate` is the part of the rate that is absorbed.
func absorbing(_ rate: inout Double, _ factor: Double) -> Double {
  let wanted = factor / rate
  let used = nearestFactor(wanted)
  if used != wanted { rate = factor / used }
  return used
}

/// The absolute difference of two times.
private func apart(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) &- min(one, other) }
