// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A chain's second scaler, which comes after the stretcher and lowers the pitch. A ramp of its
/// factor begins when the first frame of the ramp leaves the stretcher. Unless stated otherwise,
/// frames are the stretcher's output frames.
struct TailScaler: ~Copyable {
  private var scaler: Scaler
  private var scratch: Scratch
  /// The last call filled the sink, so there may be more.
  private var isFull = false
  /// How much the stretcher had output before this scaler was added, in frames.
  private let base: Int64
  private var made: Int64 = 0
  /// Ramps that haven't begun yet, in order. If there are too many, a new one replaces the last.
  private var ramps: FixedArray<Ramp>
  /// The curve during the last ramp, and the curve after it.
  private var curve: (ramp: CurveSection?, rest: CurveSection)

  private struct Ramp: BitwiseCopyable {
    /// The input position where the ramp begins, in frames after `base`.
    let position: Double
    let factor: Fraction
    let frames: UInt64
    /// How many frames longer the output must be than the input after the ramp. Only set for a ramp
    /// to factor 1.
    let shift: Int64?
  }

  init(_ settings: ScalerSettings, _ factor: Fraction, after base: Int64) throws(TimeDSPStatus) {
    let scaler = try Scaler(settings, ReadCursor(factor))
    let scratch = try Scratch(settings.shape)
    let ramps = try FixedArray<Ramp>(capacity: 256)
    self.scaler = scaler
    self.scratch = scratch
    self.ramps = ramps
    self.base = base
    let start = Wide(high: base, low: 0)
    curve = (nil, CurveSection(factor, from: start, start))
  }

  /// Replaces the scaler by one with new settings, which continues the stream.
  mutating func reconfigure(_ settings: ScalerSettings) throws(TimeDSPStatus) {
    var next = try Scaler(settings, ReadCursor(curve.rest.factor))
    next.adopt(scaler)
    scaler = next
  }

  /// In input frames.
  var latency: Int { scaler.widestWindow.after }

  /// `input` mustn't be before the last ramp.
  func outputPosition(of input: Double) -> Double {
    section(at: input).output(at: input)
  }

  /// `input` mustn't be before the last ramp.
  private func section(at input: Double) -> CurveSection {
    if let ramp = curve.ramp, !isSteady(from: input) { return ramp }
    return curve.rest
  }

  func isSteady(from input: Double) -> Bool { input >= curve.rest.input.value }

  /// Ramps the factor over `frames` frames, starting at position `input`. After a ramp to factor 1,
  /// each input frame comes out unchanged, and the output must be `shift` frames longer than the
  /// input. If `shift` is `nil`, we round what the ramp gives to the nearest whole number.
  mutating func ramp(at input: Double, to factor: Fraction, within frames: UInt64, shift: Int64?) {
    let section = section(at: input)
    curve = CurveSection.change(
      at: Wide(input), Wide(outputPosition(of: input)),
      from: section.speed(at: input - section.input.value), to: factor, within: Double(frames))
    let longer = curve.rest.output.value - curve.rest.input.value
    let shift = curve.rest.isUnity ? shift ?? rounded(longer) : nil
    if ramps.isFull { ramps.removeLast() }
    ramps.append(
      Ramp(position: input - Double(base), factor: factor, frames: frames, shift: shift))
  }

  var isReady: Bool { scratch.rest.count > 0 || isFull }

  mutating func emit(from stage: UnsafeMutablePointer<StretchStage>, into sink: inout FrameSink) {
    while sink.room > 0, isReady || stage.pointee.stretcher.ready > 0 {
      if scratch.rest.count == 0 {
        var room = scratch.sink(Scratch.capacity)
        stage.pointee.emit(to: &room)
        scratch.fill(room.made)
      }
      var limited = sink
      limited.capacity = sink.made &+ min(sink.room, beginRamps())
      scaler.process(&scratch.rest, into: &limited)
      made &+= Int64(limited.made &- sink.made)
      sink.made = limited.made
      isFull = limited.room == 0
    }
  }

  private mutating func begin(_ ramp: Ramp) {
    guard let wanted = ramp.shift else { return scaler.ramp(to: ramp.factor, within: ramp.frames) }
    let shift = scaler.land(within: ramp.frames, shift: Double(wanted), made: made)
    if ramps.count == 1 {
      let start = curve.rest.input.high
      curve.rest = CurveSection(
        ramp.factor, from: Wide(high: start, low: 0), Wide(high: start &+ shift, low: 0))
    }
  }

  /// Begins all ramps that are due. Returns how many frames you may output before the next one is
  /// due, assuming that each of them consumes at most one input frame.
  private mutating func beginRamps() -> Int {
    let (frame, fraction) = scaler.position
    while let ramp = ramps.first {
      let left = ramp.position - Double(frame) - fraction
      if left > 0 { return Int(truncatingIfNeeded: timedsp_whole_part(max(left, 1))) }
      begin(ramp)
      ramps.removeFirst()
    }
    return .max
  }
}
