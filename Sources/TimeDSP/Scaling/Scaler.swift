// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

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
