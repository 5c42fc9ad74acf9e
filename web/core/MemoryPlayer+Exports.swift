// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// The functions of the module, which `core.js` calls. Frames of the sound are `Double`, as
// JavaScript has no other number that counts them all. A `TimeDSPStatus` of 0 is success.

/// Makes a player of a sound; NULL if settings are wrong or memory is missing.
@c public func player_new(_ rate: UInt32, _ channels: UInt32, _ frames: Double) -> OpaquePointer? {
  let audio = TimeDSPConfig(
    format: TIMEDSP_F32, layout: TIMEDSP_PLANAR, interpolation: TIMEDSP_SINC,
    channels: channels, quality: 6)
  let settings = ChainSettings(
    audio: audio, rate: rate, factor: 1, pitch: .ofTape)
  guard let player = try? placed(MemoryPlayer(settings, frames: boundary(frames))) else {
    return nil
  }
  return OpaquePointer(player)
}

/// Frees a player; NULL is ignored.
@c public func player_free(_ player: OpaquePointer?) { MemoryPlayer.free(player) }

/// Sets how the player scales. See `ChainSettings`.
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

/// Goes to a frame of the sound.
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

/// Sets the loop: 0 none, 1 repeat, 2 ping-pong. A marker below 0 is not set.
@c public func player_loop(
  _ player: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.cursor.setLoop(
      TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Frames of the run to copy to the input; 0: none.
@c public func player_next(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.next()?.count ?? 0)
}

/// First frame of the run.
@c public func player_first(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Double(player.pointee.runFirst)
}

/// The run has been copied.
@c public func player_feed(_ player: OpaquePointer?) {
  try? MemoryPlayer.value(of: player).pointee.feed()
}

/// Frames written to the output; 0: a run is needed, or the sound has ended.
@c public func player_read(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.read())
}

/// Whether all of the output has been read.
@c public func player_ended(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 1 }
  return player.pointee.hasEnded ? 1 : 0
}

/// Address of a plane of the input, 1024 samples.
@c public func player_input(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.input(Int(plane)))
}

/// Address of a plane of the output, 1024 samples.
@c public func player_output(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.output(Int(plane)))
}

/// Frame of the sound at the next frame of output.
@c public func player_position(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.position
}

/// Whether the next run goes backwards.
@c public func player_is_backward(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.cursor.isBackward ? 1 : 0
}

/// A number of JavaScript as a boundary between frames. NaN and the like count as 0.
private func boundary(_ frames: Double) -> Int64 {
  frames >= 0 ? timedsp_whole_part(min(frames, Double(mostFrames))) : 0
}

private func marker(_ frame: Double) -> Int64 {
  frame >= 0 ? boundary(frame) : unknownFrame
}
