// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

struct ScalerSettings {
  let shape: AudioShape
  let interpolation: TimeDSPInterpolation
  let sinc: SincQuality

  /// Throws for an unknown format, layout or interpolation, or if the channels or the quality are
  /// out of range.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    shape = try AudioShape(config)
    interpolation = config.interpolation
    try require(interpolation.isKnown, else: TIMEDSP_BAD_INTERPOLATION)
    try require(config.quality <= SincQuality.highest, else: TIMEDSP_BAD_QUALITY)
    sinc = SincQuality(config.quality)
  }

  var reach: Reach { Reach(interpolation, sinc) }
}

/// Changes the duration and the pitch of a stream together, by interpolation.
///
/// All memory is allocated on creation. After that, no function allocates, locks or makes system
/// calls. A scaler owns everything that its pointers refer to, so you may hand it to another
/// thread.
package struct Scaler: FrameStream, ~Copyable, @unchecked Sendable {
  let settings: ScalerSettings
  private var positions: ReadCursor
  private var history: History
  private let pointMemory: Storage
  private let points: ReadPoints
  private let sincMemory: Storage
  private var sinc: Sinc?
  let memoryBytes: Int
  private(set) var hasEnded = false

  init(_ settings: ScalerSettings, _ positions: ReadCursor) throws(TimeDSPStatus) {
    let window = settings.reach.window(scale: positions.minScaleEver)
    let history = try History(
      settings.shape, window, past: positions.past(scale: positions.minScaleEver))
    let pointMemory = try Storage(bytes: ReadPoints.bytes)
    let plan = SincPlan(
      settings, positions.reading, longest: window.after, isFixed: positions.endpoints != nil)
    let sincMemory = try Storage(bytes: plan?.bytes ?? 1)
    self.settings = settings
    self.positions = positions
    self.history = history
    points = ReadPoints(memory: pointMemory.base)
    self.pointMemory = pointMemory
    sinc = plan.map { Sinc($0, sincMemory.base) }
    self.sincMemory = sincMemory
    memoryBytes =
      MemoryLayout<Scaler>.size &+ self.history.bytes &+ ReadPoints.bytes &+ (plan?.bytes ?? 1)
  }

  var shape: AudioShape { settings.shape }

  /// The widest window of all positions until the factor is set again.
  var widestWindow: Window { positions.widestWindow(settings.reach) }

  /// Where we read the next output frame: the input frame at or before that position, and the
  /// distance from it, 0 ..< 1.
  var position: (frame: Int64, fraction: Double) { (positions.index, positions.fraction) }

  var received: Int64 { history.received }

  /// How many more output frames to expect if the input ends after `frames` more frames. It's an
  /// upper bound during a ramp.
  func framesDue(_ frames: Int64) -> UInt64 {
    positions.framesDue(arrived: received &+ (hasEnded ? 0 : frames))
  }

  /// Ramps the factor over `frames` input frames. Returns `false` if the factor is fixed.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    frames == 0
      ? positions.setFactor(factor)
      : positions.ramp(to: factor, within: rampFrames(to: factor, within: frames))
  }

  /// The length of the ramp in input frames: `frames`, or more if a shorter ramp would read frames
  /// that we never stored in the history.
  ///
  /// At speed v, a kernel with h frames on either side reaches back h × v frames. On a ramp with v²
  /// = v0² + 2 × a × x, x frames after the start of the ramp, the kernel reaches back to h × v - x
  /// frames before the start. The maximum of this distance is h² × a / 2 + v0² / (2 × a). If we've
  /// stored k frames, a is the larger solution of k = h² × a / 2 + v0² / (2 × a).
  func rampFrames(to factor: Fraction, within frames: UInt64) -> UInt64 {
    guard settings.interpolation == TIMEDSP_SINC, let speed = positions.speed,
      !history.knowsAll(before: positions.index)
    else { return frames }
    let half = Double(settings.sinc.half)
    let start = max(speed, 1)
    // kernels are padded to whole blocks
    let known =
      Double(history.knownFrames(before: positions.index)) - Double(SincQuality.block &+ 1)
    let end = Double(factor.denominator) / Double(factor.numerator)
    guard end > start, known > half * start else { return frames }
    let acceleration =
      (known + (known * known - half * half * start * start).squareRoot())
      / (half * half)
    let least = (end * end - speed * speed) / (2 * acceleration)
    return max(frames, UInt64(truncatingIfNeeded: timedsp_whole_part(least) &+ 1))
  }

  /// In input frames per output frame. `nil` if the factor is fixed.
  var speed: Double? { positions.speed }

  var steadyFrom: Double { positions.steadyFrom }

  /// Gradually changes the factor to 1 over `steps` output frames. The output frame after that is
  /// exactly input frame `frame`.
  mutating func land(on frame: Int64, after steps: UInt64) {
    _ = positions.land(on: frame, after: steps)
  }

  /// True if we've output all received frames, and every further input frame will come out
  /// unchanged.
  var isIdentity: Bool { positions.isIdentity && positions.index == received }

  /// If this is false, both the factor and the length are fixed.
  var isStream: Bool { positions.endpoints == nil }

  /// Continues from the position of `other`, which must have the same format.
  mutating func adopt(_ other: borrowing Scaler) {
    positions = other.positions
    history.adopt(other.history, at: positions.index, past: positions.past)
  }

  /// Counts frames that you've passed on unmodified. If the scaler would have changed them, this
  /// returns `false` and does nothing.
  mutating func pass(_ input: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    guard positions.pass(frames, after: received) else { return false }
    history.pass(input, consumed: frames, past: passedPast)
    return true
  }

  /// How many frames we keep during passthrough. At factor 1, the kernel needs at most half of them
  /// before a position, and they're enough for a ramp with any other kernel (`rampFrames`).
  private var passedPast: Int {
    max(
      2 &* settings.sinc.half,
      SincQuality.longestHalf(scale: 1) &+ 2 &* (SincQuality.block &+ 1))
  }

  /// Starts over with the same factor.
  package mutating func reset() {
    positions.reset()
    history.reset()
    hasEnded = false
  }
}

extension Scaler {
  /// Returns the number of frames consumed, which is only less than `frames` if `sink` is full.
  mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int, into sink: inout FrameSink
  ) -> Int {
    let offered = positions.accepted(frames, after: received)
    reachBack()
    let arrived = received &+ Int64(truncatingIfNeeded: offered)
    let joined = history.join(
      input, frames: offered, positions.widestWindow(settings.reach))
    render(history.source, arrived: arrived, into: &sink)
    if let input, joined < offered {
      let source = FrameSource(planes: input, first: received, end: arrived)
      render(source, arrived: arrived, into: &sink)
    }
    // if the input is enough for one more frame, the output must be full
    var next = positions
    let all = FrameSource(planes: history.source.planes, first: .min, end: arrived)
    let isFull = next.fill(points, limit: 1, settings, from: all, arrived: arrived) > 0
    // If the sink is full, we only consume what's before the position, and the caller passes the
    // rest again.
    let passed = max(positions.framesPassed, received)
    let end = isFull ? min(passed, arrived) : arrived
    let consumed = Int(truncatingIfNeeded: end &- received)
    history.settle(
      input, consumed: consumed, neededFrom: positions.index, past: positions.past)
    return isFull ? consumed : frames
  }

  /// Writes the remaining output. The first call ends the input.
  mutating func finish(into sink: inout FrameSink) {
    if !hasEnded {
      hasEnded = true
      positions.endInput(after: received)
    }
    reachBack()
    history.repeatLast(positions.widestWindow(settings.reach))
    render(history.source, arrived: received, into: &sink)
  }

  /// Makes sure that all frames that the next position and later ones might need can be read.
  private mutating func reachBack() {
    let start = min(positions.index, received &- 1)
    history.reachBack(to: start &- Int64(truncatingIfNeeded: widestWindow.before))
  }

  /// Stops when `sink` is full, or when `source` doesn't have enough frames for the next output
  /// frame. `arrived` counts all input frames so far, including those after `source`.
  private mutating func render(
    _ source: FrameSource, arrived: Int64, into sink: inout FrameSink
  ) {
    guard let target = sink.planes else { return }
    while sink.room > 0 {
      let limit = min(sink.room, ReadPoints.capacity)
      let reading = positions.reading
      let count = positions.fill(points, limit: limit, settings, from: source, arrived: arrived)
      guard count > 0 else { return }
      if !reading.isIdentity, sinc != nil {
        sinc?.prepare(points, count, reading)
        sinc?.interpolate(points, count, reading, shape, from: source, to: target, made: sink.made)
      } else {
        interpolate(count, from: source, to: target, made: sink.made)
      }
      sink.made &+= count
    }
  }

  private borrowing func interpolate(
    _ count: Int, from source: FrameSource,
    to target: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    for plane in upTo(shape.planes) {
      if let from = source.planes[plane], let to = target[plane] {
        points.interpolate(
          count, settings.interpolation, shape, from: from, to: to + made &* shape.frameBytes)
      }
    }
  }
}

// The interface for callers in C and Swift. We check all arguments before we touch memory.
extension Scaler {
  /// Makes a scaler for a stream of any length. We read output frame k at input position k /
  /// factor, and output it once the whole span [k / factor, (k + 1) / factor) has arrived, so n
  /// input frames become floor (n × factor) output frames. We repeat the first or last frame beyond
  /// the ends of the stream. Allocates memory and computes kernels.
  package init(_ config: TimeDSPConfig, factor: Double) throws(TimeDSPStatus) {
    let settings = try ScalerSettings(config)
    try self.init(settings, ReadCursor(Fraction(checked: factor)))
  }

  /// Consumes frames from `input` and writes the result to `output`. Both are arrays of plane
  /// addresses. Returns the numbers of frames consumed and produced. Real-time.
  package mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> (used: Int, made: Int) {
    try check(input, frames, output, capacity)
    try require(!hasEnded, else: TIMEDSP_FINISHED)
    var sink = FrameSink(planes: output, capacity: capacity)
    let used = process(input, frames: frames, into: &sink)
    return (used, sink.made)
  }

  /// Writes the frames that are left after the end of the input, and returns how many. Real-time.
  package mutating func finish(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> Int {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    finish(into: &sink)
    return sink.made
  }

  /// Starting at the next output frame, changes the factor to `factor` over the next `frames` input
  /// frames. The speed, 1 / factor, changes linearly over the output, like the speed of a tape. If
  /// v0 is the current speed, v1 = 1 / `factor`, and X = `frames`, then x frames after the current
  /// position
  ///
  ///     speed (x) = sqrt (v0² + (v1² - v0²) × x / X)
  ///     output frames up to x = 2 × x / (v0 + speed (x)), rounded down (the factor's integral)
  ///     input position of output frame k, from here = v0 × k + (v1² - v0²) × k² / (4 × X)
  ///
  /// and after X, the factor is exactly `factor`. If you call this again during a ramp, the new
  /// ramp continues from the current position and speed. `reset` jumps to the end of the ramp.
  /// Real-time.
  package mutating func ramp(to factor: Double, within frames: UInt64) throws(TimeDSPStatus) {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    try require(ramp(to: fraction, within: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// The max number of output frames still to come if the input ends after `frames` more frames.
  /// Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return UInt64(truncatingIfNeeded: try streamLength(framesDue(frames)))
  }

  /// The latency in input frames. Real-time.
  package var latency: Int { widestWindow.after }

  /// The number of output frames for `frames` input frames: floor (frames × factor). We take a
  /// factor as the simplest fraction that converts to the same double, so 10 frames × 0.7 gives 7
  /// frames, not 6. Real-time.
  package static func length(
    of frames: UInt64, scaledBy factor: Double
  ) throws(TimeDSPStatus) -> UInt64 {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    return UInt64(truncatingIfNeeded: try streamLength(fraction.scaled(frames)))
  }

  /// Scales `count` frames to `length` frames. Output frame i is read at input position
  /// i × (count - 1) / (length - 1), like scaleToD in "Scaling Audio Files". We use double
  /// precision as it does, so the results agree to the last digit.
  package static func fit(
    _ config: TimeDSPConfig, _ input: UnsafePointer<UnsafeRawPointer?>?, count: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int, length: Int
  ) throws(TimeDSPStatus) {
    // a size_t above Int.max, taken as a bit pattern, exceeds every limit too
    var scaler = try Scaler(
      ScalerSettings(config), count: UInt64(bitPattern: Int64(count)),
      length: UInt64(bitPattern: Int64(length)))
    try scaler.check(input, count, output, capacity)
    try require(capacity >= length, else: TIMEDSP_OUTPUT_TOO_SMALL)
    var sink = FrameSink(planes: output, capacity: capacity)
    _ = scaler.process(input, frames: count, into: &sink)
    scaler.finish(into: &sink)
  }
}

extension Scaler {
  /// Makes a scaler from `count` frames to `length` frames. We ignore any input after that. If the
  /// input ends early, we repeat its last frame.
  init(_ settings: ScalerSettings, count: UInt64, length: UInt64) throws(TimeDSPStatus) {
    try self.init(settings, ReadCursor(count: count, length: length, settings))
  }
}

extension ReadCursor {
  /// Makes a cursor from `count` frames to `length` frames. Throws if either number exceeds
  /// `maxFrames`, or if `count` is 0 and `length` isn't.
  init(
    count: UInt64, length: UInt64, _ settings: ScalerSettings
  ) throws(TimeDSPStatus) {
    try require(count > 0 || length == 0, else: TIMEDSP_BAD_LENGTH)
    self.init(
      EndpointSteps(
        count: try streamLength(count), length: try streamLength(length),
        smooth: settings.interpolation == TIMEDSP_SMOOTH))
  }
}

/// Throws above `maxFrames`, the max length of a stream.
func streamLength(_ frames: UInt64) throws(TimeDSPStatus) -> Int64 {
  try require(frames <= UInt64(truncatingIfNeeded: maxFrames), else: TIMEDSP_BAD_LENGTH)
  return Int64(truncatingIfNeeded: frames)
}

extension Fraction {
  /// Throws unless the factor is in 0.01 … 100.
  init(checked factor: Double) throws(TimeDSPStatus) {
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    self = fraction
  }
}
