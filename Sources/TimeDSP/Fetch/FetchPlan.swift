// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Every number in here is in 0 ... mostFrames, so sums of a few of them fit.

extension TimeDSPFetchLimits {
  /// The end of the stream where it is known, or the farthest that it may be.
  fileprivate var lastEdge: Int64 {
    end_frame == unknownFrame ? mostFrames : end_frame
  }

  /// The block that follows at `edge`; see `timedsp_plan_fetch()`.
  func fetch(
    _ direction: TimeDSPDirection, at edge: Int64, joined: Bool, blocksBefore: UInt32
  ) -> TimeDSPFetch {
    let edge = min(edge, lastEdge)
    let length = doubled(first_block_frames, times: blocksBefore, atMost: max_block_frames)
    if direction == TIMEDSP_FORWARD {
      let block = TimeDSPRange(first_frame: edge, end_frame: min(edge &+ length, lastEdge))
      return fetch(block, comparing: joined ? overlap_frames &+ search_frames : 0, behind: 0)
    } else {
      let block = TimeDSPRange(first_frame: max(edge &- length, 0), end_frame: edge)
      return fetch(block, comparing: 0, behind: joined ? overlap_frames &+ search_frames : 0)
    }
  }

  /// The take in which the end of the stream is looked for; see
  /// `timedsp_plan_end()`.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> TimeDSPFetch {
    let first = estimate &- doubled(first_block_frames, times: attempt, atMost: estimate)
    return TimeDSPFetch(
      first_frame: first, end_frame: unknownFrame, keep_first_frame: first,
      keep_end_frame: unknownFrame, seek_ns: seekNs(toKeep: first))
  }

  /// The take of `block` and of what is compared before and behind it.
  ///
  /// Nothing lies beyond a known end but the last frames of a take that is
  /// numbered too high.
  private func fetch(
    _ block: TimeDSPRange, comparing before: Int64, behind: Int64
  ) -> TimeDSPFetch {
    let first = max(block.first_frame &- before, 0)
    let isLast = block.end_frame == end_frame
    let end = block.end_frame &+ (isLast ? search_frames : behind)
    let farthest = min(lastEdge &+ search_frames, mostFrames)
    return TimeDSPFetch(
      first_frame: block.first_frame, end_frame: block.end_frame, keep_first_frame: first,
      keep_end_frame: min(end, farthest), seek_ns: seekNs(toKeep: first))
  }

  private func seekNs(toKeep first: Int64) -> UInt64 {
    TimeDSPCore.seekNs(toEdge: max(first &- preroll_frames, 0), rate: rate)
  }
}

/// `frames × 2^times`, or `limit` where that is less.
private func doubled(_ frames: Int64, times: UInt32, atMost limit: Int64) -> Int64 {
  guard times < 63, frames <= limit &>> Int64(times) else { return limit }
  return frames &<< Int64(times)
}
