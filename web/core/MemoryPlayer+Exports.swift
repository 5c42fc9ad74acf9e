// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// `core.js` calls these functions of the WebAssembly module. Frame indices are `Double`, because
// JavaScript numbers are. A `TimeDSPStatus` of 0 means success.

/// For a sound of `frames` frames. NULL if an argument is invalid, or if there's no memory.
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

/// The player may be NULL.
@c public func player_free(_ player: OpaquePointer?) { MemoryPlayer.free(player) }

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

@c public func player_seek(_ player: OpaquePointer?, _ frame: Double) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.seek(to: boundary(frame))
  }
}

/// Backwards if `backward` isn't 0.
@c public func player_turn(_ player: OpaquePointer?, _ backward: Int32) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.turn(backward: backward != 0)
  }
}

/// 0 none, 1 repeat, 2 ping-pong. A marker below 0 means the beginning or the end of the sound.
@c public func player_loop(
  _ player: OpaquePointer?, _ loop: UInt32, _ start: Double, _ stop: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try MemoryPlayer.value(of: player).pointee.cursor.setLoop(
      TimeDSPLoop(rawValue: loop), start: marker(start), stop: marker(stop))
  }
}

/// Returns how many frames of the next run you must copy to the input, or 0 if it needs none.
@c public func player_next(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.next()?.count ?? 0)
}

/// The run's first frame in the sound.
@c public func player_first(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Double(player.pointee.runFirst)
}

/// Call this once you've copied the run to the input.
@c public func player_feed(_ player: OpaquePointer?) {
  try? MemoryPlayer.value(of: player).pointee.feed()
}

/// Writes the next block to the output. Returns its frames, or 0 if it needs another run or the
/// sound has ended.
@c public func player_read(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return Int32(truncatingIfNeeded: player.pointee.read())
}

/// Returns 1 once you've read all output.
@c public func player_ended(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 1 }
  return player.pointee.hasEnded ? 1 : 0
}

/// A plane of 1024 samples.
@c public func player_input(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.input(Int(plane)))
}

/// A plane of 1024 samples.
@c public func player_output(_ player: OpaquePointer?, _ plane: Int32) -> UnsafeMutableRawPointer? {
  guard let player = try? MemoryPlayer.value(of: player) else { return nil }
  return UnsafeMutableRawPointer(player.pointee.output(Int(plane)))
}

/// Where the next output frame is in the sound, in frames.
@c public func player_position(_ player: OpaquePointer?) -> Double {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.position
}

/// Returns 1 if the next run plays backwards.
@c public func player_is_backward(_ player: OpaquePointer?) -> Int32 {
  guard let player = try? MemoryPlayer.value(of: player) else { return 0 }
  return player.pointee.cursor.isBackward ? 1 : 0
}

/// NaN and negative numbers become 0.
func boundary(_ frames: Double) -> Int64 {
  frames >= 0 ? timedsp_whole_part(min(frames, Double(maxFrames))) : 0
}

func marker(_ frame: Double) -> Int64 {
  frame >= 0 ? boundary(frame) : unknownFrame
}
