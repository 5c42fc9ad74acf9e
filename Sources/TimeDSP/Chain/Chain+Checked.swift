// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The functions for callers in C and in Swift. All arguments are checked before any memory is
// touched.
extension Chain {
  /// Consumes frames from `input` and writes their output to `output`: arrays of plane addresses.
  /// The result does not depend on how the stream is divided into calls, as long as moves begin at
  /// the same input frames. Real-time.
  package mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> ChainProgress {
    try check(input, frames, output, capacity)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(failure == TIMEDSP_OK, else: failure)
    var sink = FrameSink(planes: output, capacity: capacity)
    let used = process(input, frames: frames, into: &sink)
    return ChainProgress(used: used, made: sink.made, hasMore: hasMore(sink.room))
  }

  /// Writes the remaining frames after the end of the input. Call it until no frames are left;
  /// after that, only `startAgain` may be called. Real-time.
  package mutating func drain(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> ChainProgress {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    let hasMore = drain(into: &sink)
    return ChainProgress(made: sink.made, hasMore: hasMore)
  }

  /// Changes factor and pitch gradually within `frames` frames of input, beginning at the current
  /// position. Returns the actual number of frames, which is larger after `pass`. If only the
  /// stretcher moves and no curve is followed, the move begins earlier: at the first input frame
  /// that has not contributed to output yet. The speed, 1 / factor, changes linearly over the
  /// output, so that the move takes 2 `frames` / (1 / f0 + 1 / f1) output frames. May allocate
  /// memory.
  package mutating func move(
    to factor: Double, pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    try require(Self.isSound(factor, pitch), else: TIMEDSP_BAD_FACTOR)
    _ = try streamLength(frames)
    try require(scaler.isStream, else: TIMEDSP_BAD_FACTOR)
    return try move(to: factor, pitch, within: frames)
  }

  /// The number of frames that will be output if exactly `frames` more input frames follow: at most
  /// two too many, and up to twice as many during a move. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return framesDue(frames)
  }

  /// Records frames that the caller passes through itself; throws if the frames must be processed.
  /// Real-time.
  package mutating func pass(
    checked input: UnsafePointer<UnsafeRawPointer?>?, frames: Int
  ) throws(TimeDSPStatus) {
    try check(input, frames, nil, 0)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(mayPass, else: TIMEDSP_BAD_FACTOR)
    guard frames > 0, let input else { return }
    try require(pass(input, frames: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// Changes settings other than factor and pitch. `process` fails from then on if memory cannot be
  /// allocated.
  package mutating func reconfigure(_ settings: ChainSettings) throws(TimeDSPStatus) {
    do throws(TimeDSPStatus) { try configure(settings) } catch {
      if error == TIMEDSP_NO_MEMORY { failure = error }
      throw error
    }
  }

  /// A chain with a single scaler that fits `count` frames to `length` frames.
  package static func fitting(
    _ audio: TimeDSPConfig, count: UInt64, length: UInt64
  ) throws(TimeDSPStatus) -> Chain {
    let positions = try EndpointPositions(
      count: count, length: length, try ScalerSettings(audio))
    let settings = ChainSettings(audio: audio, rate: 0, factor: 1, pitch: .ofTape)
    let alone = PitchParts(before: 1, stretch: 1, after: 1)
    return try Chain(settings, alone, .endpoints(positions))
  }

  /// Discards the stream; throws if there is a stretcher: then make a new chain, since the next
  /// stream may need no stretcher. Real-time.
  package mutating func startAgain() throws(TimeDSPStatus) {
    try require(stretch == nil, else: TIMEDSP_FINISHED)
    reset()
  }

  /// Whether a chain accepts this factor and pitch.
  static func isSound(_ factor: Double, _ pitch: TimePitch) -> Bool {
    factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR
      && pitch.semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
      && pitch.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue
      && pitch.formants.rawValue <= TIMECHAIN_FORMANTS_KEEP.rawValue
      && pitch.formant_semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
  }
}

extension PitchParts {
  /// The parts that `settings` need; throws if factor, pitch or window are invalid.
  init(_ settings: ChainSettings) throws(TimeDSPStatus) {
    try require(Chain.isSound(settings.factor, settings.pitch), else: TIMEDSP_BAD_FACTOR)
    self.init(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
  }
}
