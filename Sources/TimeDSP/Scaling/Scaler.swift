// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

struct ScalerSettings {
  let shape: AudioShape
  let interpolation: TimeDSPInterpolation
  let sinc: SincQuality
  /// `Window.before` and `Window.after` for anything but sinc.
  private let before, after: Int

  /// Throws for an unknown format, layout or interpolation, or if the channels or the quality are
  /// out of range.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    shape = try AudioShape(config)
    interpolation = config.interpolation
    // C code may pass us any number
    try require(
      interpolation.rawValue < UInt32(truncatingIfNeeded: TIMEDSP_N_INTERPOLATIONS),
      else: TIMEDSP_BAD_INTERPOLATION)
    try require(config.quality <= SincQuality.highest, else: TIMEDSP_BAD_QUALITY)
    sinc = SincQuality(config.quality)
    before = Int(truncatingIfNeeded: timedsp_frames_before(interpolation))
    after = Int(truncatingIfNeeded: timedsp_frames_after(interpolation))
  }

  /// The window around the positions that `reading` describes. For sinc, it depends on the factor,
  /// because kernels get longer below factor 1.
  @inline(__always)
  func window(_ reading: Reading) -> Window {
    guard interpolation == TIMEDSP_SINC else {
      return Window(before: before, after: after, afterOnFrame: 0)
    }
    let half = sinc.half(scale: reading.scale)
    return Window(before: half &- 1, after: half, afterOnFrame: reading.isIdentity ? 0 : half)
  }
}

/// Changes the duration and the pitch of a stream together, by interpolation.
///
/// All memory is allocated on creation. After that, no function allocates, locks or makes system
/// calls. A scaler owns everything that its pointers refer to, so you may hand it to another
/// thread.
package struct Scaler: ~Copyable, @unchecked Sendable {
  let settings: ScalerSettings
  private var positions: ReadCursor
  private var history: History
  private let memory: Arena
  private let points: ReadPoints
  private var sinc: Sinc?
  private(set) var hasEnded = false

  init(_ settings: ScalerSettings, _ positions: ReadCursor) throws(TimeDSPStatus) {
    let window = settings.window(Reading(scale: positions.minScaleEver))
    let history = try History(
      settings.shape, window, past: positions.past(scale: positions.minScaleEver))
    var memory = Arena()
    let points = try ReadPoints(&memory)
    let sinc = try Sinc(settings, positions.reading, longest: window.after, &memory)
    self.settings = settings
    self.positions = positions
    self.history = history
    self.memory = memory
    (self.points, self.sinc) = (points, sinc)
  }

  var memoryBytes: Int { MemoryLayout<Scaler>.size &+ history.bytes &+ memory.bytes }

  var shape: AudioShape { settings.shape }

  /// The widest window of all positions until the factor is set again.
  var widestWindow: Window { positions.widestWindow(settings) }

  /// Where we read the next output frame: the input frame at or before that position, and the
  /// distance from it, 0 ..< 1.
  var position: (frame: Int64, fraction: Double) { (positions.index, positions.fraction) }

  var received: Int64 { history.received }

  /// How many more output frames to expect if the input ends after `frames` more frames. It's an
  /// upper bound during a ramp.
  func framesDue(_ frames: Int64) -> UInt64 {
    positions.framesDue(arrived: received &+ (hasEnded ? 0 : frames))
  }

  /// Ramps the factor over `frames` input frames. The factor mustn't be fixed (`isStream`).
  mutating func ramp(to factor: Fraction, within frames: UInt64) {
    if frames == 0 {
      positions.setFactor(factor)
    } else {
      positions.ramp(to: factor, within: rampFrames(to: factor, within: frames))
    }
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
      let held = history.knownFrames(before: positions.index)
    else { return frames }
    let half = Double(settings.sinc.half)
    let start = max(speed, 1)
    // kernels are padded to whole blocks
    let known = Double(held) - Double(SincQuality.block &+ 1)
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

  /// Ramps the factor to 1 over about `frames` input frames, so that the ramp ends exactly on an
  /// input frame, and the output is `shift` frames longer than the input from then on. So far, we've
  /// output `made` frames. Returns the actual difference, because we can't always manage `shift`.
  ///
  /// Let L be the input frame at the end of the ramp, and N the number of output frames of the ramp.
  /// Then `made` + N = L + shift. Starting at position p, a change from speed v to 1 takes
  /// N × (v + 1) / 2 = L - p input frames. Below speed 1, N = 2 × (p + shift - `made`) / (1 - v). If
  /// that's far from the planned number, we limit N, and the final speed is a few cents off 1 instead.
  mutating func land(within frames: UInt64, shift: Double, made: Int64) -> Int64 {
    let (frame, fraction) = position
    let speed = positions.speed ?? 1
    let planned = 2 * Double(frames) / (speed + 1)
    let lead = Double(frame &- made) + fraction + shift
    let fitting = speed < 1 ? 2 * lead / (1 - speed) : planned
    let steps = max(rounded(min(max(fitting, planned / 4), 4 * planned)), 1)
    let distance = Double(steps) * (speed + 1) / 2
    let wanted = Double(steps) - lead
    let most = Double(steps) / 64
    let landing = frame &+ rounded(fraction + min(max(wanted, distance - most), distance + most))
    positions.land(on: landing, after: UInt64(truncatingIfNeeded: steps))
    return made &+ steps &- landing
  }

  /// If this is false, both the factor and the length are fixed.
  var isStream: Bool { positions.endpoints == nil }

  /// Continues from the position of `other`, which must have the same format.
  mutating func adopt(_ other: borrowing Scaler) {
    positions = other.positions
    history.adopt(other.history, at: positions.index, past: positions.past)
  }

  /// Counts frames that you've passed on unmodified. If the scaler would have changed them, this
  /// returns `false` and does nothing.
  mutating func pass(_ input: FrameCursor) -> Bool {
    guard positions.pass(input.count, after: received) else { return false }
    history.pass(input, past: passedPast)
    return true
  }

  /// How many frames we keep during passthrough. At factor 1, the kernel needs at most half of them
  /// before a position, and they're enough for a ramp with any other kernel (`rampFrames`).
  private var passedPast: Int {
    max(
      2 &* settings.sinc.half,
      SincQuality.longestHalf(scale: 1) &+ 2 &* (SincQuality.block &+ 1))
  }
}

extension Scaler {
  /// Consumes all of `input` unless `sink` is full.
  mutating func process(_ input: inout FrameCursor, into sink: inout FrameSink) {
    let offered = positions.accepted(input.count, after: received)
    reachBack()
    let arrived = received &+ Int64(offered)
    let joined = history.join(input, offered, widestWindow)
    render(history.source, arrived: arrived, into: &sink)
    if let planes = input.planes, joined < offered {
      let first = received &- Int64(input.first)
      render(FrameSource(planes: planes, first: first, end: arrived), arrived: arrived, into: &sink)
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
    input.consume(isFull ? consumed : input.count)
  }

  /// Writes the remaining output. The first call ends the input.
  mutating func finish(into sink: inout FrameSink) {
    if !hasEnded {
      hasEnded = true
      positions.endInput(after: received)
    }
    reachBack()
    history.repeatLast(widestWindow)
    render(history.source, arrived: received, into: &sink)
  }

  /// Makes sure that all frames that the next position and later ones might need can be read.
  private mutating func reachBack() {
    let start = min(positions.index, received &- 1)
    history.reachBack(to: start &- Int64(widestWindow.before))
  }

  /// Stops when `sink` is full, or when `source` doesn't have enough frames for the next output
  /// frame. `arrived` counts all input frames so far, including those after `source`.
  private mutating func render(_ source: FrameSource, arrived: Int64, into sink: inout FrameSink) {
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
        points.interpolate(
          count, settings.interpolation, shape, from: source.planes, to: target, made: sink.made)
      }
      sink.made &+= count
    }
  }

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
}

extension ReadCursor {
  /// Makes a cursor from `count` frames to `length` frames. Throws if either number exceeds
  /// `maxFrames`, or if `count` is 0 and `length` isn't.
  init(count: UInt64, length: UInt64, _ settings: ScalerSettings) throws(TimeDSPStatus) {
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
