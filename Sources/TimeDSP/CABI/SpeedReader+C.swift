// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// See `timespeed.h`.
@c @implementation
public func timespeed_read(
  _ reader: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ first: Int64,
  _ frames: Int, _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ capacity: Int,
  _ state: UnsafeMutablePointer<TimeSpeedState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let reader = try SpeedReader.value(of: reader)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    let made = try reader.pointee.read(
      input, first: first, frames: frames, into: output, capacity: capacity)
    reader.pointee.describe(made, to: &state.pointee)
  }
}

extension SpeedReader: HeldByC {
  /// `input` has planes with the frames `first` ..< `first` + `frames` of the source. Returns the
  /// number of output frames.
  mutating func read(
    _ input: UnsafePointer<UnsafeRawPointer?>?, first: Int64, frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, capacity: Int
  ) throws(TimeDSPStatus) -> Int {
    try checkPlanes(input, frames: frames, shape)
    try checkPlanes(output, frames: capacity, shape)
    let (end, overflows) = first.addingReportingOverflow(Int64(truncatingIfNeeded: frames))
    try require(!overflows, else: TIMEDSP_BAD_LENGTH)
    var sink = FrameSink(planes: output, capacity: capacity)
    read(FrameSource(planes: input ?? margin.readable, first: first, end: end), into: &sink)
    return sink.made
  }

  func describe(_ made: Int, to state: inout TimeSpeedState) {
    let position = playhead.position()
    state = TimeSpeedState(
      frames_produced: made, frame: position.high, fraction: position.fraction,
      speed: playhead.speed().value, final_speed: playhead.finalSpeed.value,
      frames_left: playhead.framesLeft, is_exact: isExact ? 1 : 0, is_silent: isSilent ? 1 : 0,
      edge: Int32(truncatingIfNeeded: edge))
  }
}
