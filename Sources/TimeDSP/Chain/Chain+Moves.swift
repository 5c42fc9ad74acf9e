// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  /// The factors of the scalers and the stretcher for the requested factor and pitch. A single
  /// scaler does all the work if neither the pitch nor the formants need the stretcher, and if no
  /// stretcher is in use yet.
  var divided: PitchParts {
    let parts = PitchParts(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
    return stretch == nil && settings.pitch.formantRatio(parts) == 1 ? parts.joined : parts
  }

  /// Applies the requested formants from the next frame of the first scaler on. With `isFirst`, the
  /// formants also apply to earlier frames.
  func moveFormants(isFirst: Bool) {
    let isKept = settings.pitch.formants == TIMECHAIN_FORMANTS_KEEP
    stretch?.pointee.moveFormants(
      at: inputPosition, speed: 1 / parts.before, ratio: settings.pitch.formantRatio(parts),
      level: isKept ? parts.pitch : 1, isFirst: isFirst)
  }

  /// Begins a move of all parts to the requested settings, at the next frame of the first scaler.
  /// Returns the length of the move in input frames.
  ///
  /// If `isEarly` is true and only the stretcher's factor changes, the move begins at the first
  /// frame whose output position may still change. It would otherwise be delayed by the latency of
  /// the stretcher.
  mutating func moveOn(isEarly: Bool) -> UInt64 {
    let (old, new, held) = (parts, divided, latency)
    let start = moveStart(to: new, isEarly: isEarly)
    lastMove = (start.input, start.output)
    // `inputPosition` is used because, unlike `received`, it does not depend on how the input is
    // divided into buffers
    if received > 0 { minLatency = (held, inputPosition + Double(held)) }
    var frames = moveFrames
    let before = new.before == old.before ? nil : Fraction(factor: new.before)
    if let before, frames > 0 { frames = scaler.rampFrames(to: before, within: frames) }
    var excess = plan(from: start.input, start.output, within: frames)
    var given: Double?
    // After a move to factor 1 and the original pitch, the input is passed through again. The
    // output position then gets the fraction 0.5, so that rounding errors cannot change the number
    // of frames.
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

  /// Changes `planned` for a move to the requested factor within `frames` input frames, which
  /// begins at input position `position`, when the actual output position is `out`. Returns the
  /// number of frames by which `out` exceeds the planned position because of rounding; 0 if the
  /// last move has not ended yet. The new plan compensates for these frames.
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

  /// The start of a move to `new`: a frame number in the input of the stretcher, and the positions
  /// of this frame in the input and the output of the chain.
  private func moveStart(
    to new: PitchParts, isEarly: Bool
  ) -> (frame: Int64, input: Double, output: Double) {
    guard let stretch else { return (0, inputPosition, outputPosition) }
    let received = stretch.pointee.stretcher.pointee.received
    let now = (received, inputPosition, outputPosition)
    let lands = new.isNone && scaler.position.fraction != 0
    guard isEarly, new.before == parts.before, new.after == parts.after, !lands else { return now }
    // an early start must be after the end of the last move, and the factor of the first scaler
    // must be constant from the early start on
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

  /// Moves the factor of the first scaler to 1, so that its position at the end of the move is
  /// exactly on an input frame. Returns the number of frames that the scaler outputs for the next
  /// `frames` input frames: `due` if possible.
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

  /// Number of frames by which the output of the tail must be longer than its input once all three
  /// parts have factor 1. `lead` is the position of the first scaler at the end of the move, minus
  /// the number of frames that it outputs during the move.
  private func shiftAtEnd(_ lead: Int64) -> Int64? {
    guard let stretch else { return nil }
    let map = stretch.pointee.stretcher.pointee.map
    let received = stretch.pointee.stretcher.pointee.received
    return planned.shift.whole &+ lead &- stretch.pointee.base &- received
      &- (map.last.output.high &- map.last.input.high)
  }

  /// Input position of the first scaler's next output frame, at which a move begins.
  var inputPosition: Double {
    let (frame, fraction) = scaler.position
    return Double(frame) + fraction
  }

  /// The output position of `inputPosition`, in frames.
  var outputPosition: Double {
    guard let stretch else { return Double(made) }
    return output(of: stretch.pointee.outputPosition)
  }

  /// The positions in the input and the output at which the next move would begin, in frames. A new
  /// stretcher must first receive enough input.
  var movePosition: (input: Double, output: Double) {
    guard let stretch, stretch.pointee.warm > 0 else { return (inputPosition, outputPosition) }
    let warm = Double(stretch.pointee.warm)
    let waiting = warm - Double(stretch.pointee.scratch.rest.count)
    return (
      inputPosition + waiting / parts.before, output(of: stretch.pointee.outputPosition + warm)
    )
  }

  /// Output position in the chain of position `frame` in the output of the stretcher.
  private func output(of frame: Double) -> Double {
    Double(stretch?.pointee.base ?? 0) + (tail?.pointee.outputPosition(of: frame) ?? frame)
  }

  /// The latency in input frames.
  ///
  /// One input frame of the stretcher lasts as long as 1 / `before` input frames of the chain, and
  /// one output frame as long as 1 / (`before` × `stretch`). These are the factors in `parts`.
  package var latency: Int {
    guard let stretch else { return scaler.widestWindow.after }
    let tailLatency = tail.map { Double($0.pointee.latency) } ?? 0
    let stretched = Double(stretch.pointee.stretcher.pointee.latency)
    let frames = (stretched + tailLatency / parts.stretch) / parts.before
    let now = scaler.widestWindow.after &+ Int(truncatingIfNeeded: framesCovering(frames))
    return inputPosition < minLatency.until ? max(now, minLatency.frames) : now
  }

  /// Estimates the number of output frames still to come if the input ends after `frames` more
  /// frames. The estimate is at most two frames too high. During a move, it is at most twice the
  /// actual number.
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
      // the requested factor applies only after the input that the new stretcher still needs
      let warm = timedsp_whole_part(Double(stretch.pointee.warm) / parts.before)
      end += Double(frames &- min(frames, warm)) * (settings.factor - parts.factor)
    }
    return UInt64(truncatingIfNeeded: timedsp_whole_part(max(end - Double(made), 0)))
  }
}
