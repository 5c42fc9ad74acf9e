// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// The exported functions of the WebAssembly module, which `core.js` calls. Frame indices are
// `Double`, because JavaScript numbers are. A `TimeDSPStatus` of 0 means success.

/// Creates a player for a sound of `frames` frames; NULL if an argument is invalid or there is not
/// enough memory.
@c public func player_new(_ rate: UInt32, _ channels: UInt32, _ frames: Double) -> OpaquePointer? {
  let audio = TimeDSPConfig(
    format: TIMEDSP_F32, layout: TIMEDSP_PLANAR, interpolation: TIMEDSP_SINC,
    channels: channels, quality: 6)
  let settings = ChainSettings(
    audio: audio, rate: rate, factor: 1, pitch: .ofTape)
  guard let player = try? allocated(MemoryPlayer(settings, frames: boundary(frames))) else {
    return nil
  }
  return OpaquePointer(player)
}

/// Frees the player, which may be NULL.
@c public func player_free(_ player: OpaquePointer?) { MemoryPlayer.free(player) }

/// Sets factor, pitch and interpolation, as in `ChainSettings`.
@c public func player_scale(
  _ player: OpaquePointer?, _ factor: Double, _ kept: Int32, _ semitones: Double,
  _ formants: UInt32, _ formantSemitones: Double, _ window: UInt32, _ interpolation: UInt32,
  _ quality: UInt32
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let player = try MemoryPlayer.value(of: player)
    var wanted = player.pointee.settings
    wanted.factor = factor
    wanted.pitch = TimePitch(
      kept: kept, semitones: semitones, window: TimeStretchWindow(rawValue: window),
      formants: TimeFormants(rawValue: formants), formant_semitones: formantSemitones)
    wanted.audio.interpolation = TimeDSPInterpolation(rawValue: interpolation)
    wanted.audio.quality = quality
    try player.pointee.change(wanted)
  }
}

/// Moves the playhead to frame `frame`.
@c public func player_seek(_ player: OpaquePointer?, _ frame: Double) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.seek(to: boundary(frame))
  }
}

/// Sets the direction: backwards if `backward` is not 0.
@c public func player_turn(_ player: OpaquePointer?, _ backward: Int32) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.turn(backward: backward != 0)
  }
}

/// Sets the loop: 0 none, 1 repeat, 2 ping-pong. A marker below 0 means the beginning or the end of
/// the sound.
@c public func player_loop(
  _ player: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.cursor.setLoop(
      TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Determines the run of frames that the player needs next. Returns the number of frames, which the
/// caller must copy to the input; 0 if none are needed.
@c public func player_next(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.next()?.count ?? 0)
}

/// Index of the first frame of the run in the sound.
@c public func player_first(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Double(player.pointee.runFirst)
}

/// Accepts the run, after the caller has copied its frames to the input.
@c public func player_feed(_ player: OpaquePointer?) {
  try? MemoryPlayer.value(of: player).pointee.feed()
}

/// Writes the next block to the output. Returns its number of frames; 0 if another run is needed or
/// the sound has ended.
@c public func player_read(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.read())
}

/// Returns 1 if all output has been read, otherwise 0.
@c public func player_ended(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 1 }
  return player.pointee.hasEnded ? 1 : 0
}

/// The address of a plane of the input: 1024 samples.
@c public func player_input(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.input(Int(plane)))
}

/// The address of a plane of the output: 1024 samples.
@c public func player_output(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.output(Int(plane)))
}

/// Position in the sound, in frames, of the next output frame.
@c public func player_position(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.position
}

/// Returns 1 if the next run is played backwards, otherwise 0.
@c public func player_is_backward(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.cursor.isBackward ? 1 : 0
}

/// Converts a number from JavaScript to a boundary. NaN and negative numbers become 0.
func boundary(_ frames: Double) -> Int64 {
  frames >= 0 ? timedsp_whole_part(min(frames, Double(maxFrames))) : 0
}

func marker(_ frame: Double) -> Int64 {
  frame >= 0 ? boundary(frame) : unknownFrame
}
