// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

struct ScalerSettings {
  let shape: AudioShape
  let interpolation: TimeDSPInterpolation
  let sinc: SincQuality

  /// Throws for an unknown format, layout or interpolation, and for channels or a quality out of
  /// range.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    shape = try AudioShape(config)
    interpolation = config.interpolation
    try require(interpolation.isKnown, else: TIMEDSP_BAD_INTERPOLATION)
    try require(config.quality <= SincQuality.highest, else: TIMEDSP_BAD_QUALITY)
    sinc = SincQuality(config.quality)
  }

  var reach: Reach { Reach(interpolation, sinc) }
}

/// Changes duration and pitch of a stream together, by interpolation. In C, a `TimeDSPScaler`
/// contains one.
///
/// Memory is allocated on creation. After that, no function allocates, locks or makes system calls.
/// A scaler owns all that its pointers refer to, so you may hand it to another thread.
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

  /// For the positions until the factor is set again.
  var widestWindow: Window { positions.widestWindow(settings.reach) }

  /// Where the next output frame is read: the input frame at or before it, and the distance from
  /// there, 0 ..< 1.
  var position: (frame: Int64, fraction: Double) { (positions.index, positions.fraction) }

  var received: Int64 { history.received }

  /// Output frames still to come if the input ends after `frames` more frames. During a ramp, it's
  /// an upper bound.
  func framesDue(_ frames: Int64) -> UInt64 {
    positions.framesDue(arrived: received &+ (hasEnded ? 0 : frames))
  }

  /// Within `frames` input frames. Returns `false` if the factor is fixed.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    frames == 0
      ? positions.setFactor(factor)
      : positions.ramp(to: factor, within: rampFrames(to: factor, within: frames))
  }

  /// In input frames: `frames`, or more if a shorter ramp would read frames that the history has
  /// never stored.
  ///
  /// At speed v, a kernel with h frames on either side reaches back h × v frames. On a ramp with v²
  /// = v0² + 2 × a × x, x frames after the start of the ramp, the kernel reaches to h × v - x
  /// frames before the start. The maximum of this distance is h² × a / 2 + v0² / (2 × a). If k
  /// frames are stored, a is the larger solution of k = h² × a / 2 + v0² / (2 × a).
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

  /// Changes the factor gradually to 1 within `steps` output frames. The next one is exactly input
  /// frame `frame`.
  mutating func land(on frame: Int64, after steps: UInt64) {
    _ = positions.land(on: frame, after: steps)
  }

  /// All received frames have been output, and from now on each input frame is an output frame.
  var isIdentity: Bool { positions.isIdentity && positions.index == received }

  /// If false, the factor is fixed, and so is the length.
  var isStream: Bool { positions.endpoints == nil }

  /// At its position. Both scalers must have the same format.
  mutating func adopt(_ other: borrowing Scaler) {
    positions = other.positions
    history.adopt(other.history, at: positions.index, past: positions.past)
  }

  /// You output these frames unmodified. If the scaler's output would differ, this returns `false`
  /// and does nothing.
  mutating func pass(_ input: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    guard positions.pass(frames, after: received) else { return false }
    history.pass(input, consumed: frames, past: passedPast)
    return true
  }

  /// What we keep during passthrough. At factor 1, the kernel needs at most half of it before a
  /// position, and it's enough for a ramp with any other kernel (`rampFrames`).
  private var passedPast: Int {
    max(
      2 &* settings.sinc.half,
      SincQuality.longestHalf(scale: 1) &+ 2 &* (SincQuality.block &+ 1))
  }

  /// Keeps the factor.
  package mutating func reset() {
    positions.reset()
    history.reset()
    hasEnded = false
  }
}

extension Scaler {
  /// Returns the number of consumed frames. It's less than `frames` only if `sink` is full.
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
    // if we could compute one more frame from all frames, the output is full
    var next = positions
    let all = FrameSource(planes: history.source.planes, first: .min, end: arrived)
    let isFull = next.fill(points, limit: 1, settings, from: all, arrived: arrived) > 0
    // If the sink is full, we consume only what's before the position, and the caller passes the
    // rest again.
    let passed = max(positions.framesPassed, received)
    let end = isFull ? min(passed, arrived) : arrived
    let consumed = Int(truncatingIfNeeded: end &- received)
    history.settle(
      input, consumed: consumed, neededFrom: positions.index, past: positions.past)
    return isFull ? consumed : frames
  }

  /// Writes what's left. The first call ends the input.
  mutating func finish(into sink: inout FrameSink) {
    if !hasEnded {
      hasEnded = true
      positions.endInput(after: received)
    }
    reachBack()
    history.repeatLast(positions.widestWindow(settings.reach))
    render(history.source, arrived: received, into: &sink)
  }

  /// Now you can read all frames that the next position and later ones may need.
  private mutating func reachBack() {
    let start = min(positions.index, received &- 1)
    history.reachBack(to: start &- Int64(truncatingIfNeeded: widestWindow.before))
  }

  /// Stops when `sink` is full, or when `source` lacks frames for the next output frame. `arrived`
  /// counts all input frames so far, also those after `source`.
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

// A scaler for callers in C and in Swift. We check all arguments before we touch memory.
extension Scaler {
  /// For a stream of any length. We read output frame k at input position k / factor, and output it
  /// once the whole span [k / factor, (k + 1) / factor) has arrived. So n input frames become floor
  /// (n × factor) output frames. Beyond the ends of the stream, we repeat the first or last frame.
  /// Allocates memory and computes kernels.
  package init(_ config: TimeDSPConfig, factor: Double) throws(TimeDSPStatus) {
    let settings = try ScalerSettings(config)
    try self.init(settings, ReadCursor(Fraction(checked: factor)))
  }

  /// Consumes frames from `input` and writes their output to `output`, both arrays of plane
  /// addresses. Returns the numbers of frames consumed and produced. See
  /// `timedsp_scaler_process()`. Real-time.
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

  /// Writes the frames that remain after the end of the input, and returns their number. See
  /// `timedsp_scaler_finish()`. Real-time.
  package mutating func finish(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> Int {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    finish(into: &sink)
    return sink.made
  }

  /// From the next output frame on, the factor changes to `factor` within the next `frames` input
  /// frames. The speed, 1 / factor, changes linearly over the output, like the speed of a tape. If
  /// v0 is the current speed, v1 = 1 / `factor`, and X = `frames`, then x frames after the current
  /// position
  ///
  ///     speed (x) = sqrt (v0² + (v1² - v0²) × x / X)
  /// output frames up to x = 2 × x / (v0 + speed (x)), rounded down (the integral of the factor)
  ///     input position of output frame k, from here = v0 × k + (v1² - v0²) × k² / (4 × X)
  ///
  /// and from X on, the factor is exactly `factor`. If you call `move` again during a move, the new
  /// one continues from the current position and speed. `reset` jumps to the end of the move.
  /// Real-time.
  package mutating func ramp(to factor: Double, within frames: UInt64) throws(TimeDSPStatus) {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    try require(ramp(to: fraction, within: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// At most this many output frames are still to come if the input ends after `frames` more
  /// frames. See `timedsp_scaler_max_output()`. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return UInt64(truncatingIfNeeded: try streamLength(framesDue(frames)))
  }

  /// The latency in input frames. Real-time.
  package var latency: Int { widestWindow.after }

  /// The number of output frames for `frames` input frames: floor (frames × factor). A factor
  /// stands for the simplest fraction that converts to the same double, so 10 frames × 0.7 are 7
  /// frames, not 6. Real-time.
  package static func length(
    of frames: UInt64, scaledBy factor: Double
  ) throws(TimeDSPStatus) -> UInt64 {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    return UInt64(truncatingIfNeeded: try streamLength(fraction.scaled(frames)))
  }

  /// Scales `count` frames to `length` frames. We read output frame i at input position
  /// i × (count - 1) / (length - 1), like scaleToD in "Scaling Audio Files". Positions are in
  /// double precision as there, so results agree to the last digit.
  package static func fit(
    _ config: TimeDSPConfig, _ input: UnsafePointer<UnsafeRawPointer?>?, count: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int, length: Int
  ) throws(TimeDSPStatus) {
    // as a bit pattern, a size_t above Int.max also exceeds every limit
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
  /// From `count` frames to `length` frames. We ignore input after that. If the input ends early,
  /// we repeat its last frame.
  init(_ settings: ScalerSettings, count: UInt64, length: UInt64) throws(TimeDSPStatus) {
    try self.init(settings, ReadCursor(count: count, length: length, settings))
  }
}

extension ReadCursor {
  /// From `count` frames to `length` frames. Throws if a number exceeds `maxFrames`, or if `count`
  /// is 0 and `length` isn't.
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
