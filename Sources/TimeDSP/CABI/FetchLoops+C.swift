// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// What is heard in a lap. See `timefetch.h`.
@c @implementation
public func timedsp_loop_range(
  _ bounds: UnsafePointer<TimeDSPRange>!, _ startFrame: Int64, _ stopFrame: Int64,
  _ range: UnsafeMutablePointer<TimeDSPRange>!, _ markers: UnsafeMutablePointer<TimeDSPMarkers>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let bounds, let range, let markers else { throw TIMEDSP_NULL_POINTER }
    try bounds.pointee.check()
    try requireFramesOrUnknown(startFrame)
    try requireFramesOrUnknown(stopFrame)
    (range.pointee, markers.pointee) = bounds.pointee.between(startFrame, stopFrame)
  }
}

/// Where play goes on after a lap. See `timefetch.h`.
@c @implementation
public func timedsp_next_lap(
  _ loop: TimeDSPLoop, _ direction: TimeDSPDirection, _ range: UnsafePointer<TimeDSPRange>!,
  _ step: UnsafeMutablePointer<TimeDSPStep>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let range, let step else { throw TIMEDSP_NULL_POINTER }
    let isLoop =
      loop == TIMEDSP_LOOP_NONE || loop == TIMEDSP_LOOP_REPEAT || loop == TIMEDSP_LOOP_PING_PONG
    try require(isLoop, else: TIMEDSP_BAD_LENGTH)
    try requireDirection(direction)
    try range.pointee.check()
    step.pointee = try range.pointee.nextLap(loop, direction)
  }
}

extension TimeDSPRange {
  /// Refuses edges that no stream has, and an end before the start.
  fileprivate func check() throws(TimeDSPStatus) {
    try requireFrames(first_frame)
    try requireFramesOrUnknown(end_frame)
    try require(!hasKnownEnd || end_frame >= first_frame, else: TIMEDSP_BAD_LENGTH)
  }
}
