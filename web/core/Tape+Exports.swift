// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// `player-worklet.js` calls these functions of a tape. See `MemoryPlayer+Exports.swift`.

/// At rest, at the beginning of a sound of `frames` frames. NULL if an argument is invalid, or if
/// there's no memory.
@c public func tape_new(_ rate: UInt32, _ channels: UInt32, _ frames: Double) -> OpaquePointer? {
  let channels = min(channels, UInt32(TIMEDSP_MAX_CHANNELS))
  guard
    let tape = try? allocated(Tape(rate: rate, channels: channels, frames: boundary(frames)))
  else { return nil }
  return OpaquePointer(tape)
}

@c public func tape_loop(
  _ tape: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    tape.setLoop(TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Continues at once at frame `frame`, with `speed`.
@c public func tape_start(
  _ tape: OpaquePointer?, _ frame: Double, _ speed: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.start(at: boundary(frame), speed: speed)
  }
}

/// Continues at once at frame `frame`, at the speed that you set last.
@c public func tape_jump(_ tape: OpaquePointer?, _ frame: Double) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.jump(to: boundary(frame))
  }
}

@c public func tape_ramp(
  _ tape: OpaquePointer?, _ speed: Double, _ frames: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.ramp(to: speed, within: UInt64(truncatingIfNeeded: boundary(frames)))
  }
}

/// Within `frames` output frames, or more at the highest speed, it comes to frame `frame`, and
/// rests there.
@c public func tape_scrub(
  _ tape: OpaquePointer?, _ frame: Double, _ frames: Double
) -> TimeDSPStatus {
  changed(tape) { (tape: inout Tape) throws(TimeDSPStatus) in
    try tape.scrub(to: boundary(frame), within: UInt64(truncatingIfNeeded: boundary(frames)))
  }
}

/// Returns how many frames of the next run you must copy to the input, or 0 if the input is
/// complete.
@c public func tape_next(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return Int32(truncatingIfNeeded: tape.pointee.next()?.count ?? 0)
}

/// The run's first frame in the sound.
@c public func tape_first(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return Double(tape.pointee.run.first)
}

/// Copy the run here.
@c public func tape_input(_ tape: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let tape = try? Tape.value(of: tape) else { return nil }
  return UnsafeMutableRawPointer(tape.pointee.input(Int(plane)))
}

/// Call this once you've copied the run to the input.
@c public func tape_feed(_ tape: OpaquePointer?) { try? Tape.value(of: tape).pointee.feed() }

/// Returns 1 if the block of 128 frames is complete, or 0 if it needs more input.
@c public func tape_read(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 1 }
  return tape.pointee.read() ? 1 : 0
}

/// A plane of 128 samples.
@c public func tape_output(_ tape: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let tape = try? Tape.value(of: tape) else { return nil }
  return UnsafeMutableRawPointer(tape.pointee.output(Int(plane)))
}

/// Where the next output frame is in the sound, in frames.
@c public func tape_position(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return tape.pointee.position
}

/// For the next output frame. Below 0, the sound plays backwards.
@c public func tape_speed(_ tape: OpaquePointer?) -> Double {
  guard let tape = try? Tape.value(of: tape) else { return 0 }
  return tape.pointee.currentSpeed
}

/// Returns 1 if the tape rests at an end of the sound that it has reached.
@c public func tape_ended(_ tape: OpaquePointer?) -> Int32 {
  guard let tape = try? Tape.value(of: tape) else { return 1 }
  return tape.pointee.hasEnded ? 1 : 0
}

private func changed(
  _ tape: OpaquePointer?, _ change: (inout Tape) throws(TimeDSPStatus) -> Void
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in try change(&Tape.value(of: tape).pointee) }
}
