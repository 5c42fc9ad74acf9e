// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The second scaler of a chain follows the stretcher to lower the pitch. A ramp of its factor
/// begins when the first frame of the ramp leaves the stretcher. If nothing else is said, frames
/// are output frames of the stretcher.
struct TailScaler: ~Copyable {
  private var scaler: Scaler
  private var scratch: Scratch
  /// The last call filled the sink, so there may be more.
  private var isFull = false
  /// What the stretcher had output before this scaler came, in frames.
  private let base: Int64
  private var made: Int64 = 0
  /// After a ramp to factor 1, the number of an output frame minus that of the equal input frame.
  private(set) var shift: Int64?
  /// In order, and not begun yet. If there are too many, a new one replaces the last.
  private var ramps: FixedArray<Ramp>
  /// During the last ramp, and after it.
  private var curve: (ramp: CurveSection?, rest: CurveSection)

  private struct Ramp: BitwiseCopyable {
    /// The input position at which the ramp begins, in frames from `base` on.
    let position: Double
    let factor: Fraction
    let frames: UInt64
    /// By how many frames the output must be longer than the input after the ramp. Only for a ramp
    /// to factor 1.
    let shift: Int64?
  }

  init(
    _ settings: ScalerSettings, _ factor: Fraction, after base: Int64
  ) throws(TimeDSPStatus) {
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

  /// A new scaler with other settings continues the stream.
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

  /// All received frames have been output, and from now on each input frame is an output frame.
  var isIdentity: Bool {
    shift != nil && ramps.isEmpty && scratch.rest.count == 0 && scaler.isIdentity
  }

  /// Moves the factor within `frames` frames from position `input` on. After a ramp to factor 1,
  /// each input frame is an output frame. The output must then be `shift` frames longer than the
  /// input. Without a `shift`, it's the whole number nearest to what the ramp gives.
  mutating func ramp(
    at input: Double, to factor: Fraction, within frames: UInt64, shift: Int64?
  ) {
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

  mutating func emit(
    from stage: UnsafeMutablePointer<StretchStage>, into sink: inout FrameSink
  ) {
    while sink.room > 0, isReady || stage.pointee.stretcher.pointee.ready > 0 {
      if scratch.rest.count == 0 {
        var room = scratch.sink(Scratch.capacity)
        stage.pointee.emit(to: &room)
        scratch.fill(room.made)
      }
      var limited = sink
      limited.capacity = sink.made &+ min(sink.room, beginRamps())
      let count = scratch.rest.count
      scratch.rest.consume(scaler.process(scratch.rest.planes, frames: count, into: &limited))
      made &+= Int64(truncatingIfNeeded: limited.made &- sink.made)
      sink.made = limited.made
      isFull = limited.room == 0
    }
  }

  private mutating func begin(_ ramp: Ramp) {
    shift = nil
    if let wanted = ramp.shift, let speed = scaler.speed {
      shift = land(from: speed, within: ramp.frames, wanted)
    } else {
      _ = scaler.ramp(to: ramp.factor, within: ramp.frames)
    }
  }

  /// Moves the factor to 1, so that the ramp ends exactly on an input frame, and the output is
  /// `shift` frames longer than the input. Returns the actual difference, because `shift` can't
  /// always be reached.
  ///
  /// Let L be the input frame at the end of the ramp, N the number of output frames of the ramp,
  /// and M the number of output frames before it. Then M + N = L + shift. From position p, a change
  /// from speed v to 1 takes N × (v + 1) / 2 = L - p input frames. Therefore, N = 2 × (p + shift -
  /// M) / (1 - v). If this is far from the planned number, N is limited, and the final speed
  /// differs from 1 by a few cents instead.
  private mutating func land(
    from speed: Double, within frames: UInt64, _ shift: Int64
  ) -> Int64 {
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
  /// due. Each of these consumes at most one input frame.
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
