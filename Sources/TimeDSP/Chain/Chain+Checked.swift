// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// A chain for callers in C and in Swift. We check all arguments before we touch memory.
extension Chain {
  /// Consumes frames from `input` and writes their output to `output`, both arrays of plane
  /// addresses. However you divide the input among calls, the output is the same if moves begin at
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

  /// Writes the frames that remain after the end of the input. Call it until `hasMore` is false.
  /// After that, you may only call `startAgain`. Real-time.
  package mutating func drain(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> ChainProgress {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    let hasMore = drain(into: &sink)
    return ChainProgress(made: sink.made, hasMore: hasMore)
  }

  /// Changes factor and pitch gradually within `frames` input frames, beginning at the current
  /// position. Returns the actual length of the move, which may be larger than `frames` after
  /// `pass`. May allocate memory.
  ///
  /// If only the stretcher's factor changes and `settings.moves` is false, the move begins earlier,
  /// at the first input frame on which no output depends yet. The speed, 1 / factor, changes
  /// linearly over the output, so a move from factor f0 to f1 takes 2 × `frames` / (1 / f0 + 1 /
  /// f1) output frames.
  package mutating func move(
    to factor: Double, pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    try require(Self.isSound(factor, pitch), else: TIMEDSP_BAD_FACTOR)
    _ = try streamLength(frames)
    try require(scaler.isStream, else: TIMEDSP_BAD_FACTOR)
    return try move(to: factor, pitch, within: frames)
  }

  /// How many output frames are still to come if the input ends after `frames` more frames. At most
  /// two frames too high. During a move, it may be twice the actual number. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return framesDue(frames)
  }

  /// Counts frames that you output unmodified. Throws if the chain would change them. Real-time.
  package mutating func pass(
    checked input: UnsafePointer<UnsafeRawPointer?>?, frames: Int
  ) throws(TimeDSPStatus) {
    try check(input, frames, nil, 0)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(mayPass, else: TIMEDSP_BAD_FACTOR)
    guard frames > 0, let input else { return }
    try require(pass(input, frames: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// Changes interpolation, quality and `moves`. Before the first input frame, all settings except
  /// the format of the frames may change. If there's no memory, this fails. Then `process` fails,
  /// too, until a later change before the first input frame succeeds.
  package mutating func reconfigure(_ settings: ChainSettings) throws(TimeDSPStatus) {
    do throws(TimeDSPStatus) { try configure(settings) } catch {
      if error == TIMEDSP_NO_MEMORY { failure = error }
      throw error
    }
  }

  /// A chain with a single scaler, which scales exactly `count` frames to `length` frames.
  package static func fitting(
    _ audio: TimeDSPConfig, count: UInt64, length: UInt64
  ) throws(TimeDSPStatus) -> Chain {
    let positions = try ReadCursor(count: count, length: length, ScalerSettings(audio))
    let settings = ChainSettings(audio: audio, rate: 0, factor: 1, pitch: .ofTape)
    let alone = PitchParts(before: 1, stretch: 1, after: 1)
    return try Chain(settings, alone, positions)
  }

  /// Discards the stream, and keeps the settings. Throws if there's a stretcher. Then you need a
  /// new chain. Real-time.
  package mutating func startAgain() throws(TimeDSPStatus) {
    try require(stretch == nil, else: TIMEDSP_FINISHED)
    reset()
  }

  static func isSound(_ factor: Double, _ pitch: TimePitch) -> Bool {
    factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR
      && pitch.semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
      && pitch.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue
      && pitch.formants.rawValue <= TIMECHAIN_FORMANTS_KEEP.rawValue
      && pitch.formant_semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
  }
}

extension PitchParts {
  init(_ settings: ChainSettings) throws(TimeDSPStatus) {
    try require(Chain.isSound(settings.factor, settings.pitch), else: TIMEDSP_BAD_FACTOR)
    self.init(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
  }
}
