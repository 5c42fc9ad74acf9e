// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// An end that is not known, or a marker that is not set: `TIMEDSP_UNKNOWN`,
/// which is no macro that Swift can read.
let unknownFrame: Int64 = -1

/// The frame at a time. See `timefetch.h`.
@c @implementation
public func timedsp_frame_at(_ timeNs: UInt64, _ rate: UInt32) -> Int64 {
  frame(atNs: timeNs, rate: rate)
}

/// The time of an edge. See `timefetch.h`.
@c @implementation
public func timedsp_time_of(_ frame: Int64, _ rate: UInt32) -> UInt64 {
  guard frame >= 0, rate > 0 else { return 0 }
  return timeNs(ofHalfFrames: UInt64(truncatingIfNeeded: frame) &<< 1, rate: rate)
}

/// Refuses what is no number of frames or edge of a stream.
func requireFrames(_ frames: Int64) throws(TimeDSPStatus) {
  try require(frames >= 0 && frames <= mostFrames, else: TIMEDSP_BAD_LENGTH)
}

/// The same for a C `size_t`, of which one above `Int.max` comes in below 0.
func requireFrames(_ frames: Int) throws(TimeDSPStatus) {
  try requireFrames(Int64(truncatingIfNeeded: frames))
}

/// Refuses what is neither an edge of a stream nor `unknownFrame`.
func requireFramesOrUnknown(_ frames: Int64) throws(TimeDSPStatus) {
  if frames != unknownFrame { try requireFrames(frames) }
}

/// Refuses a number that is no direction.
func requireDirection(_ direction: TimeDSPDirection) throws(TimeDSPStatus) {
  try require(
    direction == TIMEDSP_FORWARD || direction == TIMEDSP_BACKWARD, else: TIMEDSP_BAD_LENGTH)
}
