// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Most frames of a decoder beyond the end that a demuxer has declared, and the difference between
/// the stop and the duration of a stream: MP4 rounds both to milliseconds.
private let surplusFrames: UInt64 = 2
private let declaredApartNs: UInt64 = 2_000_000

/// Backwards, positions are counted from the stop.
private let positionToleranceNs: UInt64 = 100_000_000

/// Changes of the factor that are remembered. When all are in use, every other one is forgotten.
private let mostPairs = 512

/// Most changes of the rate that may arrive while the frames buffered before the first one leave.
private let mostWaiting = 16

/// The segments of a stream before and after it is scaled, and the map between their times: inside
/// a segment, of running time, and of stream time.
struct TimeSegments: ~Copyable {
  var input = TimeSegment()
  /// Segment of the present output. Those that begin later wait, the first one first.
  var output = TimeSegment()
  private let waitingStorage: Storage
  let waiting: UnsafeMutablePointer<TimeSegment>
  let waitingCapacity: Int
  var waitingCount = 0
  /// Multiplier of the rate of `input`, by an instant change.
  var multiplier = 1.0
  /// The part of the rate that is in the factor; 1: none.
  var absorbed = 1.0
  /// Factor in force: the requested factor / `absorbed`.
  private(set) var factor = 1.0
  /// The end of the input so far.
  var endNs = noTime
  /// Times inside the segment.
  private var map = Line(0, 0, 1)
  /// Running times, from segment to segment.
  private var baseMap = Line(0, 0, 1)
  /// Stream times.
  var history: Timeline

  /// Nothing has been played. Throws if there is no memory.
  init(pairs: Int = mostPairs, waiting capacity: Int = mostWaiting) throws(TimeDSPStatus) {
    let history = try Timeline(capacity: pairs)
    let storage = try Storage(bytes: capacity &* MemoryLayout<TimeSegment>.stride)
    self.history = history
    waiting = storage.base.bindMemory(to: TimeSegment.self, capacity: capacity)
    waitingStorage = storage
    waitingCapacity = capacity
  }

  /// After a flush: the running time starts again, with `factor`.
  mutating func reset(_ factor: Double) {
    endNs = noTime
    multiplier = 1
    map = Line(0, 0, factor)
    baseMap = map
    waitingCount = 0
  }

  var isReverse: Bool { output.applied_rate < 0 }

  /// The requested factor, clamped to the range that has an effect.
  private var nominalFactor: Double { factor * absorbed }

  /// Makes the output's segment for `segment`. Its running time continues where the output of the
  /// last one ended. `asked` is the requested factor; if it `absorbs`, the rate becomes a part of
  /// that, as far as its range allows. `rate`: frames per second of the input; 0: unknown.
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

  /// The base of the next segment is the running time of everything that upstream has
  /// sent. Other factors may have scaled that time, so the line goes through the end of
  /// the audio that has been played.
  private mutating func followBase(_ factor: Double) {
    baseMap.slope = Fraction(nearest: factor)
    guard endNs != noTime else { return }
    let ends = (input.runningTime(of: endNs), newest.runningTime(of: mapped(endNs)))
    if ends.0 != noTime, ends.1 != noTime { baseMap = Line(ends.0, ends.1, factor) }
  }

  /// Starts the stream times of a segment. Returns the stream time of its output.
  private mutating func startHistory(_ factor: Double) -> UInt64 {
    // Backwards, the end is fixed, and one factor holds all the way to it.
    if isReverse { history.start(Fraction(nearest: factor)) }
    let time = history.output(input.time, orBy: factor)
    if !isReverse, time != noTime { history.bend(at: input.time, time, factor) }
    return time
  }

  /// If the segment answers `seek`, makes it begin and end exactly at the times of the seek. Times
  /// that are scaled to the input and back may be off by 1 ns.
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

  /// If a segment ends where a stream of `duration` ends, no application has asked for its stop: a
  /// demuxer has declared it, and decoders exceed it by a frame or two. Makes room for these, so
  /// that no sink clips them.
  mutating func allowSurplus(_ duration: UInt64, rate: UInt32) {
    guard !isReverse, rate > 0, output.stop != noTime, duration != noTime,
      input.stop >= input.start, let end = input.streamTime(of: input.stop),
      apart(end, duration) < declaredApartNs
    else { return }
    output.stop = output.stop &+ scaledTime(timeNsCovering(surplusFrames, rate: rate), by: factor)
  }

  /// Adopts a factor that is requested from `time` of the input on, after which nothing has been
  /// scaled, and moves the stop; false if it is in force already.
  mutating func takeFactor(_ asked: Double, from time: UInt64) -> Bool {
    let wanted = effective(asked)
    if wanted == factor { return false }
    _ = advance(to: noTime)  // all that came before has left
    bend(at: TimePair(in: time, out: mapped(time)), wanted)
    if newest.stop != noTime { newest.stop = mapped(input.stop) }
    return true
  }

  /// The mean speed while that moves evenly from the factor in force to `factor`.
  func meanSpeed(to factor: Double) -> Double { (1 / self.factor + 1 / factor) / 2 }

  /// From `pair` on, the speed moves evenly to that of `factor`, which scales the input, within
  /// `wayNs` of the input. The stop does not change.
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

  /// The same for the stream times of two times inside the segments.
  private mutating func bendHistory(at pair: TimePair) {
    guard !isReverse, let time = input.streamTime(of: pair.in),
      let heard = newest.streamTime(of: pair.out)
    else { return }
    history.bend(at: time, heard, nominalFactor)
  }

  /// The times of `pair` lie at each other. Corrects the map if it differs by more than that.
  mutating func note(_ pair: TimePair, toleranceNs: UInt64) {
    guard apart(mapped(pair.in), pair.out) > toleranceNs else { return }
    map = Line(pair.in, pair.out, factor)
    bendHistory(at: pair)
  }

  /// The input arrives at `multiplier` times the rate of its segment. All of that rate becomes a
  /// part of the requested factor. Call `begin(at:)` once it is known from where on.
  mutating func multiplyRate(_ multiplier: Double) {
    self.multiplier = multiplier
    absorbed = input.rate * multiplier
  }

  /// The time of the output at which `time` of the input lies, inside the segment.
  func mapped(_ time: UInt64) -> UInt64 { map.mapped(time) }

  /// Whether downstream, which knows of a segment that stops at `sentStop`, has to be sent another
  /// one: audio would be cut there, or (backwards) that stop makes positions wrong. A segment is
  /// audible where resamplers or encoders follow, which start over.
  func isOutdated(_ sentStop: UInt64, frameNs: UInt64) -> Bool {
    // the sent segment has room for the frames before a waiting one
    guard sentStop != noTime, waitingCount == 0 else { return false }
    let isCut = mapped(endNs) > sentStop &+ frameNs
    return isCut || isReverse && apart(sentStop, output.stop) > positionToleranceNs
  }

  /// The factor that scales the input of this segment if `asked` is requested.
  func effective(_ asked: Double) -> Double {
    var rate = absorbed
    return absorbing(&rate, asked)
  }
}

/// Times of a seek: of the output, as the application gave them, and of the input, as they were
/// sent upstream; `noTime`: not set.
struct ScaledSeek {
  var outStartNs, outStopNs, inStartNs, inStopNs: UInt64
}

/// The factor with which a stream that arrives at `rate` times its speed is scaled, so that its
/// output lasts `factor` times the stream: `factor / rate`, or the nearer end of the range of
/// factors. `rate`, above 0, becomes the part of it that is in the result.
func absorbing(_ rate: inout Double, _ factor: Double) -> Double {
  let wanted = factor / rate
  let used = nearestFactor(wanted)
  if used != wanted { rate = factor / used }
  return used
}

/// The distance of two times.
private func apart(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) &- min(one, other) }
