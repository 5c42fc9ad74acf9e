// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A block, and the run that it is cut from. `unknownFrame` stands for the end of the stream,
/// wherever that is.
struct Fetch {
  /// Range of the block.
  var firstFrame: Int64 = 0
  var endFrame: Int64 = 0
  /// The part of the run that is kept.
  var keepFirstFrame: Int64 = 0
  var keepEndFrame: Int64 = 0
  /// The seek target, in half frames: a position inside a frame survives any rounding upstream.
  var seekHalfFrames: Int64 = 0
}

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
  /// Frames decoded before the wanted ones, so that the decoder settles.
  var prerollFrames: Int64 = 0
  /// Frames that two neighbouring runs share, to be compared.
  var overlapFrames: Int64 = 0
  /// The farthest that one run may be shifted from the other.
  var searchFrames: Int64 = 0

  /// The end of the stream if it is known, or the farthest possible one.
  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? mostFrames : endFrame
  }

  /// The block that follows at `edge` in `direction`: it ends there when going backward, begins
  /// there when going forward. `blocksBefore` counts the blocks since the last jump. The first
  /// block has `firstBlockFrames`; each further one is twice as long, up to
  /// `maxBlockFrames`. No block reaches below frame 0 or beyond a known end, and an `edge`
  /// beyond that counts as the end. A block without frames: the stream ends in that direction.
  ///
  /// With `joined`, another block lies on the other side of `edge`. The run then also keeps
  /// `overlapFrames + searchFrames` of that block (backward: after its own block; forward:
  /// before it). The numbers of two runs may differ by `searchFrames` at most. If a run is
  /// `shift` frames ahead of the one before it, its part of the stream is, in its own numbers,
  /// `[firstFrame, endFrame + shift)` backward and `[firstFrame + shift, endFrame)`
  /// forward; the next edge is `firstFrame` or `endFrame`. So shifts do not add up.
  ///
  /// At a known end, a run that is ahead has its last frames beyond that end. So
  /// `keepEndFrame` is up to `searchFrames` beyond it.
  ///
  /// The seek target is half a frame beyond edge `max(0, keepFirstFrame - prerollFrames)`, so
  /// that no rounding upstream loses a frame; it is 0 if that edge is 0.
  func fetch(
    _ direction: TimeDSPDirection, at edge: Int64, joined: Bool, blocksBefore: UInt32
  ) -> Fetch {
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

  /// The run that searches for the end of the stream: it starts some frames before `estimate`
  /// of the end, good or bad (0: none), and continues to the end. With `attempt` 0 it starts
  /// `firstBlockFrames` before the estimate. If the seek lands beyond the end and nothing
  /// arrives, the next attempt doubles the distance, until one starts at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// The run of `block` and of the frames that are compared before and after it.
  ///
  /// Beyond a known end there are only the last frames of a run that is
  /// numbered too high.
  private func fetch(
    _ block: FrameRange, comparing before: Int64, behind: Int64
  ) -> Fetch {
    let first = max(block.firstFrame &- before, 0)
    let isLast = block.endFrame == endFrame
    let end = block.endFrame &+ (isLast ? searchFrames : behind)
    let farthest = min(lastEdge &+ searchFrames, mostFrames)
    return Fetch(
      firstFrame: block.firstFrame, endFrame: block.endFrame, keepFirstFrame: first,
      keepEndFrame: min(end, farthest), seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  private func seekHalfFrames(toKeep first: Int64) -> Int64 {
    let edge = max(first &- prerollFrames, 0)
    return edge == 0 ? 0 : edge &<< 1 | 1
  }
}

/// `frames × 2^times`, or `limit` if that is less.
private func doubled(_ frames: Int64, times: UInt32, atMost limit: Int64) -> Int64 {
  guard times < 63, frames <= limit &>> Int64(times) else { return limit }
  return frames &<< Int64(times)
}
