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
    parts.pointee = TimePitchParts(scale: pair.scale, stretch: pair.stretch)
  }
}

/// How long the stretcher's ramp takes. See `timepitch.h`.
@c @implementation
public func timepitch_ramp_frames(
  _ from: UnsafePointer<TimePitchParts>!, _ to: UnsafePointer<TimePitchParts>!,
  _ inFrames: UInt64, _ excessFrames: Double
) -> UInt64 {
  guard let from, let to else { return 0 }
  let old = PitchParts(scale: from.pointee.scale, stretch: from.pointee.stretch)
  let new = PitchParts(scale: to.pointee.scale, stretch: to.pointee.stretch)
  return new.rampFrames(from: old, within: inFrames, excess: excessFrames)
}

/// Frames that are ready. See `timepitch.h`.
@c @implementation
public func timestretch_ready(_ stretcher: OpaquePointer!) -> Int {
  guard let stretcher else { return 0 }
  let place = UnsafeMutablePointer<Stretcher>(stretcher)
  return Int(truncatingIfNeeded: max(place.pointee.finished &- place.pointee.made, 0))
}
