// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A stream being scaled in time: the value of a C `TimeDSPScaler`.
///
/// Its memory is allocated when it is made; afterwards nothing in it allocates, locks or calls the
/// system. It owns everything that its pointers lead to, so it may move between threads.
package struct Scaler: FrameStream, ~Copyable, @unchecked Sendable {
  let settings: ScalerSettings
  private var positions: Positions
  private var history: History
  private let pointMemory: Storage
  private let points: ReadPoints
  private let sincMemory: Storage
  private var sinc: Sinc?
  /// Bytes of all that belongs to it.
  let memoryBytes: Int
  /// Whether the input has ended.
  private(set) var hasEnded = false

  /// Throws if there is no memory.
  init(_ settings: ScalerSettings, _ positions: Positions) throws(TimeDSPStatus) {
    let window = positions.widestWindowEver(settings.reach)
    let history = try History(settings.shape, window, past: positions.pastEver)
    let pointMemory = try Storage(bytes: ReadPoints.bytes)
    var isFixed = false
    if case .endpoints = positions { isFixed = true }
    let plan = SincPlan(settings, positions.reading, longest: window.after, isFixed: isFixed)
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

  /// The frames that are needed for the next positions.
  var widestWindow: Window { positions.widestWindow(settings.reach) }

  /// The input frame that the next position falls in or on, and the way from
  /// there.
  var position: (frame: Int64, fraction: Double) { (positions.index, positions.fraction) }

  /// Frames of input consumed since the stream began.
  var received: Int64 { history.received }

  /// Frames that `frames` more of input and the end of input will make.
  func framesDue(_ frames: Int64) -> UInt64 {
    positions.framesDue(arrived: received &+ (hasEnded ? 0 : frames))
  }

  /// Changes the factor from the next output frame on; false if it is fixed.
  mutating func setFactor(_ factor: Fraction) -> Bool {
    positions.setFactor(factor)
  }

  /// Moves the factor to another within `frames` frames of input; false if it
  /// is fixed.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    frames == 0
      ? positions.setFactor(factor)
      : positions.ramp(to: factor, within: rampFrames(to: factor, within: frames))
  }

  /// `frames`, or the length of a ramp to `factor` that never reads frames before the known ones.
  ///
  /// A kernel of h frames on either side looks h v frames back at the speed v. On
  /// a ramp with v² = v0² + 2 a x, at x frames from its beginning, that comes
  /// before the beginning by h v - x, which is at most h² a / 2 + v0² / (2 a).
  /// For k known frames, a is the larger solution of k = h² a / 2 + v0² / (2 a).
  func rampFrames(to factor: Fraction, within frames: UInt64) -> UInt64 {
    guard settings.interpolation == TIMEDSP_SINC, let speed = positions.speed,
      !history.knowsAll(before: positions.index)
    else { return frames }
    let half = Double(settings.sinc.half)
    let start = max(speed, 1)
    // Kernels are filled up to a whole number of blocks.
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

  /// The speed at the next position, in input frames per output frame; `nil` if the factor
  /// is fixed.
  var speed: Double? { positions.speed }

  /// Input position from which the factor is constant.
  var steadyFrom: Double { positions.steadyFrom }

  /// Moves the factor to 1 within `steps` frames of output, so that the one after them is frame
  /// `frame` of the input itself.
  mutating func land(on frame: Int64, after steps: UInt64) {
    _ = positions.land(on: frame, after: steps)
  }

  /// Whether the output equals the input so far, frame by frame, and will do so.
  var isIdentity: Bool {
    guard case .stream(let positions) = positions else { return false }
    return positions.isIdentity && positions.index == received
  }

  /// Whether nothing has come of the stream yet.
  var isFresh: Bool { received == 0 && !hasEnded && positions.index == 0 }

  /// Whether the stream may be of any length.
  var isStream: Bool {
    if case .endpoints = positions { return false }
    return true
  }

  /// Continues the stream of `other`, of the same shape, at its position.
  mutating func adopt(_ other: borrowing Scaler) {
    positions = other.positions
    history.takeOver(other.history, at: positions.index, past: positions.past)
  }

  /// Records frames that the caller passes through itself; false unless they equal the output that
  /// would be made of them next.
  mutating func pass(_ input: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    guard positions.pass(frames, after: received) else { return false }
    history.pass(input, taken: frames, past: passedPast)
    return true
  }

  /// Frames that are remembered of those that were passed through: twice as many as the kernel
  /// looks back at factor 1, and enough for a ramp with any other kernel (`rampFrames`).
  private var passedPast: Int {
    max(
      2 &* settings.sinc.half,
      SincQuality.longestHalf(scale: 1) &+ 2 &* (SincQuality.block &+ 1))
  }

  /// Forgets the stream, but not the factor.
  package mutating func reset() {
    positions.reset()
    history.reset()
    hasEnded = false
  }
}

extension Scaler {
  /// Consumes frames from the planes `input` and writes their output to `sink`; returns how many it
  /// consumed: all, unless `sink` is full.
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
    let isFull = positions.isReady(settings.reach, arrived: arrived)
    // With the sink full, only frames that the position has passed are consumed: everything needed
    // later is then in the history or passed again.
    let passed = max(positions.framesPassed, received)
    let end = isFull ? min(passed, arrived) : arrived
    let taken = Int(truncatingIfNeeded: end &- received)
    history.settle(
      input, taken: taken, neededFrom: positions.index, past: positions.past)
    return isFull ? taken : frames
  }

  /// Ends the input, the first time that it is called, and writes the remaining output to `sink`.
  mutating func finish(into sink: inout FrameSink) {
    if !hasEnded {
      hasEnded = true
      positions.endInput(after: received)
    }
    reachBack()
    history.repeatLast(positions.widestWindow(settings.reach))
    render(history.source, arrived: received, into: &sink)
  }

  /// Lets all be read that the next positions look back at.
  private mutating func reachBack() {
    let start = min(positions.index, received &- 1)
    history.reachBack(to: start &- Int64(truncatingIfNeeded: widestWindow.before))
  }

  /// Makes frames from `source` until it or the room in `sink` is used up.
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

  /// Makes `count` frames of a few points each, plane by plane.
  private borrowing func interpolate(
    _ count: Int, from source: FrameSource,
    to target: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    var plane = 0
    while plane < shape.planes {
      if let from = source.planes[plane], let to = target[plane] {
        points.interpolate(
          count, settings.interpolation, shape, from: from, to: to + made &* shape.frameBytes)
      }
      plane &+= 1
    }
  }
}
