// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A chain's stretcher, which is fed by the first scaler.
struct StretchStage: ~Copyable {
  private let memory: Arena
  var stretcher: Stretcher
  /// Output frames of the first scaler, on their way to the stretcher.
  var scratch: Scratch
  /// How much the chain had output before the stretcher was added, in frames.
  let base: Int64
  /// How many more input frames the stretcher needs before its factor may differ from 1.
  var warm: Int64

  /// `base` is how much the chain has output so far, in frames. If it's above 0, the stretcher must
  /// receive a window of input at factor 1 first, because otherwise it would assume that there was
  /// silence before.
  ///
  /// Throws if we run out of memory.
  init(
    _ shape: AudioShape, _ settings: ChainSettings, _ factor: Fraction, after base: Int64
  ) throws(TimeDSPStatus) {
    var memory = Arena()
    let stretcher = try Stretcher(
      shape, settings.pitch.window, rate: settings.rate, factor, &memory)
    let scratch = try Scratch(shape)
    (self.stretcher, self.base) = (stretcher, base)
    // the latency at factor 1, longer than a window
    warm = base > 0 ? stretcher.latency : 0
    self.scratch = scratch
    self.memory = memory
  }

  deinit { stretcher.formants?.free() }

  /// The output position of the next input frame, in the stretcher's output frames.
  var outputPosition: Double { outputPosition(of: stretcher.received) }

  /// The output position of `frame`, in the stretcher's output frames.
  func outputPosition(of frame: Int64) -> Double {
    let (whole, fraction) = stretcher.map.output(at: frame)
    return Double(whole) + fraction
  }

  /// `frame` and `frames` are the stretcher's input frames.
  mutating func ramp(at frame: Int64, to factor: Double, within frames: UInt64) {
    guard frames <= UInt64(truncatingIfNeeded: maxFrames) else { return }
    stretcher.map.bend(
      at: frame, to: Fraction(nearest: factor), within: Int64(truncatingIfNeeded: frames))
  }

  /// `frame` is the chain's next input frame. Throws if we run out of memory.
  mutating func ensureFormants(from frame: Int64) throws(TimeDSPStatus) {
    if stretcher.formants != nil { return }
    stretcher.formants = try allocated(
      FormantMover(stretcher.shape, stretcher.sizes, from: frame))
  }

  /// Moves formants, starting at the next frame of the first scaler. If `isFirst` is set, earlier
  /// frames are affected too. At that frame, the chain's input position is `position`, and the
  /// scaler's speed is `speed`. `ratio` and `level` are as in `FormantLaw`.
  func moveFormants(
    at position: Double, speed: Double, ratio: Double, level: Double, isFirst: Bool
  ) {
    let lead = isFirst ? Int64(stretcher.sizes.longest) : 0
    let frame = stretcher.received &+ Int64(scratch.rest.count) &- lead
    let section = CurveSection(
      output: Wide(high: frame, low: 0), input: Wide(position - Double(lead) * speed), speed: speed)
    stretcher.formants?.pointee.append(
      FormantLaw(section: section, ratio: ratio, level: level))
  }

  /// `frames` counts output frames of the first scaler from now on (`Stretcher.endSound`).
  mutating func endSound(after frames: Int64) {
    stretcher.endSound(after: Int64(scratch.rest.count) &+ frames)
  }

  mutating func emit(to sink: inout FrameSink) {
    var none = FrameCursor(nil, 0)
    stretcher.process(&none, into: &sink)
  }

  /// Consumes frames from the scratch memory until output is ready. Returns true if the stretcher
  /// has just received enough input for a factor other than 1.
  mutating func consume() -> Bool {
    var none = FrameSink(planes: nil, capacity: 0)
    let waiting = scratch.rest.count
    stretcher.process(&scratch.rest, into: &none)
    guard warm > 0 else { return false }
    warm &-= Int64(waiting &- scratch.rest.count)
    return warm == 0
  }
}

/// Memory between two parts of a chain, for frames that the second one has yet to consume.
struct Scratch: ~Copyable {
  /// In frames.
  static let capacity = 512

  private let memory: Arena
  private let frames: FrameMemory
  var rest = FrameCursor(nil, 0)

  init(_ shape: AudioShape) throws(TimeDSPStatus) {
    var memory = Arena()
    frames = try FrameMemory(shape, Self.capacity, &memory)
    self.memory = memory
  }

  func sink(_ capacity: Int) -> FrameSink {
    FrameSink(planes: frames.writable, capacity: capacity)
  }

  /// Call this once you've written the first `count` frames.
  mutating func fill(_ count: Int) { rest = FrameCursor(frames.readable, count) }
}
