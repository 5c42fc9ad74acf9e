// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Reads a source of frames at any speed from -8 to 8, through zero. A `TimeSpeed` in C contains a
/// value of this type.
///
/// The output frame at position p and speed s is the sum of the source's frames x[k] times
///
///     h ((k - p) / max (|s|, 1)) / (the sum of these weights for all k)
///
/// with the kernel function h of the quality (`SincKernel`), so that nothing above the Nyquist
/// frequency of the output aliases. Only the position and |s| count, and not the direction. Outside
/// the source, it's silent. At a settled speed of 1 or -1, the position is on a whole frame, and
/// you get this frame, bit for bit. `Playhead` tells you where the positions are, and `RestFade`
/// what happens at rest.
///
/// Sums are in double precision, for F32 as in `SincQuality`. For S16 and S32, we round the result
/// of F64 to the nearest whole number, ties to even, and once more while the sound fades.
///
/// Memory is allocated on creation. After that, no function allocates, locks or makes system calls.
struct SpeedReader: ~Copyable, @unchecked Sendable {
  let settings: ScalerSettings
  var playhead = Playhead(at: .zero, speed: .zero)
  var fade: RestFade
  /// The source has the frames `start` ..< `end`.
  private(set) var start = -Self.farthest
  private(set) var end = Self.farthest
  /// 1 after we've reached the end of the source, -1 after its start, until the next move.
  private(set) var edge = 0
  private(set) var waited: UInt64 = 0

  private let memory: Storage
  let points: ReadPoints
  var sinc: Sinc
  let margin: Margin

  /// No stream goes beyond this frame.
  private static var farthest: Int64 { 1 << 60 }
  /// Near an end, we read this many positions together, for unstretched kernels.
  private static let marginFrames = 256

  /// At rest, at frame 0 of an endless source. Ignores the interpolation. Throws if a setting is
  /// wrong, or if there's no memory.
  init(_ config: TimeDSPConfig, fadeFrames: UInt32) throws(TimeDSPStatus) {
    var config = config
    config.interpolation = TIMEDSP_SINC
    let settings = try ScalerSettings(config)
    let longest = settings.sinc.half(scale: 1 / Playhead.maxSpeed)
    guard
      let plan = SincPlan(
        settings, Reading(scale: 1), longest: longest, isFixed: false, isWide: true)
    else { throw TIMEDSP_BAD_INTERPOLATION }
    let margin = try Margin(settings.shape, capacity: plan.kernelCount &+ Self.marginFrames)
    let line = SincPlan.lineBytes
    let pointBytes = (ReadPoints.bytes &+ line &- 1).quotient(by: line) &* line
    let memory = try Storage(bytes: pointBytes &+ plan.bytes)
    self.settings = settings
    self.margin = margin
    self.memory = memory
    points = ReadPoints(memory: self.memory.base)
    sinc = Sinc(plan, self.memory.base + pointBytes)
    fade = RestFade(frames: fadeFrames)
    fade.empty()
  }

  var shape: AudioShape { settings.shape }

  /// With its move and its limits.
  mutating func adopt(_ other: borrowing SpeedReader) {
    playhead = other.playhead
    fade.match(other.fade)
    (start, end, edge, waited) = (other.start, other.end, other.edge, other.waited)
  }

  /// The source has these frames, and the position stops at its ends.
  mutating func limit(from start: Int64, to end: Int64) {
    self.start = max(min(start, Self.farthest), -Self.farthest)
    self.end = max(min(end, Self.farthest), self.start)
  }

  /// Without a fade.
  mutating func start(at frame: Int64, speed: Double) throws(TimeDSPStatus) {
    try require(frame.magnitude <= UInt64(truncatingIfNeeded: maxFrames), else: TIMEDSP_BAD_LENGTH)
    go(to: Playhead(at: Wide(high: frame, low: 0), speed: try Wide(checked: speed)))
    if isRest { fade.empty() } else { fade.fill() }
  }

  /// Linearly, within `frames` output frames (`Playhead`).
  mutating func ramp(to speed: Double, within frames: UInt64) throws(TimeDSPStatus) {
    try require(frames <= Playhead.longestMove, else: TIMEDSP_BAD_LENGTH)
    go(to: playhead.ramp(to: try Wide(checked: speed), within: frames))
  }

  /// Takes `frames` output frames or more to `frame`, and continues with `speed` (`Playhead`).
  mutating func scrub(
    to frame: Int64, within frames: UInt64, speed: Double
  ) throws(TimeDSPStatus) {
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

  /// Silently, on the first or the last frame of the source.
  mutating func stop(at edge: Int) {
    let frame = edge < 0 ? start : max(end &- 1, start)
    go(to: Playhead(at: Wide(high: frame, low: 0), speed: .zero))
    self.edge = edge
    fade.empty()
  }
}

extension SpeedReader {
  /// Each output frame is an input frame. The sound may still fade in.
  var isCopy: Bool { playhead.isSettled && playhead.finalSpeed.isUnit }

  /// The next output frames are input frames, bit for bit.
  var isExact: Bool { isCopy && fade.isFull }

  /// The sound may still fade out.
  var isRest: Bool { playhead.isSettled && RestFade.isRest(playhead.finalSpeed.value) }

  /// Until the next move.
  var isSilent: Bool { isRest && fade.level == 0 }
}

extension Wide {
  /// Throws for NaN, or if `speed` is out of range.
  fileprivate init(checked speed: Double) throws(TimeDSPStatus) {
    try require(speed.magnitude <= Playhead.maxSpeed, else: TIMEDSP_BAD_SPEED)
    self.init(speed)
  }
}
