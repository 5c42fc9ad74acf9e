// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The functions for callers in C and in Swift. All arguments are checked before any memory is
// touched.
extension Scaler {
  /// A scaler for a stream of any length. See `timedsp_scaler_new()`.
  package init(_ config: TimeDSPConfig, factor: Double) throws(TimeDSPStatus) {
    let settings = try ScalerSettings(config)
    try self.init(settings, .stream(StreamPositions(factor: try Fraction(checked: factor))))
  }

  /// Consumes frames from `input` and writes their output to `output`: arrays of plane addresses.
  /// Returns the numbers of frames consumed and written. See `timedsp_scaler_process()`. Real-time.
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

  /// Writes the remaining frames after the end of the input, and returns their number. See
  /// `timedsp_scaler_finish()`. Real-time.
  package mutating func finish(
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> Int {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    finish(into: &sink)
    return sink.made
  }

  /// Changes the factor within `frames` input frames. See `timedsp_scaler_ramp_factor()`.
  package mutating func move(to factor: Double, within frames: UInt64) throws(TimeDSPStatus) {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    try require(ramp(to: fraction, within: frames), else: TIMEDSP_BAD_FACTOR)
  }

  /// An upper bound of the output for `frames` more input frames and the end of input. See
  /// `timedsp_scaler_max_output()`. Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    return UInt64(truncatingIfNeeded: try streamLength(framesDue(frames)))
  }

  /// The latency: number of frames that are needed beyond a position. Real-time.
  package var lookahead: Int { widestWindow.after }

  /// The number of output frames for `frames` input frames. See `timedsp_scaled_length()`.
  package static func length(
    of frames: UInt64, scaledBy factor: Double
  ) throws(TimeDSPStatus) -> UInt64 {
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(frames)
    return UInt64(truncatingIfNeeded: try streamLength(fraction.scaled(frames)))
  }

  /// Fits `count` frames to `length` frames. See `timedsp_scale_to_length()`.
  package static func fit(
    _ config: TimeDSPConfig, _ input: UnsafePointer<UnsafeRawPointer?>?, count: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int, length: Int
  ) throws(TimeDSPStatus) {
    // a size_t above Int.max, taken as a bit pattern, still exceeds every limit
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

extension Fraction {
  /// A factor of 0.01 … 100; throws for other values.
  init(checked factor: Double) throws(TimeDSPStatus) {
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    self = fraction
  }
}
