// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// What others call, in C and in Swift. All arguments are checked before any memory is touched.
extension Chain {
  /// Takes frames from `input` and writes what can be made of them to `output`: arrays of plane
  /// addresses. See `timechain_process()`. Real-time.
  package mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> TimeChainProgress {
    try check(input, frames, output, capacity)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(failure == TIMEDSP_OK, else: failure)
    var sink = FrameSink(planes: output, capacity: capacity)
    let used = process(input, frames: frames, into: &sink)
    return TimeChainProgress(
      frames_used: used, frames_made: sink.made, more: hasMore(sink.room) ? 1 : 0)
  }

  /// Writes frames that were waiting for more input, which has ended. See `timechain_drain()`.
  /// Real-time.
  package mutating func drain(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> TimeChainProgress {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    let hasMore = drain(into: &sink)
    return TimeChainProgress(frames_used: 0, frames_made: sink.made, more: hasMore ? 1 : 0)
  }

  /// Moves factor and pitch within `frames` frames of input; returns within how many it does. See
  /// `timechain_move()`.
  package mutating func move(
    to factor: Double, pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    try require(Self.isSound(factor, pitch), else: TIMEDSP_BAD_FACTOR)
    _ = try streamLength(frames)
    try require(scaler.isStream, else: TIMEDSP_BAD_FACTOR)
    return try move(to: factor, pitch, within: frames)
  }

  /// Frames that are still to be made if `frames` more of input come, and no more: exact, or a
  /// frame or two more; up to twice as many inside a move. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return framesDue(frames)
  }

  /// Whether a chain can be asked for them.
  static func isSound(_ factor: Double, _ pitch: TimePitch) -> Bool {
    factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR
      && pitch.semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
      && pitch.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue
      && pitch.formants.rawValue <= TIMECHAIN_FORMANTS_KEEP.rawValue
      && pitch.formant_semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
  }
}
