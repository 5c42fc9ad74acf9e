// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// A scaler for callers in C and in Swift. We check all arguments before we touch memory.
extension Scaler {
  /// For a stream of any length. We read output frame k at input position k / factor, and output it
  /// once the whole span [k / factor, (k + 1) / factor) has arrived. So n input frames become floor
  /// (n × factor) output frames. Beyond the ends of the stream, we repeat the first or last frame.
  /// Allocates memory and computes kernels.
  package init(_ config: TimeDSPConfig, factor: Double) throws(TimeDSPStatus) {
    let settings = try ScalerSettings(config)
    try self.init(settings, ReadCursor(Fraction(checked: factor)))
  }

  /// Consumes frames from `input` and writes their output to `output`, both arrays of plane
  /// addresses. Returns the numbers of frames consumed and produced. See
  /// `timedsp_scaler_process()`. Real-time.
  package mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> (used: Int, made: Int) {
    try check(input, frames, output, capacity)
    try require(!hasEnded, else: TIMEDSP_FINISHED)
    var sink = FrameSink(planes: output, capacity: capacity)
    let used = process(input, frames: frames, into: &sink)
    return (used, sink.made)
  }

  /// Writes the frames that remain after the end of the input, and returns their number. See
  /// `timedsp_scaler_finish()`. Real-time.
  package mutating func finish(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> Int {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    finish(into: &sink)
    return sink.made
  }

  /// From the next output frame on, the factor changes to `factor` within the next `frames` input
  /// frames. The speed, 1 / factor, changes linearly over the output, like the speed of a tape. If
  /// v0 is the current speed, v1 = 1 / `factor`, and X = `frames`, then x frames after the current
  /// position
  ///
  ///     speed (x) = sqrt (v0² + (v1² - v0²) × x / X)
  ///     output frames up to x = 2 × x / (v0 + speed (x)), rounded down (the integral of the factor)
  ///     input position of output frame k, from here = v0 × k + (v1² - v0²) × k² / (4 × X)
  ///
  /// and from X on, the factor is exactly `factor`. If you call `move` again during a move, the new
  /// one continues from the current position and speed. `reset` jumps to the end of the move.
  /// Real-time.
  package mutating func move(to factor: Double, within frames: UInt64) throws(TimeDSPStatus) {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    try require(ramp(to: fraction, within: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// At most this many output frames are still to come if the input ends after `frames` more
  /// frames. See `timedsp_scaler_max_output()`. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return UInt64(truncatingIfNeeded: try streamLength(framesDue(frames)))
  }

  /// The latency in input frames. Real-time.
  package var latency: Int { widestWindow.after }

  /// The number of output frames for `frames` input frames: floor (frames × factor). A factor
  /// stands for the simplest fraction that converts to the same double, so 10 frames × 0.7 are 7
  /// frames, not 6. Real-time.
  package static func length(
    of frames: UInt64, scaledBy factor: Double
  ) throws(TimeDSPStatus) -> UInt64 {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    return UInt64(truncatingIfNeeded: try streamLength(fraction.scaled(frames)))
  }

  /// Scales `count` frames to `length` frames. We read output frame i at input position
  /// i × (count - 1) / (length - 1), like scaleToD in "Scaling Audio Files". Positions are in
  /// double precision as there, so results agree to the last digit.
  package static func fit(
    _ config: TimeDSPConfig, _ input: UnsafePointer<UnsafeRawPointer?>?, count: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int, length: Int
  ) throws(TimeDSPStatus) {
    // as a bit pattern, a size_t above Int.max also exceeds every limit
    var scaler = try Scaler(
      ScalerSettings(config), count: UInt64(bitPattern: Int64(count)),
      length: UInt64(bitPattern: Int64(length)))
    try scaler.check(input, count, output, capacity)
    try require(capacity >= length, else: TIMEDSP_OUTPUT_TOO_SMALL)
    var sink = FrameSink(planes: output, capacity: capacity)
    _ = scaler.process(input, frames: count, into: &sink)
    scaler.finish(into: &sink)
  }
}

extension Scaler {
  /// From `count` frames to `length` frames. We ignore input after that. If the input ends early,
  /// we repeat its last frame.
  init(_ settings: ScalerSettings, count: UInt64, length: UInt64) throws(TimeDSPStatus) {
    try self.init(settings, ReadCursor(count: count, length: length, settings))
  }
}

extension ReadCursor {
  /// From `count` frames to `length` frames. Throws if a number exceeds `maxFrames`, or if `count`
  /// is 0 and `length` isn't.
  init(
    count: UInt64, length: UInt64, _ settings: ScalerSettings
  ) throws(TimeDSPStatus) {
    try require(count > 0 || length == 0, else: TIMEDSP_BAD_LENGTH)
    self.init(
      EndpointSteps(
        count: try streamLength(count), length: try streamLength(length),
        smooth: settings.interpolation == TIMEDSP_SMOOTH))
  }
}

/// Throws above `maxFrames`, the max length of a stream.
func streamLength(_ frames: UInt64) throws(TimeDSPStatus) -> Int64 {
  try require(frames <= UInt64(truncatingIfNeeded: maxFrames), else: TIMEDSP_BAD_LENGTH)
  return Int64(truncatingIfNeeded: frames)
}

extension Fraction {
  /// Throws unless the factor is in 0.01 … 100.
  init(checked factor: Double) throws(TimeDSPStatus) {
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    self = fraction
  }
}
