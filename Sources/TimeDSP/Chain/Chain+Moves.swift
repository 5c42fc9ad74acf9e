// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  /// The parts for the requested factor and pitch. Without a stretcher there is one scaler.
  var divided: PitchParts {
    let parts = PitchParts(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
    return stretch == nil && settings.pitch.formantRatio(parts) == 1 ? parts.joined : parts
  }

  /// Applies the requested formants, from the next frame of the scaler on.
  func moveFormants(isFirst: Bool) {
    let isKept = settings.pitch.formants == TIMECHAIN_FORMANTS_KEEP
    let law = FormantLaw(
      frame: 0, place: 0, step: 1 / parts.before, ratio: settings.pitch.formantRatio(parts),
      level: isKept ? parts.pitch : 1)
    stretch?.pointee.moveFormants(at: place, law, isFirst: isFirst)
  }

  /// Moves all parts to the requested settings, from the next frame of the scaler on. If the
  /// stretcher alone moves and it `isEarly`, it moves from the first frame on that it has not
  /// placed: its lookahead lasts long at a low speed. Returns within how many frames of input.
  mutating func moveOn(isEarly: Bool) -> UInt64 {
    let (old, new, held) = (parts, divided, lookahead)
    let start = moveStart(to: new, isEarly: isEarly)
    lastMove = (start.input, start.output)
    // The position is the same however the input is cut; the number of consumed frames is not.
    if received > 0 { lookaheadHeld = (held, place + Double(held)) }
    var frames = moveFrames
    let before = new.before == old.before ? nil : Fraction(factor: new.before)
    if let before, frames > 0 { frames = scaler.rampFrames(to: before, within: frames) }
    var excess = line.bend(
      at: start.input, start.output, to: settings.factor, within: frames)
    var given: Double?
    // The input is to be passed through again. The position is then half a frame after the last
    // whole one that is due, so that no rounding makes a whole frame of difference.
    let returns = stretch != nil && new.isNone
    if returns { excess += line.shift.fraction - 0.5 }
    if returns, old.before != 1 || scaler.position.fraction != 0 {
      given = land(within: frames, due: new.given(from: old, within: frames, excess: excess))
    } else if let before {
      _ = scaler.ramp(to: before, within: frames)
    }
    if before != nil || given != nil { steadyFrom = scaler.steadyFrom }
    let ramps = new.ramps(from: old, within: frames, excess: excess, given: given)
    if let stretch {
      let place = stretch.pointee.place
      if new.stretch != old.stretch {
        stretch.pointee.move(at: start.frame, to: new.stretch, within: ramps.stretch)
      }
      if new.after != old.after, let after = Fraction(factor: new.after) {
        let lead = rounded(self.place + Double(frames) - (given ?? Double(frames)))
        let shift = returns ? shiftAtEnd(lead) : nil
        tail?.pointee.move(at: place, to: after, within: ramps.after, shift: shift)
      }
    }
    parts = new
    moveFormants(isFirst: false)
    return frames
  }

  /// Start of a move to `new`: the frame that the stretcher consumes there, or has consumed, and
  /// its positions in the input and in the output.
  private func moveStart(
    to new: PitchParts, isEarly: Bool
  ) -> (frame: Int64, input: Double, output: Double) {
    guard let stretch else { return (0, place, outputPlace) }
    let received = stretch.pointee.stretcher.pointee.received
    let now = (received, place, outputPlace)
    let lands = new.isNone && scaler.position.fraction != 0
    guard isEarly, new.before == parts.before, new.after == parts.after, !lands else { return now }
    // One move ends before the next one begins, and the scaler does not move meanwhile.
    let given = received &+ Int64(truncatingIfNeeded: stretch.pointee.scratch.rest.count)
    let steady = framesCovering((place - max(line.input, steadyFrom)) * parts.before)
    let frame = max(stretch.pointee.stretcher.pointee.firstOpen, given &- steady &+ 1)
    let heard = stretch.pointee.place(of: frame)
    guard frame < received, tail?.pointee.isSteady(from: heard) != false else { return now }
    return (frame, place - Double(given &- frame) / parts.before, output(of: heard))
  }

  /// Brings the first scaler to factor 1, and to a whole frame of the input. Returns how many
  /// frames it makes of the next `frames` of input: `due`, as far as it can.
  ///
  /// From position p and speed v, N frames of output need N (v + 1) / 2 of input.
  private mutating func land(within frames: UInt64, due: Double) -> Double {
    let (start, speed) = (place, scaler.speed ?? 1)
    let steps = max(rounded(2 * Double(frames) / (speed + 1)), 1)
    let way = Double(steps) * (speed + 1) / 2
    let wanted = Double(steps) + Double(frames) - due
    let most = Double(steps) / 64
    let end = rounded(start + min(max(wanted, way - most), way + most))
    scaler.land(on: end, after: UInt64(truncatingIfNeeded: steps))
    return Double(steps) + start + Double(frames) - Double(end)
  }

  /// Frames by which the output of the second scaler is to be longer than its input, when all three
  /// parts pass their input through: the first one from `lead` frames more than it makes.
  private func shiftAtEnd(_ lead: Int64) -> Int64? {
    guard let stretch else { return nil }
    let map = stretch.pointee.stretcher.pointee.map
    let received = stretch.pointee.stretcher.pointee.received
    return line.shift.whole &+ lead &- stretch.pointee.base &- received &- map.finalShift
  }

  /// Position of the scaler's next frame, in frames of the input: a move begins there.
  var place: Double {
    let (frame, fraction) = scaler.position
    return Double(frame) + fraction
  }

  /// Frames of the output before the place.
  var outputPlace: Double {
    guard let stretch else { return Double(made) }
    return output(of: stretch.pointee.place)
  }

  /// Start of a move: its frame of the input, and the number of output frames before it. A
  /// stretcher that is not warm yet moves when it is.
  var movePlace: (input: Double, output: Double) {
    guard let stretch, stretch.pointee.warm > 0 else { return (place, outputPlace) }
    let warm = Double(stretch.pointee.warm)
    let waiting = warm - Double(stretch.pointee.scratch.rest.count)
    return (place + waiting / parts.before, output(of: stretch.pointee.place + warm))
  }

  /// Output position of frame `frame` of the stretcher's output.
  private func output(of frame: Double) -> Double {
    Double(stretch?.pointee.base ?? 0) + (tail?.pointee.place(of: frame) ?? frame)
  }

  /// Lookahead: frames of input that are needed beyond a position.
  ///
  /// A frame between two parts is 1 / before, or 1 / (before × stretch), of input.
  package var lookahead: Int {
    guard let stretch else { return scaler.widestWindow.after }
    let behind = tail.map { Double($0.pointee.lookahead) } ?? 0
    let stretched = Double(stretch.pointee.stretcher.pointee.latency)
    let frames = (stretched + behind / parts.stretch) / parts.before
    let now = scaler.widestWindow.after &+ Int(truncatingIfNeeded: framesCovering(frames))
    return place < lookaheadHeld.until ? max(now, lookaheadHeld.frames) : now
  }

  /// Frames still to be made if `frames` more of input come, and no more: exact, or
  /// a frame or two more; up to twice as many inside a move.
  func framesDue(_ frames: Int64) -> UInt64 {
    let due = scaler.framesDue(frames)
    guard let stretch else { return due }
    if line.factor == settings.factor, let length = line.length(of: received &+ frames) {
      return UInt64(truncatingIfNeeded: max(length &- made, 0))
    }
    let held = Int64(truncatingIfNeeded: min(due, UInt64(truncatingIfNeeded: mostFrames)))
    let given = stretch.pointee.given &+ stretch.pointee.stretcher.pointee.framesDue(held)
    var end = output(of: Double(given))
    if stretch.pointee.warm > 0 {
      // The input after that will be under the next factor.
      let warm = timedsp_whole_part(Double(stretch.pointee.warm) / parts.before)
      end += Double(frames &- min(frames, warm)) * (settings.factor - parts.factor)
    }
    return UInt64(truncatingIfNeeded: timedsp_whole_part(max(end - Double(made), 0)))
  }
}
