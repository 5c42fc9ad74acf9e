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
  /// After a ramp to factor 1, how much higher the number of an output frame is than that of the
  /// input frame it equals.
  private(set) var shift: Int64?
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
    if let shift, isIdentity { return input + Double(shift) }
    return section(at: input).output(at: input)
  }

  /// `input` mustn't be before the last ramp.
  private func section(at input: Double) -> CurveSection {
    if let ramp = curve.ramp, !isSteady(from: input) { return ramp }
    return curve.rest
  }

  func isSteady(from input: Double) -> Bool { input >= curve.rest.input.value }

  /// True if we've output all received frames, and every further input frame will come out
  /// unchanged.
  var isIdentity: Bool {
    shift != nil && ramps.isEmpty && scratch.rest.count == 0 && scaler.isIdentity
  }

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
    shift = nil
    if let wanted = ramp.shift, let speed = scaler.speed {
      shift = land(from: speed, within: ramp.frames, wanted)
    } else {
      scaler.ramp(to: ramp.factor, within: ramp.frames)
    }
  }

  /// Ramps the factor to 1, so that the ramp ends exactly on an input frame, and the output is
  /// `shift` frames longer than the input. Returns the actual difference, because we can't always
  /// manage `shift`.
  ///
  /// Let L be the input frame at the end of the ramp, N the number of output frames of the ramp,
  /// and M the number of output frames before it. Then M + N = L + shift. Starting at position p, a
  /// change from speed v to 1 takes N × (v + 1) / 2 = L - p input frames. Therefore, N = 2 × (p +
  /// shift - M) / (1 - v). If that's far from the planned number, we limit N, and the final speed
  /// is a few cents off 1 instead.
  private mutating func land(from speed: Double, within frames: UInt64, _ shift: Int64) -> Int64 {
    let (frame, fraction) = scaler.position
    let planned = 2 * Double(frames) / (speed + 1)
    let lead = Double(frame &+ shift &- made) + fraction
    let fitting = speed < 1 ? 2 * lead / (1 - speed) : planned
    let steps = max(rounded(min(max(fitting, planned / 4), 4 * planned)), 1)
    let distance = Double(steps) * (speed + 1) / 2
    let wanted = Double(made &+ steps &- shift &- frame) - fraction
    let most = Double(steps) / 8
    let landing = frame &+ rounded(fraction + min(max(wanted, distance - most), distance + most))
    scaler.land(on: landing, after: UInt64(truncatingIfNeeded: steps))
    return made &+ steps &- landing
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
