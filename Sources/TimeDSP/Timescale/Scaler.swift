// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A stream being scaled in time: what is behind the C `TimeDSPScaler`.
///
/// Its memory is taken when it is made; afterwards nothing in it allocates,
/// locks or calls the system. Arguments are checked by the C interface.
struct Scaler: ~Copyable {
  let settings: ScalerSettings
  private var positions: Positions
  private var history: History
  private let pointMemory: Storage
  private let points: ReadPoints
  private let sincMemory: Storage
  private let sinc: Sinc?
  /// Bytes of all that belongs to it.
  let memoryBytes: Int
  /// Whether the input has ended.
  private(set) var hasEnded = false

  /// Throws where the memory cannot be had.
  init(_ settings: ScalerSettings, _ positions: Positions) throws(TimeDSPStatus) {
    let window = positions.widestWindowEver(settings.reach)
    let history = try History(settings.shape, window)
    let pointMemory = try Storage(bytes: ReadPoints.bytes)
    let plan = SincPlan(settings, positions.reading, longest: window.after)
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

  /// The frames that are looked at for the next positions.
  var widestWindow: Window { positions.widestWindow(settings.reach) }

  /// The input frame that the next position falls in or on, and the way from
  /// there.
  var position: (frame: Int64, fraction: Double) { (positions.index, positions.fraction) }

  /// Frames of input taken since the stream began.
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
    frames == 0 ? positions.setFactor(factor) : positions.ramp(to: factor, within: frames)
  }

  /// Whether nothing has come of the stream yet.
  var isFresh: Bool { received == 0 && !hasEnded && positions.index == 0 }

  /// The positions to come, for another scaler; `nil` unless of a stream.
  var streamPositions: Positions? {
    if case .endpoints = positions { return nil }
    return positions
  }

  /// Goes on at `others` in a stream of which frame `start` is given first;
  /// false if positions are fixed.
  mutating func goOn(at others: Positions?, from start: Int64) -> Bool {
    guard let others, streamPositions != nil else { return false }
    positions = others
    history.begin(at: start)
    return true
  }

  /// Forgets the stream, but not the factor.
  mutating func reset() {
    positions.reset()
    history.reset()
    hasEnded = false
  }
}

extension Scaler {
  /// Takes frames from the planes `input` and writes what can be made of them
  /// to `sink`; returns how many it took: all, unless `sink` is full.
  mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int, into sink: inout FrameSink
  ) -> Int {
    let offered = positions.accepted(frames, after: received)
    let arrived = received &+ Int64(truncatingIfNeeded: offered)
    let joined = history.join(
      input, frames: offered, positions.widestWindow(settings.reach))
    render(history.source, arrived: arrived, into: &sink)
    if let input, joined < offered {
      let source = FrameSource(planes: input, first: received, end: arrived)
      render(source, arrived: arrived, into: &sink)
    }
    let isFull = positions.isReady(settings.reach, arrived: arrived)
    // With the sink full, only frames that the position has passed are taken:
    // all that is needed for later is then in the history or given again.
    let passed = max(positions.framesPassed, received)
    let end = isFull ? min(passed, arrived) : arrived
    let taken = Int(truncatingIfNeeded: end &- received)
    history.settle(input, taken: taken, neededFrom: positions.index)
    return isFull ? taken : frames
  }

  /// Ends the input, the first time that it is called, and writes what is
  /// still to be made to `sink`.
  mutating func finish(into sink: inout FrameSink) {
    if !hasEnded {
      hasEnded = true
      positions.endInput(after: received)
    }
    history.repeatLast(positions.widestWindow(settings.reach))
    render(history.source, arrived: received, into: &sink)
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
      if let sinc, !reading.isIdentity {
        sinc.interpolate(points, count, reading, shape, from: source, to: target, made: sink.made)
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
