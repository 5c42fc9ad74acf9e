// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  /// The factors of scalers and stretcher for the requested factor and pitch. A single scaler does
  /// all the work, unless pitch or formants need the stretcher, or one is in use.
  var divided: PitchParts {
    let parts = PitchParts(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
    return stretch == nil && settings.pitch.formantRatio(parts) == 1 ? parts.joined : parts
  }

  /// Applies the requested formants from the next frame of the first scaler on, or with `isFirst`
  /// to earlier frames, too.
  func moveFormants(isFirst: Bool) {
    let isKept = settings.pitch.formants == TIMECHAIN_FORMANTS_KEEP
    stretch?.pointee.moveFormants(
      at: inputPosition, speed: 1 / parts.before, ratio: settings.pitch.formantRatio(parts),
      level: isKept ? parts.pitch : 1, isFirst: isFirst)
  }

  /// Begins a move of all parts to the requested settings, at the next frame of the first scaler.
  /// Returns the length of the move in input frames.
  ///
  /// With `isEarly`, if only the stretcher's factor changes, the move begins at the first frame
  /// whose output position may still change. Otherwise, the stretcher's latency would delay it.
  mutating func moveOn(isEarly: Bool) -> UInt64 {
    let (old, new, held) = (parts, divided, latency)
    let start = moveStart(to: new, isEarly: isEarly)
    lastMove = (start.input, start.output)
    // unlike `received`, `inputPosition` doesn't depend on how you divide the input into buffers
    if received > 0 { minLatency = (held, inputPosition + Double(held)) }
    var frames = moveFrames
    let before = new.before == old.before ? nil : Fraction(factor: new.before)
    if let before, frames > 0 { frames = scaler.rampFrames(to: before, within: frames) }
    var excess = plan(from: start.input, start.output, within: frames)
    var given: Double?
    // After a move to factor 1 and the original pitch, we pass the input through again. We give the
    // output position the fraction 0.5 then, so rounding errors can't change the number of frames.
    let returns = stretch != nil && new.isNone
    if returns { excess += planned.shift.fraction - 0.5 }
    if returns, old.before != 1 || scaler.position.fraction != 0 {
      given = land(within: frames, due: new.given(from: old, within: frames, excess: excess))
    } else if let before {
      _ = scaler.ramp(to: before, within: frames)
    }
    if before != nil || given != nil { steadyFrom = scaler.steadyFrom }
    let ramps = new.ramps(from: old, within: frames, excess: excess, given: given)
    if let stretch {
      let stretchedPosition = stretch.pointee.outputPosition
      if new.stretch != old.stretch {
        stretch.pointee.move(at: start.frame, to: new.stretch, within: ramps.stretch)
      }
      if new.after != old.after, let after = Fraction(factor: new.after) {
        let lead = rounded(inputPosition + Double(frames) - (given ?? Double(frames)))
        let shift = returns ? shiftAtEnd(lead) : nil
        tail?.pointee.move(at: stretchedPosition, to: after, within: ramps.after, shift: shift)
      }
    }
    parts = new
    moveFormants(isFirst: false)
    return frames
  }

  /// Plans a move to the requested factor within `frames` input frames, from input position
  /// `position` and actual output position `out` on. Rounding puts `out` some frames after the
  /// planned position. The new plan makes up for them, and they're returned, or 0 if the last move
  /// hasn't ended yet.
  mutating func plan(from position: Double, _ out: Double, within frames: UInt64) -> Double {
    let excess = position >= planned.input.value ? out - planned.output(at: position) : 0
    if let factor = Fraction(factor: settings.factor), factor != planned.factor {
      planned =
        CurveSection.change(
          at: Wide(position), Wide(out - excess), from: planned.speed, to: factor,
          within: Double(frames)
        ).rest
    }
    return excess
  }

  /// Where a move to `new` starts: a frame in the stretcher's input, and its positions in the
  /// chain's input and output.
  private func moveStart(
    to new: PitchParts, isEarly: Bool
  ) -> (frame: Int64, input: Double, output: Double) {
    guard let stretch else { return (0, inputPosition, outputPosition) }
    let received = stretch.pointee.stretcher.pointee.received
    let now = (received, inputPosition, outputPosition)
    let lands = new.isNone && scaler.position.fraction != 0
    guard isEarly, new.before == parts.before, new.after == parts.after, !lands else { return now }
    // an early start must come after the last move, and the first scaler's factor must be constant
    // from there on
    let given = received &+ Int64(truncatingIfNeeded: stretch.pointee.scratch.rest.count)
    let steady = framesCovering(
      (inputPosition - max(planned.input.value, steadyFrom)) * parts.before)
    let frame = max(stretch.pointee.stretcher.pointee.firstOpen, given &- steady &+ 1)
    let stretchedPosition = stretch.pointee.outputPosition(of: frame)
    guard frame < received, tail?.pointee.isSteady(from: stretchedPosition) != false else {
      return now
    }
    return (
      frame, inputPosition - Double(given &- frame) / parts.before, output(of: stretchedPosition)
    )
  }

  /// Moves the first scaler to factor 1, so that it ends exactly on an input frame. Returns how
  /// many frames it outputs for the next `frames` input frames: `due` if possible.
  ///
  /// A move from speed v to 1 over N output frames takes N × (v + 1) / 2 input frames.
  private mutating func land(within frames: UInt64, due: Double) -> Double {
    let (start, speed) = (inputPosition, scaler.speed ?? 1)
    let steps = max(rounded(2 * Double(frames) / (speed + 1)), 1)
    let distance = Double(steps) * (speed + 1) / 2
    let wanted = Double(steps) + Double(frames) - due
    let most = Double(steps) / 64
    let end = rounded(start + min(max(wanted, distance - most), distance + most))
    scaler.land(on: end, after: UInt64(truncatingIfNeeded: steps))
    return Double(steps) + start + Double(frames) - Double(end)
  }

  /// By how many frames the tail's output must be longer than its input once all three parts have
  /// factor 1. `lead` is where the first scaler ends the move, minus the frames that it outputs
  /// during the move.
  private func shiftAtEnd(_ lead: Int64) -> Int64? {
    guard let stretch else { return nil }
    let map = stretch.pointee.stretcher.pointee.map
    let received = stretch.pointee.stretcher.pointee.received
    return planned.shift.whole &+ lead &- stretch.pointee.base &- received
      &- (map.last.output.high &- map.last.input.high)
  }

  /// Where the first scaler's next output frame is read, and a move begins.
  var inputPosition: Double {
    let (frame, fraction) = scaler.position
    return Double(frame) + fraction
  }

  /// Where `inputPosition` comes out, in frames.
  var outputPosition: Double {
    guard let stretch else { return Double(made) }
    return output(of: stretch.pointee.outputPosition)
  }

  /// Where the next move would begin, in frames. A new stretcher needs enough input first.
  var movePosition: (input: Double, output: Double) {
    guard let stretch, stretch.pointee.warm > 0 else { return (inputPosition, outputPosition) }
    let warm = Double(stretch.pointee.warm)
    let waiting = warm - Double(stretch.pointee.scratch.rest.count)
    return (
      inputPosition + waiting / parts.before, output(of: stretch.pointee.outputPosition + warm)
    )
  }

  /// Converts from output frames of the stretcher to those of the chain.
  private func output(of frame: Double) -> Double {
    Double(stretch?.pointee.base ?? 0) + (tail?.pointee.outputPosition(of: frame) ?? frame)
  }

  /// The latency in input frames.
  ///
  /// With the factors in `parts`, one input frame of the stretcher lasts 1 / `before` input frames
  /// of the chain, and one output frame 1 / (`before` × `stretch`).
  package var latency: Int {
    guard let stretch else { return scaler.widestWindow.after }
    let tailLatency = tail.map { Double($0.pointee.latency) } ?? 0
    let stretched = Double(stretch.pointee.stretcher.pointee.latency)
    let frames = (stretched + tailLatency / parts.stretch) / parts.before
    let now = scaler.widestWindow.after &+ Int(truncatingIfNeeded: framesCovering(frames))
    return inputPosition < minLatency.until ? max(now, minLatency.frames) : now
  }

  /// At most two frames too high. During a move, it may be twice the actual number.
  func framesDue(_ frames: Int64) -> UInt64 {
    let due = scaler.framesDue(frames)
    guard let stretch else { return due }
    if planned.factor == Fraction(factor: settings.factor),
      let length = planned.length(of: received &+ frames)
    {
      return UInt64(truncatingIfNeeded: max(length &- made, 0))
    }
    let held = Int64(truncatingIfNeeded: min(due, UInt64(truncatingIfNeeded: maxFrames)))
    let given = stretch.pointee.given &+ stretch.pointee.stretcher.pointee.framesDue(held)
    var end = output(of: Double(given))
    if stretch.pointee.warm > 0 {
      // the requested factor applies only after the input that a new stretcher still needs
      let warm = timedsp_whole_part(Double(stretch.pointee.warm) / parts.before)
      end += Double(frames &- min(frames, warm)) * (settings.factor - parts.factor)
    }
    return UInt64(truncatingIfNeeded: timedsp_whole_part(max(end - Double(made), 0)))
  }
}
