// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The stretcher of a chain, and frames on their way to it.
struct StretchStage: ~Copyable {
  private let storage: Storage
  private let layout: StretchLayout
  let stretcher: UnsafeMutablePointer<Stretcher>
  /// Frames that the stretcher has not consumed yet.
  var scratch: Scratch
  /// Frames of the chain's output when it came in.
  let base: Int64
  /// Frames that it still needs before it may stretch.
  var warm: Int64
  /// Frames that have left it.
  private(set) var given: Int64 = 0

  /// `base` frames of output have been made without it. If there are any, it must be warm before it
  /// stretches: otherwise it would treat them as silence.
  ///
  /// Throws if there is no memory.
  init(_ config: TimeStretchConfig, _ factor: Fraction, after base: Int64) throws(TimeDSPStatus) {
    let layout = try StretchLayout(config)
    let storage = try Storage(bytes: layout.bytes)
    let scratch = try Scratch(layout.shape)
    stretcher = layout.place(in: storage.base, factor)
    self.storage = storage
    self.layout = layout
    self.scratch = scratch
    self.base = base
    // At factor 1 this is more than a window.
    warm = base > 0 ? stretcher.pointee.latency : 0
  }

  deinit { stretcher.pointee.formants?.free() }

  /// Output position of the next input frame, in frames that leave it.
  var place: Double { place(of: stretcher.pointee.received) }

  /// Output position of input frame `frame`, in frames that leave it.
  func place(of frame: Int64) -> Double {
    let (whole, fraction) = stretcher.pointee.map.place(of: frame)
    return Double(whole) + fraction
  }

  /// From frame `frame` of its input on, the factor moves to `factor`.
  func move(at frame: Int64, to factor: Double, within frames: UInt64) {
    guard let fraction = Fraction(factor: factor), stretcher.pointee.length == nil,
      frames <= UInt64(truncatingIfNeeded: mostFrames)
    else { return }
    stretcher.pointee.map.bend(
      at: frame, to: fraction, within: Int64(truncatingIfNeeded: frames))
  }

  /// Makes the mover of formants, unless it exists. The next frame of the chain's input is number
  /// `frame`. Throws if there is no memory.
  func ensureFormants(from frame: Int64) throws(TimeDSPStatus) {
    if stretcher.pointee.formants != nil { return }
    let mover = try FormantMover(layout, from: frame)
    stretcher.pointee.formants = try placed(mover)
  }

  /// From the next frame on that comes out of the scaler, which is read at `place`, formants
  /// are moved as `law` says; in a stream that begins, from its beginning on.
  func moveFormants(at place: Double, _ law: FormantLaw, isFirst: Bool) {
    let lead = isFirst ? Int64(truncatingIfNeeded: layout.sizes.longest) : 0
    let waiting = Int64(truncatingIfNeeded: scratch.rest.count)
    var law = law
    law.frame = stretcher.pointee.received &+ waiting &- lead
    law.place = place - Double(lead) * law.step
    stretcher.pointee.formants?.pointee.append(law)
  }

  /// The scaler has consumed `count` frames of `input`.
  func hear(_ input: FrameCursor, _ count: Int) {
    stretcher.pointee.formants?.pointee.hear(input.planes, count)
  }

  /// Input after `frames` more frames is not output; see `Stretcher.endSound`.
  func endSound(after frames: Int64) {
    let waiting = Int64(truncatingIfNeeded: scratch.rest.count)
    stretcher.pointee.endSound(after: waiting &+ frames)
  }

  /// Outputs finished frames, as far as there is room.
  mutating func give(to sink: inout FrameSink) {
    let made = sink.made
    _ = stretcher.pointee.process(nil, frames: 0, into: &sink)
    given &+= Int64(truncatingIfNeeded: sink.made &- made)
  }

  /// Consumes the scratch until frames are ready. Returns whether it has become warm.
  mutating func take() -> Bool {
    var none = FrameSink(planes: nil, capacity: 0)
    let taken = stretcher.pointee.process(
      scratch.rest.planes, frames: scratch.rest.count, into: &none)
    scratch.rest.take(taken)
    guard warm > 0 else { return false }
    warm &-= Int64(truncatingIfNeeded: taken)
    return warm == 0
  }

  /// Outputs everything that it holds, unmodified: its output has become its input. Returns whether
  /// that is all.
  mutating func leave(into sink: inout FrameSink, _ shape: AudioShape) -> Bool {
    stretcher.pointee.finish(into: &sink)
    if sink.room > 0 { scratch.empty(into: &sink, shape) }
    return sink.room > 0
  }
}
