// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Makes a chain. See `timechain.h`.
@c @implementation
public func timechain_new(
  _ settings: UnsafePointer<TimeChainSettings>!, _ chain: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  chain?.pointee = nil
  return status { () throws(TimeDSPStatus) in
    guard let settings, let chain else { throw TIMEDSP_NULL_POINTER }
    chain.pointee = OpaquePointer(try placed(Chain.made(for: settings.pointee)))
  }
}

/// Makes a chain that fits a length to another. See `timechain.h`.
@c @implementation
public func timechain_new_endpoints(
  _ audio: UnsafePointer<TimeDSPConfig>!, _ count: UInt64, _ length: UInt64,
  _ chain: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  chain?.pointee = nil
  return status { () throws(TimeDSPStatus) in
    guard let audio, let chain else { throw TIMEDSP_NULL_POINTER }
    let positions = try EndpointPositions(
      count: count, length: length, try ScalerSettings(audio.pointee))
    let settings = TimeChainSettings(
      audio: audio.pointee, rate: 0, factor: 1,
      pitch: .ofTape, moves: 0)
    let alone = PitchParts(before: 1, stretch: 1, after: 1)
    chain.pointee = OpaquePointer(try placed(Chain(settings, alone, .endpoints(positions))))
  }
}

/// Frees a chain. See `timechain.h`.
@c @implementation
public func timechain_free(_ chain: OpaquePointer!) {
  Chain.free(chain)
}

/// Goes on with other settings. See `timechain.h`.
@c @implementation
public func timechain_configure(
  _ chain: OpaquePointer!, _ settings: UnsafePointer<TimeChainSettings>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    guard let settings else { throw TIMEDSP_NULL_POINTER }
    do throws(TimeDSPStatus) { try chain.pointee.configure(settings.pointee) } catch {
      if error == TIMEDSP_NO_MEMORY { chain.pointee.failure = error }
      throw error
    }
  }
}

/// Moves factor and pitch. See `timechain.h`.
@c @implementation
public func timechain_move(
  _ chain: OpaquePointer!, _ factor: Double, _ pitch: UnsafePointer<TimePitch>!,
  _ inFrames: UInt64, _ movedFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  movedFrames?.pointee = inFrames
  return status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    guard let pitch, let movedFrames else { throw TIMEDSP_NULL_POINTER }
    movedFrames.pointee = try chain.pointee.move(
      to: factor, pitch: pitch.pointee, within: inFrames)
  }
}

/// What a chain does. See `timechain.h`.
@c @implementation
public func timechain_state(
  _ chain: OpaquePointer!, _ state: UnsafeMutablePointer<TimeChainState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    state.pointee = chain.pointee.state
  }
}

/// The latency. See `timechain.h`.
@c @implementation
public func timechain_lookahead(_ chain: OpaquePointer!) -> UInt32 {
  guard let chain else { return 0 }
  return UInt32(truncatingIfNeeded: UnsafeMutablePointer<Chain>(chain).pointee.lookahead)
}

/// Whether frames are handed on. See `timechain.h`.
@c @implementation
public func timechain_passes(_ chain: OpaquePointer!) -> Int32 {
  guard let chain else { return 0 }
  return UnsafeMutablePointer<Chain>(chain).pointee.passes ? 1 : 0
}

/// What is still to come. See `timechain.h`.
@c @implementation
public func timechain_due(_ chain: OpaquePointer!, _ inFrames: UInt64) -> UInt64 {
  guard let chain else { return 0 }
  return (try? UnsafeMutablePointer<Chain>(chain).pointee.framesDue(after: inFrames)) ?? 0
}

/// Whether silence becomes silence. See `timechain.h`.
@c @implementation
public func timechain_is_gap(
  _ chain: OpaquePointer!, _ inFrames: Int, _ isSilent: Int32
) -> Int32 {
  guard let chain else { return 0 }
  let place = UnsafeMutablePointer<Chain>(chain)
  return place.pointee.isGap(inFrames, isSilent: isSilent != 0) ? 1 : 0
}

/// How far away a gap of the output is. See `timechain.h`.
@c @implementation
public func timechain_frames_before_gap(_ chain: OpaquePointer!) -> UInt64 {
  guard let chain else { return .max }
  return UnsafeMutablePointer<Chain>(chain).pointee.framesBeforeGap
}

/// Takes note of frames that are handed on. See `timechain.h`.
@c @implementation
public func timechain_pass(
  _ chain: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    try chain.pointee.check(input, inFrames, nil, 0)
    try require(inFrames == 0 || !chain.pointee.hasEnded, else: TIMEDSP_FINISHED)
    try require(chain.pointee.mayPass, else: TIMEDSP_BAD_FACTOR)
    guard inFrames > 0, let input else { return }
    try require(chain.pointee.pass(input, frames: inFrames), else: TIMEDSP_BAD_FACTOR)
  }
}

/// Room for the next call. See `timechain.h`.
@c @implementation
public func timechain_room(_ chain: OpaquePointer!, _ inFrames: Int) -> Int {
  guard let chain else { return 0 }
  let frames = min(max(Int64(truncatingIfNeeded: inFrames), 0), mostFrames)
  return UnsafeMutablePointer<Chain>(chain).pointee.room(for: frames)
}

/// Takes the next piece of a stream. See `timechain.h`.
@c @implementation
public func timechain_process(
  _ chain: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ progress: UnsafeMutablePointer<TimeChainProgress>!
) -> TimeDSPStatus {
  progress?.pointee = TimeChainProgress(frames_used: 0, frames_made: 0, more: 0)
  return status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    guard let progress else { throw TIMEDSP_NULL_POINTER }
    progress.pointee = try chain.pointee.process(
      input, frames: inFrames, into: output, capacity: outCapacity)
  }
}

/// Ends a stream. See `timechain.h`.
@c @implementation
public func timechain_drain(
  _ chain: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int, _ progress: UnsafeMutablePointer<TimeChainProgress>!
) -> TimeDSPStatus {
  progress?.pointee = TimeChainProgress(frames_used: 0, frames_made: 0, more: 0)
  return status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    guard let progress else { throw TIMEDSP_NULL_POINTER }
    progress.pointee = try chain.pointee.drain(into: output, capacity: outCapacity)
  }
}

/// Starts anew. See `timechain.h`.
@c @implementation
public func timechain_reset(_ chain: OpaquePointer!) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.behind(chain)
    try require(chain.pointee.stretch == nil, else: TIMEDSP_FINISHED)
    chain.pointee.reset()
  }
}

extension TimePitch {
  /// That of a tape.
  public static var ofTape: TimePitch {
    TimePitch(
      kept: 0, semitones: 0, window: TIMESTRETCH_AUTO, formants: TIMECHAIN_FORMANTS_FOLLOW,
      formant_semitones: 0)
  }
}

extension PitchParts {
  /// What `settings` come to; refuses a factor, a pitch or a window that cannot be.
  init(_ settings: TimeChainSettings) throws(TimeDSPStatus) {
    try require(Chain.isSound(settings.factor, settings.pitch), else: TIMEDSP_BAD_FACTOR)
    self.init(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
  }
}

extension Chain {
  fileprivate var state: TimeChainState {
    let next = movePlace
    return TimeChainState(
      factor: settings.factor, pitch: settings.pitch,
      in_frames: UInt64(truncatingIfNeeded: received), place: next.input,
      held_frames: max(next.output - Double(made), 0), move_place: lastMove.input,
      move_held_frames: max(lastMove.output - Double(made), 0))
  }
}
