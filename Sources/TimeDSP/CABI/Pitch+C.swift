// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Divides a factor between scaler and stretcher. See `timepitch.h`.
@c @implementation
public func timepitch_divide(
  _ factor: Double, _ keepsPitch: Int32, _ semitones: Double,
  _ parts: UnsafeMutablePointer<TimePitchParts>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let parts else { throw TIMEDSP_NULL_POINTER }
    let isFactor = factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR
    let isInterval = semitones.magnitude <= TIMEPITCH_MAX_SEMITONES
    try require(isFactor && isInterval, else: TIMEDSP_BAD_FACTOR)
    let pair = PitchParts(factor: factor, keepsPitch: keepsPitch != 0, semitones: semitones)
    parts.pointee = TimePitchParts(
      before: pair.before, stretch: pair.stretch, after: pair.after)
  }
}

/// How long the ramps take. See `timepitch.h`.
@c @implementation
public func timepitch_ramps(
  _ from: UnsafePointer<TimePitchParts>!, _ to: UnsafePointer<TimePitchParts>!,
  _ inFrames: UInt64, _ excessFrames: Double, _ ramps: UnsafeMutablePointer<TimePitchRamps>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let from, let to, let ramps else { throw TIMEDSP_NULL_POINTER }
    let (stretch, after) = PitchParts(to.pointee).ramps(
      from: PitchParts(from.pointee), within: inFrames, excess: excessFrames)
    ramps.pointee = TimePitchRamps(stretch_frames: stretch, after_frames: after)
  }
}

extension PitchParts {
  fileprivate init(_ parts: TimePitchParts) {
    self.init(before: parts.before, stretch: parts.stretch, after: parts.after)
  }
}

/// Frames that are ready. See `timepitch.h`.
@c @implementation
public func timestretch_ready(_ stretcher: OpaquePointer!) -> Int {
  guard let stretcher else { return 0 }
  let place = UnsafeMutablePointer<Stretcher>(stretcher)
  return Int(truncatingIfNeeded: max(place.pointee.finished &- place.pointee.made, 0))
}

/// Whether the output is the input from here on. See `timepitch.h`.
@c @implementation
public func timestretch_is_identity(_ stretcher: OpaquePointer!) -> Int32 {
  guard let stretcher else { return 0 }
  return UnsafeMutablePointer<Stretcher>(stretcher).pointee.isIdentity ? 1 : 0
}
