// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The stretcher of a chain, and the frames that are passed to it.
struct StretchStage: ~Copyable {
  private let storage: Storage
  private let layout: StretchLayout
  let stretcher: UnsafeMutablePointer<Stretcher>
  /// Frames that the stretcher has not consumed yet.
  var scratch: Scratch
  /// Number of output frames of the chain before the stretcher was added.
  let base: Int64
  /// Number of input frames that the stretcher still needs before it may stretch.
  var warm: Int64
  /// Number of frames that the stretcher has output.
  private(set) var given: Int64 = 0

  /// `base` is the number of frames that the chain has output so far. If it is above 0, the
  /// stretcher must receive a window of input before it stretches. Otherwise, it would treat
  /// earlier input as silence.
  ///
  /// Throws if memory cannot be allocated.
  init(_ layout: StretchLayout, _ factor: Fraction, after base: Int64) throws(TimeDSPStatus) {
    let storage = try Storage(bytes: layout.bytes)
    let scratch = try Scratch(layout.shape)
    stretcher = layout.makeStretcher(in: storage.base, factor)
    self.storage = storage
    self.layout = layout
    self.scratch = scratch
    self.base = base
    // at factor 1, the latency is longer than a window
    warm = base > 0 ? stretcher.pointee.latency : 0
  }

  deinit { stretcher.pointee.formants?.free() }

  /// Output position of the next input frame, in output frames of the stretcher.
  var outputPosition: Double { outputPosition(of: stretcher.pointee.received) }

  /// Output position of input frame `frame`, in output frames of the stretcher.
  func outputPosition(of frame: Int64) -> Double {
    let (whole, fraction) = stretcher.pointee.map.outputPosition(of: frame)
    return Double(whole) + fraction
  }

  /// Moves the factor to `factor`, beginning at input frame `frame` of the stretcher.
  func move(at frame: Int64, to factor: Double, within frames: UInt64) {
    guard let fraction = Fraction(factor: factor), stretcher.pointee.length == nil,
      frames <= UInt64(truncatingIfNeeded: mostFrames)
    else { return }
    stretcher.pointee.map.bend(
      at: frame, to: fraction, within: Int64(truncatingIfNeeded: frames))
  }

  /// Creates the formant mover, unless it exists. The next input frame of the chain has the number
  /// `frame`. Throws if memory cannot be allocated.
  func ensureFormants(from frame: Int64) throws(TimeDSPStatus) {
    if stretcher.pointee.formants != nil { return }
    let mover = try FormantMover(layout, from: frame)
    stretcher.pointee.formants = try allocated(mover)
  }

  /// Moves formants according to `law`, beginning with the next frame from the scaler. The scaler
  /// reads this frame at input position `position`. With `isFirst`, the law also applies to the
  /// frames before this one.
  func moveFormants(at position: Double, _ law: FormantLaw, isFirst: Bool) {
    let lead = isFirst ? Int64(truncatingIfNeeded: layout.sizes.longest) : 0
    let waiting = Int64(truncatingIfNeeded: scratch.rest.count)
    var law = law
    law.frame = stretcher.pointee.received &+ waiting &- lead
    law.position = position - Double(lead) * law.step
    stretcher.pointee.formants?.pointee.append(law)
  }

  /// Passes the `count` frames of `input` that the scaler has consumed to the formant mover.
  func receive(_ input: FrameCursor, _ count: Int) {
    stretcher.pointee.formants?.pointee.receive(input.planes, count)
  }

  /// Marks the end of the sound after `frames` more frames; see `Stretcher.endSound`.
  func endSound(after frames: Int64) {
    let waiting = Int64(truncatingIfNeeded: scratch.rest.count)
    stretcher.pointee.endSound(after: waiting &+ frames)
  }

  /// Outputs finished frames, as far as there is room.
  mutating func emit(to sink: inout FrameSink) {
    let made = sink.made
    _ = stretcher.pointee.process(nil, frames: 0, into: &sink)
    given &+= Int64(truncatingIfNeeded: sink.made &- made)
  }

  /// Consumes frames from the scratch memory until output is ready. Returns whether the stretcher
  /// has just received enough input to stretch.
  mutating func consume() -> Bool {
    var none = FrameSink(planes: nil, capacity: 0)
    let consumed = stretcher.pointee.process(
      scratch.rest.planes, frames: scratch.rest.count, into: &none)
    scratch.rest.consume(consumed)
    guard warm > 0 else { return false }
    warm &-= Int64(truncatingIfNeeded: consumed)
    return warm == 0
  }

  /// Outputs all remaining frames. They are unmodified, because the output of the stretcher has
  /// become equal to its input. Returns whether all frames were output.
  mutating func leave(into sink: inout FrameSink, _ shape: AudioShape) -> Bool {
    stretcher.pointee.finish(into: &sink)
    if sink.room > 0 { scratch.empty(into: &sink, shape) }
    return sink.room > 0
  }
}
