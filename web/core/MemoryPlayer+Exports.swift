// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// The functions of the module, which `core.js` calls. Indices of frames are `Double`, because
// JavaScript has no other number type that can represent all of them. A `TimeDSPStatus` of 0 means
// success.

/// Creates a player for a sound; NULL if settings are invalid or memory is missing.
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

/// Frees a player; NULL is ignored.
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

/// Moves the playhead to a frame of the sound.
@c public func player_seek(_ player: OpaquePointer?, _ frame: Double) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.seek(to: boundary(frame))
  }
}

/// Sets the direction.
@c public func player_turn(_ player: OpaquePointer?, _ backward: Int32) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.turn(backward: backward != 0)
  }
}

/// Sets the loop: 0 none, 1 repeat, 2 ping-pong. A marker below 0 stands for the beginning or the
/// end of the sound.
@c public func player_loop(
  _ player: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.cursor.setLoop(
      TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Determines the next run. Returns the number of its frames, which must be copied to the input; 0
/// if no run is needed.
@c public func player_next(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.next()?.count ?? 0)
}

/// The index of the first frame of the run.
@c public func player_first(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Double(player.pointee.runFirst)
}

/// Must be called when the run has been copied to the input.
@c public func player_feed(_ player: OpaquePointer?) {
  try? MemoryPlayer.value(of: player).pointee.feed()
}

/// Writes frames to the output and returns their number; 0 if a run is needed or the sound has
/// ended.
@c public func player_read(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.read())
}

/// Whether all of the output has been read.
@c public func player_ended(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 1 }
  return player.pointee.hasEnded ? 1 : 0
}

/// The address of a plane of the input, which holds 1024 samples.
@c public func player_input(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.input(Int(plane)))
}

/// The address of a plane of the output, which holds 1024 samples.
@c public func player_output(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.output(Int(plane)))
}

/// The frame of the sound that corresponds to the next frame of output.
@c public func player_position(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.position
}

/// Whether the next run is played backwards.
@c public func player_is_backward(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.cursor.isBackward ? 1 : 0
}

/// Converts a number from JavaScript to a boundary between frames. NaN and negative numbers become
/// 0.
private func boundary(_ frames: Double) -> Int64 {
  frames >= 0 ? timedsp_whole_part(min(frames, Double(mostFrames))) : 0
}

private func marker(_ frame: Double) -> Int64 {
  frame >= 0 ? boundary(frame) : unknownFrame
}
