// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Plans the next block. See `timefetch.h`.
@c @implementation
public func timedsp_plan_fetch(
  _ limits: UnsafePointer<TimeDSPFetchLimits>!, _ direction: TimeDSPDirection, _ edge: Int64,
  _ joined: Int32, _ blocksBefore: UInt32, _ fetch: UnsafeMutablePointer<TimeDSPFetch>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let limits, let fetch else { throw TIMEDSP_NULL_POINTER }
    try limits.pointee.check()
    try requireDirection(direction)
    try requireFrames(edge)
    fetch.pointee = limits.pointee.fetch(
      direction, at: edge, joined: joined != 0, blocksBefore: blocksBefore)
  }
}

/// Plans the take that finds the end. See `timefetch.h`.
@c @implementation
public func timedsp_plan_end(
  _ limits: UnsafePointer<TimeDSPFetchLimits>!, _ estimate: Int64, _ attempt: UInt32,
  _ fetch: UnsafeMutablePointer<TimeDSPFetch>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let limits, let fetch else { throw TIMEDSP_NULL_POINTER }
    try limits.pointee.check()
    try requireFrames(estimate)
    fetch.pointee = limits.pointee.fetchOfEnd(estimate: estimate, attempt: attempt)
  }
}

extension TimeDSPFetchLimits {
  /// Refuses numbers out of their ranges.
  fileprivate func check() throws(TimeDSPStatus) {
    try requireFramesOrUnknown(end_frame)
    try requireFrames(first_block_frames)
    try requireFrames(max_block_frames)
    try requireFrames(preroll_frames)
    try requireFrames(overlap_frames)
    try requireFrames(search_frames)
    try require(
      rate > 0 && first_block_frames > 0 && max_block_frames > 0, else: TIMEDSP_BAD_LENGTH)
  }
}
