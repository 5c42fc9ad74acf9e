// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// The exported functions of a tape, which `player-worklet.js` calls. See
// `MemoryPlayer+Exports.swift`.

/// Creates a tape at rest at the beginning of a sound of `frames` frames; NULL if an argument is
/// invalid or there is not enough memory.
@c public func tape_new(_ rate: UInt32, _ channels: UInt32, _ frames: Double) -> OpaquePointer? {
  let channels = min(channels, UInt32(TIMEDSP_MAX_CHANNELS))
  guard
    let tape = try? allocated(Tape(rate: rate, channels: channels, frames: boundary(frames)))
  else { return nil }
  return OpaquePointer(tape)
}

/// Sets the loop, as `player_loop` does.
@c public func tape_loop(
  _ tape: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    tape.setLoop(TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Continues immediately at frame `frame`, with `speed`.
@c public func tape_start(
  _ tape: OpaquePointer?, _ frame: Double, _ speed: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.start(at: boundary(frame), speed: speed)
  }
}

/// Continues immediately at frame `frame`, at the speed that was set last.
@c public func tape_jump(_ tape: OpaquePointer?, _ frame: Double) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.jump(to: boundary(frame))
  }
}

/// Changes the speed to `speed` within `frames` output frames.
@c public func tape_ramp(
  _ tape: OpaquePointer?, _ speed: Double, _ frames: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.ramp(to: speed, within: UInt64(truncatingIfNeeded: boundary(frames)))
  }
}

/// Moves to frame `frame` within `frames` output frames, or more at the highest speed, and rests
/// there.
@c public func tape_scrub(
  _ tape: OpaquePointer?, _ frame: Double, _ frames: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.scrub(to: boundary(frame), within: UInt64(truncatingIfNeeded: boundary(frames)))
  }
}

/// Determines the run of frames that the tape needs next. Returns the number of frames, which the
/// caller must copy to the input; 0 if the input is complete.
@c public func tape_next(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return Int32(truncatingIfNeeded: tape.pointee.next()?.count ?? 0)
}

/// Index of the first frame of the run in the sound.
@c public func tape_first(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return Double(tape.pointee.run.first)
}

/// The address in a plane of the input to which the run must be copied.
@c public func tape_input(_ tape: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let tape = try? Tape.value(of: tape) else { return nil }
  return UnsafeMutableRawPointer(tape.pointee.input(Int(plane)))
}

/// Accepts the run, after the caller has copied its frames to the input.
@c public func tape_feed(_ tape: OpaquePointer?) { try? Tape.value(of: tape).pointee.feed() }

/// Writes output. Returns 1 if the block of 128 frames is complete; 0 if more input is needed.
@c public func tape_read(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 1 }
  return tape.pointee.read() ? 1 : 0
}

/// The address of a plane of the output: 128 samples.
@c public func tape_output(_ tape: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let tape = try? Tape.value(of: tape) else { return nil }
  return UnsafeMutableRawPointer(tape.pointee.output(Int(plane)))
}

/// Position in the sound, in frames, of the next output frame.
@c public func tape_position(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return tape.pointee.position
}

/// The speed of the next output frame. Below 0, the sound is played backwards.
@c public func tape_speed(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return tape.pointee.currentSpeed
}

/// Returns 1 if the tape rests at an end of the sound that it has reached, otherwise 0.
@c public func tape_ended(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 1 }
  return tape.pointee.hasEnded ? 1 : 0
}

private func changed(
  _ tape: OpaquePointer?, _ change: (inout Tape) throws(TimeDSPStatus) -> Void
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in try change(&Tape.value(of: tape).pointee) }
}
