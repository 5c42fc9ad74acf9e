// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Reads frames from a source at any speed from -8 to 8, and may pass through zero. This is what a
/// `TimeSpeed` in C points to.
///
/// The output frame at position p and speed s is the sum of the source's frames x[k] times
///
///     h ((k - p) / max (|s|, 1)) / (the sum of these weights for all k)
///
/// where h is the kernel for the chosen quality (`SincPrototype`), so that nothing above the Nyquist
/// frequency of the output aliases. Only the position and |s| matter, not the direction. We treat
/// everything outside the source as silence. At a settled speed of 1 or -1, the position is on a
/// whole frame, and you get that frame bit for bit. `Playhead` explains where the positions are,
/// and `RestFade` what happens at rest.
///
/// We sum in double precision, and for F32 as described in `SincQuality`. For S16 and S32, we round
/// the result for F64 to the nearest whole number, ties to even, and then once more while the sound
/// is fading.
///
/// All memory is allocated on creation. After that, no function allocates, locks or makes system
/// calls.
struct SpeedReader: ~Copyable, @unchecked Sendable {
  let settings: ScalerSettings
  var playhead = Playhead(at: .zero, speed: .zero)
  var fade: RestFade
  /// The source has the frames `start` ..< `end`.
  private(set) var start = -Self.farthest
  private(set) var end = Self.farthest
  /// 1 once we've reached the end of the source, -1 once we've reached its start, until the next
  /// move.
  private(set) var edge = 0
  private(set) var waited: UInt64 = 0

  private let memory: Arena
  private let points: ReadPoints
  private var sinc: Sinc
  /// Near the ends of the source, kernels reach past it. We use this to hold some of its frames, with
  /// silence before or after them.
  let margin: FrameMemory
  /// How many frames fit in `margin`.
  private let marginFrames: Int

  /// No stream extends past this frame.
  private static var farthest: Int64 { 1 << 60 }
  /// How many positions we read together near an end, for unstretched kernels.
  private static let placedFrames = 256

  /// Makes a reader that's at rest at frame 0 of an endless source. Ignores the interpolation.
  /// Throws if a setting is invalid, or if we run out of memory.
  init(_ config: TimeDSPConfig, fadeFrames: UInt32) throws(TimeDSPStatus) {
    var config = config
    config.interpolation = TIMEDSP_SINC
    let settings = try ScalerSettings(config)
    let longest = settings.sinc.half(scale: 1 / Playhead.maxSpeed)
    var memory = Arena()
    let points = try ReadPoints(&memory)
    guard
      let sinc = try Sinc(
        settings, Reading(scale: 1), longest: longest, isExact: true, &memory)
    else { throw TIMEDSP_BAD_INTERPOLATION }
    let marginFrames = 2 &* longest &+ Self.placedFrames
    let margin = try FrameMemory(settings.shape, marginFrames, &memory)
    (self.margin, self.marginFrames) = (margin, marginFrames)
    (self.settings, self.points, self.sinc) = (settings, points, sinc)
    self.memory = memory
    fade = RestFade(frames: fadeFrames)
    fade.empty()
  }

  var shape: AudioShape { settings.shape }

  /// Continues where `other` is, with the same move and limits.
  mutating func adopt(_ other: borrowing SpeedReader) {
    playhead = other.playhead
    fade.match(other.fade)
    (start, end, edge, waited) = (other.start, other.end, other.edge, other.waited)
  }

  /// Tells the reader which frames the source has. The position stops at its ends.
  mutating func limit(from start: Int64, to end: Int64) {
    self.start = max(min(start, Self.farthest), -Self.farthest)
    self.end = max(min(end, Self.farthest), self.start)
  }

  /// Starts without a fade.
  mutating func start(at frame: Int64, speed: Double) throws(TimeDSPStatus) {
    try require(frame.magnitude <= UInt64(truncatingIfNeeded: maxFrames), else: TIMEDSP_BAD_LENGTH)
    go(to: Playhead(at: Wide(high: frame, low: 0), speed: try Wide(checked: speed)))
    if isRest { fade.empty() } else { fade.fill() }
  }

  /// Changes the speed linearly over `frames` output frames (`Playhead`).
  mutating func ramp(to speed: Double, within frames: UInt64) throws(TimeDSPStatus) {
    try require(frames <= Playhead.longestMove, else: TIMEDSP_BAD_LENGTH)
    go(to: playhead.ramp(to: try Wide(checked: speed), within: frames))
  }

  /// Moves to `frame` in `frames` output frames or more, and continues at `speed` (`Playhead`).
  mutating func scrub(to frame: Int64, within frames: UInt64, speed: Double) throws(TimeDSPStatus) {
    let speed = try Wide(checked: speed)
    guard frame.magnitude <= UInt64(truncatingIfNeeded: maxFrames),
      let playhead = playhead.scrub(to: frame, within: frames, speed)
    else { throw TIMEDSP_BAD_LENGTH }
    go(to: playhead)
  }

  mutating func wait(_ frames: UInt64) {
    waited &+= frames
    fade.empty()
  }

  private mutating func go(to playhead: Playhead) {
    self.playhead = playhead
    edge = 0
  }

  /// Stops silently on the first or last frame of the source.
  mutating func stop(at edge: Int) {
    let frame = edge < 0 ? start : max(end &- 1, start)
    go(to: Playhead(at: Wide(high: frame, low: 0), speed: .zero))
    self.edge = edge
    fade.empty()
  }
}

extension SpeedReader {
  /// True if each output frame is an input frame, although the sound may still be fading in.
  private var isCopy: Bool { playhead.isSettled && playhead.finalSpeed.isUnit }

  /// True if the next output frames are input frames, bit for bit.
  var isExact: Bool { isCopy && fade.isFull }

  /// True at rest, although the sound may still be fading out.
  var isRest: Bool { playhead.isSettled && RestFade.isRest(playhead.finalSpeed.value) }

  /// True if the output is silent until the next move.
  var isSilent: Bool { isRest && fade.level == 0 }
}

extension Wide {
  /// Throws for NaN, or if `speed` is out of range.
  fileprivate init(checked speed: Double) throws(TimeDSPStatus) {
    try require(speed.magnitude <= Playhead.maxSpeed, else: TIMEDSP_BAD_SPEED)
    self.init(speed)
  }
}

extension SpeedReader {
  /// Stops when `sink` is full, when we need a frame that `source` doesn't have, or at an edge.
  mutating func read(_ source: FrameSource, into sink: inout FrameSink) {
    guard let target = sink.planes else { return }
    while sink.room > 0, readRun(source, target, &sink) {}
  }

  /// Returns `false` if the run is empty. This has to be a separate function, because if it's part
  /// of the loop, the Embedded Swift compiler never finishes.
  @inline(never)
  private mutating func readRun(
    _ source: FrameSource, _ target: OutputPlanes,
    _ sink: inout FrameSink
  ) -> Bool {
    let run = place(runLimit(sink.room), source)
    if run.count == 0 {
      if run.edge != 0 { stop(at: run.edge) }
      return false
    }
    if isSilent {
      shape.clear(run.count, of: target, from: sink.made)
    } else {
      render(run, source, target, made: sink.made)
      fade.apply(run.count, isRest: isRest, shape, to: target, made: sink.made)
    }
    fade.advance(run.count, isRest: isRest)
    playhead.advance(UInt64(truncatingIfNeeded: run.count))
    sink.made &+= run.count
    return true
  }

  /// The max length of a run. All of a run is in the same move or at the same settled speed, and
  /// either all of it is silent or none of it.
  private func runLimit(_ room: Int) -> Int {
    var limit = min(room, ReadPoints.capacity)
    if !playhead.isSettled {
      limit = Int(truncatingIfNeeded: min(UInt64(truncatingIfNeeded: limit), playhead.framesLeft))
    } else if isRest, fade.level > 0 {
      limit = min(limit, fade.level)
    }
    return limit
  }

  /// Puts at most `limit` positions into `points`. Stops when `source` doesn't have the frames for
  /// one, or at an edge.
  @inline(never)
  private func place(_ limit: Int, _ source: FrameSource) -> SpeedRun {
    var run = SpeedRun(base: playhead.position().high)
    let (isSilent, isCopy, isSettled) = (isSilent, isCopy, playhead.isSettled)
    var scale = playhead.finalSpeed.kernelScale
    var half = settings.sinc.half(scale: scale)
    while run.count < limit {
      let ahead = UInt64(truncatingIfNeeded: run.count)
      let position = playhead.position(ahead)
      let speed = playhead.speed(ahead)
      run.edge = edge(at: position, speed)
      if run.edge != 0 { break }
      if !isSilent {
        if !isSettled {
          scale = speed.kernelScale
          half = settings.sinc.half(scale: scale)
        }
        let offset = Int(truncatingIfNeeded: position.high &- run.base)
        let span =
          isCopy
          ? SampleSpan(start: offset, end: offset &+ 1)
          : SampleSpan(offset, half)
        let all = run.count == 0 ? span : run.span.joined(with: span)
        let inner = inner(all, run.base)
        guard inner.isEmpty || inner.first >= source.first && inner.end <= source.end,
          run.count == 0 || all.count <= marginFrames || !inner.isCut
        else { break }
        run.span = all
        points.offsets[run.count] = offset
        points.weights[run.count] = position.fraction
        points.factors[run.count] = scale
      }
      run.count &+= 1
    }
    return run
  }

  /// 1 or -1 if the position is past that edge in the direction of the speed, and otherwise 0.
  private func edge(at position: Wide, _ speed: Wide) -> Int {
    if speed.high >= 0 {
      return position.high >= end && speed != .zero ? 1 : 0
    }
    return position.precedes(Wide(high: start &- 1, low: 1)) ? -1 : 0
  }

  private func inner(_ span: SampleSpan, _ base: Int64) -> InnerFrames {
    let (first, last) = (base &+ Int64(span.start), base &+ Int64(span.end))
    return InnerFrames(
      first: max(first, start), end: min(last, end), isCut: first < start || last > end)
  }

  private mutating func render(
    _ run: SpeedRun, _ source: FrameSource, _ target: OutputPlanes,
    made: Int
  ) {
    let inner = inner(run.span, run.base)
    let source = inner.isCut ? padded(run, inner, from: source) : source
    let shift = Int(truncatingIfNeeded: run.base &- source.first)
    for point in upTo(run.count) { points.offsets[point] &+= shift }
    if isCopy {
      points.interpolate(
        run.count, TIMEDSP_NEAREST, shape, from: source.planes, to: target, made: made)
      return
    }
    let reading = playhead.reading
    sinc.prepare(points, run.count, reading)
    sinc.interpolate(points, run.count, reading, shape, from: source, to: target, made: made)
  }

  /// The frames of `run`, at most `marginFrames`. We copy the ones in `inner` from `source`, which
  /// must have them, and the others are silent.
  private func padded(
    _ run: SpeedRun, _ inner: InnerFrames, from source: FrameSource
  ) -> FrameSource {
    let first = run.base &+ Int64(run.span.start)
    shape.clear(run.span.count, of: margin.writable, from: 0)
    if !inner.isEmpty {
      shape.copy(
        Int(truncatingIfNeeded: inner.end &- inner.first), of: source.planes,
        from: Int(truncatingIfNeeded: inner.first &- source.first), into: margin.writable,
        at: Int(truncatingIfNeeded: inner.first &- first))
    }
    return FrameSource(
      planes: margin.readable, first: first, end: first &+ Int64(run.span.count))
  }

  /// The part of the source that the next `frames` output frames need. If they don't need any, both
  /// numbers are equal.
  func needs(_ frames: Int) -> (first: Int64, end: Int64) {
    let base = playhead.position().high
    let frames = UInt64(truncatingIfNeeded: max(frames, 0))
    let moving = playhead.isSettled ? 0 : min(frames, playhead.framesLeft)
    var settled = frames &- moving
    if RestFade.isRest(playhead.finalSpeed.value) {
      var later = fade
      later.advance(Int(truncatingIfNeeded: moving), isRest: false)
      settled = min(settled, UInt64(truncatingIfNeeded: later.level))
    }
    var span: SampleSpan?
    var ahead: UInt64 = 0
    while ahead < moving &+ settled {
      let more = needed(ahead, base)
      span = span?.joined(with: more) ?? more
      // at a settled speed, the first and last frames are the outermost
      ahead =
        ahead < moving || ahead == moving &+ settled &- 1
        ? ahead &+ 1
        : moving &+ settled &- 1
    }
    guard let span else { return (base, base) }
    let inner = inner(span, base)
    return inner.isEmpty ? (base, base) : (inner.first, inner.end)
  }

  /// The input that the output frame `ahead` frames after the next one needs, relative to `base`.
  private func needed(_ ahead: UInt64, _ base: Int64) -> SampleSpan {
    let offset = Int(truncatingIfNeeded: playhead.position(ahead).high &- base)
    if ahead >= playhead.framesLeft, playhead.finalSpeed.isUnit {
      return SampleSpan(start: offset, end: offset &+ 1)
    }
    return SampleSpan(offset, settings.sinc.half(scale: playhead.speed(ahead).kernelScale))
  }
}

private struct SpeedRun {
  /// Offsets are relative to this frame.
  let base: Int64
  var count = 0
  var span = SampleSpan(start: 0, end: 0)
  /// The run ends at this edge, unless it's 0.
  var edge = 0
}

private struct InnerFrames {
  let first: Int64
  let end: Int64
  let isCut: Bool

  var isEmpty: Bool { first >= end }
}

extension Wide {
  fileprivate var kernelScale: Double {
    1 / min(max(value.magnitude, 1), Playhead.maxSpeed)
  }
}

extension Playhead {
  fileprivate var reading: Reading {
    guard isSettled else { return Reading(scale: 1, isMoving: true) }
    return Reading(
      scale: finalSpeed.kernelScale, numerator: settled.phases, offset: phaseOffset)
  }
}
