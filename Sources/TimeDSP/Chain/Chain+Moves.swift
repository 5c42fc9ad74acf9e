// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  /// The parts for the requested factor and pitch. The parts are joined to a single scaler where
  /// possible if there is no stretcher and formants need no correction.
  var divided: PitchParts {
    let parts = PitchParts(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
    return stretch == nil && settings.pitch.formantRatio(parts) == 1 ? parts.joined : parts
  }

  /// Applies the requested formants, beginning with the next frame of the scaler.
  func moveFormants(isFirst: Bool) {
    let isKept = settings.pitch.formants == TIMECHAIN_FORMANTS_KEEP
    let law = FormantLaw(
      frame: 0, position: 0, step: 1 / parts.before, ratio: settings.pitch.formantRatio(parts),
      level: isKept ? parts.pitch : 1)
    stretch?.pointee.moveFormants(at: inputPosition, law, isFirst: isFirst)
  }

  /// Moves all parts to the requested settings, beginning with the next frame of the scaler.
  /// Returns the length of the move in input frames.
  ///
  /// If `isEarly` is set and only the stretcher moves, the move begins at the first frame whose
  /// output position may still change. Otherwise, the latency of the stretcher would delay the
  /// move.
  mutating func moveOn(isEarly: Bool) -> UInt64 {
    let (old, new, held) = (parts, divided, latency)
    let start = moveStart(to: new, isEarly: isEarly)
    lastMove = (start.input, start.output)
    // `inputPosition` does not depend on how the input is divided, but `received` does.
    if received > 0 { leastLatency = (held, inputPosition + Double(held)) }
    var frames = moveFrames
    let before = new.before == old.before ? nil : Fraction(factor: new.before)
    if let before, frames > 0 { frames = scaler.rampFrames(to: before, within: frames) }
    var excess = lengthMap.bend(
      at: start.input, start.output, to: settings.factor, within: frames)
    var given: Double?
    // After this move, the input is passed through again. The output position then has the fraction
    // 0.5, so that rounding errors cannot change the number of frames.
    let returns = stretch != nil && new.isNone
    if returns { excess += lengthMap.shift.fraction - 0.5 }
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

  /// The start of a move to `new`: the number of a frame in the input of the stretcher, and the
  /// position of this frame in the input and the output of the chain.
  private func moveStart(
    to new: PitchParts, isEarly: Bool
  ) -> (frame: Int64, input: Double, output: Double) {
    guard let stretch else { return (0, inputPosition, outputPosition) }
    let received = stretch.pointee.stretcher.pointee.received
    let now = (received, inputPosition, outputPosition)
    let lands = new.isNone && scaler.position.fraction != 0
    guard isEarly, new.before == parts.before, new.after == parts.after, !lands else { return now }
    // The last move must have ended before this frame, and the factor of the scaler must be
    // constant from this frame on.
    let given = received &+ Int64(truncatingIfNeeded: stretch.pointee.scratch.rest.count)
    let steady = framesCovering((inputPosition - max(lengthMap.input, steadyFrom)) * parts.before)
    let frame = max(stretch.pointee.stretcher.pointee.firstOpen, given &- steady &+ 1)
    let stretchedPosition = stretch.pointee.outputPosition(of: frame)
    guard frame < received, tail?.pointee.isSteady(from: stretchedPosition) != false else {
      return now
    }
    return (
      frame, inputPosition - Double(given &- frame) / parts.before, output(of: stretchedPosition)
    )
  }

  /// Moves the factor of the first scaler to 1. At the end of the move, the position of the scaler
  /// is exactly on an input frame. Returns the number of frames that the scaler outputs for the
  /// next `frames` input frames. This number is `due` if possible.
  ///
  /// A move from speed v to 1 over N output frames takes N (v + 1) / 2 input frames.
  private mutating func land(within frames: UInt64, due: Double) -> Double {
    let (start, speed) = (inputPosition, scaler.speed ?? 1)
    let steps = max(rounded(2 * Double(frames) / (speed + 1)), 1)
    let way = Double(steps) * (speed + 1) / 2
    let wanted = Double(steps) + Double(frames) - due
    let most = Double(steps) / 64
    let end = rounded(start + min(max(wanted, way - most), way + most))
    scaler.land(on: end, after: UInt64(truncatingIfNeeded: steps))
    return Double(steps) + start + Double(frames) - Double(end)
  }

  /// Number of frames by which the output of the second scaler must be longer than its input, once
  /// all three parts pass their input through. `lead` is the position of the first scaler at the
  /// end of the move, minus the number of frames that it outputs during the move.
  private func shiftAtEnd(_ lead: Int64) -> Int64? {
    guard let stretch else { return nil }
    let map = stretch.pointee.stretcher.pointee.map
    let received = stretch.pointee.stretcher.pointee.received
    return lengthMap.shift.whole &+ lead &- stretch.pointee.base &- received &- map.finalShift
  }

  /// Input position of the scaler's next output frame. A move begins here.
  var inputPosition: Double {
    let (frame, fraction) = scaler.position
    return Double(frame) + fraction
  }

  /// Output position that corresponds to `inputPosition`, in frames.
  var outputPosition: Double {
    guard let stretch else { return Double(made) }
    return output(of: stretch.pointee.outputPosition)
  }

  /// Position of the next move in the input and the output, in frames. A new stretcher moves only
  /// when it has received enough input.
  var movePosition: (input: Double, output: Double) {
    guard let stretch, stretch.pointee.warm > 0 else { return (inputPosition, outputPosition) }
    let warm = Double(stretch.pointee.warm)
    let waiting = warm - Double(stretch.pointee.scratch.rest.count)
    return (
      inputPosition + waiting / parts.before, output(of: stretch.pointee.outputPosition + warm)
    )
  }

  /// Converts position `frame` in the output of the stretcher to a position in the output of the
  /// chain.
  private func output(of frame: Double) -> Double {
    Double(stretch?.pointee.base ?? 0) + (tail?.pointee.outputPosition(of: frame) ?? frame)
  }

  /// The latency in input frames.
  ///
  /// One input frame of the stretcher lasts as long as 1 / before input frames of the chain. One
  /// output frame of the stretcher lasts as long as 1 / (before × stretch) input frames of the
  /// chain.
  package var latency: Int {
    guard let stretch else { return scaler.widestWindow.after }
    let tailLatency = tail.map { Double($0.pointee.latency) } ?? 0
    let stretched = Double(stretch.pointee.stretcher.pointee.latency)
    let frames = (stretched + tailLatency / parts.stretch) / parts.before
    let now = scaler.widestWindow.after &+ Int(truncatingIfNeeded: framesCovering(frames))
    return inputPosition < leastLatency.until ? max(now, leastLatency.frames) : now
  }

  /// Estimates the number of output frames if exactly `frames` more input frames follow. The
  /// estimate is at most two frames too high. During a move, it is at most twice the actual number.
  func framesDue(_ frames: Int64) -> UInt64 {
    let due = scaler.framesDue(frames)
    guard let stretch else { return due }
    if lengthMap.factor == settings.factor, let length = lengthMap.length(of: received &+ frames) {
      return UInt64(truncatingIfNeeded: max(length &- made, 0))
    }
    let held = Int64(truncatingIfNeeded: min(due, UInt64(truncatingIfNeeded: mostFrames)))
    let given = stretch.pointee.given &+ stretch.pointee.stretcher.pointee.framesDue(held)
    var end = output(of: Double(given))
    if stretch.pointee.warm > 0 {
      // the next factor applies only after the frames that the stretcher still needs
      let warm = timedsp_whole_part(Double(stretch.pointee.warm) / parts.before)
      end += Double(frames &- min(frames, warm)) * (settings.factor - parts.factor)
    }
    return UInt64(truncatingIfNeeded: timedsp_whole_part(max(end - Double(made), 0)))
  }
}
