// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How blocks are planned. Every number is in `0 ... mostFrames`, so sums of a few of them fit;
/// `rate` and the two lengths of blocks are at least 1. Blocks should be at least
/// `searchFrames` long: backward, a shift by more than a block is not found.
struct FetchLimits {
  /// Frames per second.
  var rate: UInt32 = 0
  /// The end of the stream, or `unknownFrame`.
  var endFrame: Int64 = 0
  /// The length of the first block, …
  var firstBlockFrames: Int64 = 0
  /// … and the length to which blocks grow.
  var maxBlockFrames: Int64 = 0
  /// How much is decoded before what is wanted, so that the decoder settles.
  var prerollFrames: Int64 = 0
  /// How much two neighbouring runs both hold, to be compared.
  var overlapFrames: Int64 = 0
  /// The farthest that one run may be shifted from the other.
  var searchFrames: Int64 = 0

  /// The end of the stream where it is known, or the farthest that it may be.
  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? mostFrames : endFrame
  }

  /// The block that follows at `edge` in `direction`: it ends there when going backward, begins
  /// there when going forward. `blocksBefore` counts the blocks since the last jump. The first
  /// block has `firstBlockFrames`; each further one is twice as long, up to
  /// `maxBlockFrames`. No block reaches below frame 0 or beyond a known end, and an `edge`
  /// beyond that counts as the end. A block of no frames: there is nothing more that way.
  ///
  /// Where it is `joined`, a block lies on the other side of `edge`. The run then also keeps
  /// `overlapFrames + searchFrames` of that one (backward: behind its own block; forward:
  /// before it). The numbers of two runs may differ by `searchFrames` at most. Where a run is
  /// `shift` frames ahead of the one before it, its part of the stream is, in its own numbers,
  /// `[first_frame, end_frame + shift)` backward and `[first_frame + shift, end_frame)`
  /// forward; the next edge is `first_frame` or `end_frame`. So shifts do not add up.
  ///
  /// At a known end, a run that is ahead has its last frames beyond that end. So
  /// `keep_end_frame` is up to `searchFrames` beyond it.
  ///
  /// The seek goes half a frame behind edge `max(0, keep_first_frame - prerollFrames)`. So
  /// rounding down to ns and back cannot lose a frame, at rates below 5 × 10^8. It goes to 0
  /// where that edge is 0, and to `Int64.max`, the latest time of a seek, where it is later.
  func fetch(
    _ direction: TimeDSPDirection, at edge: Int64, joined: Bool, blocksBefore: UInt32
  ) -> TimeDSPFetch {
    let edge = min(edge, lastEdge)
    let length = doubled(firstBlockFrames, times: blocksBefore, atMost: maxBlockFrames)
    if direction == TIMEDSP_FORWARD {
      let block = FrameRange(firstFrame: edge, endFrame: min(edge &+ length, lastEdge))
      return fetch(block, comparing: joined ? overlapFrames &+ searchFrames : 0, behind: 0)
    } else {
      let block = FrameRange(firstFrame: max(edge &- length, 0), endFrame: edge)
      return fetch(block, comparing: 0, behind: joined ? overlapFrames &+ searchFrames : 0)
    }
  }

  /// The run in which the end of the stream is looked for: it starts some frames before
  /// `estimate` of the end, good or bad (0: none), and goes on to the end. With `attempt` 0 it
  /// starts `firstBlockFrames` before that. If the seek lands beyond the end and nothing
  /// arrives, the next attempt doubles the distance, until one starts at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> TimeDSPFetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return TimeDSPFetch(
      first_frame: first, end_frame: unknownFrame, keep_first_frame: first,
      keep_end_frame: unknownFrame, seek_ns: seekNs(toKeep: first))
  }

  /// The run of `block` and of what is compared before and behind it.
  ///
  /// Nothing lies beyond a known end but the last frames of a run that is
  /// numbered too high.
  private func fetch(
    _ block: FrameRange, comparing before: Int64, behind: Int64
  ) -> TimeDSPFetch {
    let first = max(block.firstFrame &- before, 0)
    let isLast = block.endFrame == endFrame
    let end = block.endFrame &+ (isLast ? searchFrames : behind)
    let farthest = min(lastEdge &+ searchFrames, mostFrames)
    return TimeDSPFetch(
      first_frame: block.firstFrame, end_frame: block.endFrame, keep_first_frame: first,
      keep_end_frame: min(end, farthest), seek_ns: seekNs(toKeep: first))
  }

  private func seekNs(toKeep first: Int64) -> UInt64 {
    TimeDSPCore.seekNs(toEdge: max(first &- prerollFrames, 0), rate: rate)
  }
}

/// `frames × 2^times`, or `limit` where that is less.
private func doubled(_ frames: Int64, times: UInt32, atMost limit: Int64) -> Int64 {
  guard times < 63, frames <= limit &>> Int64(times) else { return limit }
  return frames &<< Int64(times)
}
