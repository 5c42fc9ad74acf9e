// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A block, and the run that contains it. `unknownFrame` stands for the unknown end of the stream.
struct Fetch {
  /// Range of the block.
  var firstFrame: Int64 = 0
  var endFrame: Int64 = 0
  /// The part of the run that is kept.
  var keepFirstFrame: Int64 = 0
  var keepEndFrame: Int64 = 0
  /// The seek target, in half frames: a position in the middle of a frame tolerates any rounding
  /// upstream.
  var seekHalfFrames: Int64 = 0
}

/// Limits for the planning of blocks. Every number is in `0 ... mostFrames`, so that sums of a few
/// do not overflow; `rate` and the two block lengths are at least 1. Blocks should be at least
/// `searchFrames` long: in backward direction, a shift by more than a block is not found.
struct FetchLimits {
  /// Frames per second.
  var rate: UInt32 = 0
  /// The end of the stream, or `unknownFrame`.
  var endFrame: Int64 = 0
  /// The length of the first block, …
  var firstBlockFrames: Int64 = 0
  /// … and the maximum length, to which blocks grow.
  var maxBlockFrames: Int64 = 0
  /// Number of frames decoded before the wanted ones, so that the decoder can settle.
  var prerollFrames: Int64 = 0
  /// Number of frames that two neighbouring runs share for comparison.
  var overlapFrames: Int64 = 0
  /// Maximum shift between two runs.
  var searchFrames: Int64 = 0

  /// The end of the stream if known, otherwise the highest possible one.
  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? mostFrames : endFrame
  }

  /// The block that follows at `edge` in `direction`: it ends there in backward direction, and
  /// begins there in forward direction. `blocksBefore` counts the blocks since the last jump. The
  /// first block has `firstBlockFrames`; each following one is twice as long, up to
  /// `maxBlockFrames`. No block extends below frame 0 or beyond a known end, and an `edge` beyond
  /// that is treated as the end. An empty block means that the stream ends in that direction.
  ///
  /// `joined` means that there is another block on the other side of `edge`. The run then also
  /// keeps `overlapFrames + searchFrames` of that block (backward: after its own block; forward:
  /// before it). The numbering of two runs may differ by at most `searchFrames`. If the numbers of
  /// a run are `shift` higher than those of the previous run, its block is `[firstFrame, endFrame +
  /// shift)` backward and `[firstFrame + shift, endFrame)` forward, in its own numbers; the next
  /// edge is `firstFrame` or `endFrame`. Shifts therefore do not accumulate.
  ///
  /// At a known end, the last frames of a run with higher numbers are beyond that end. Therefore
  /// `keepEndFrame` may be up to `searchFrames` beyond it.
  ///
  /// The seek target is half a frame after edge `max(0, keepFirstFrame - prerollFrames)`, so that
  /// rounding upstream loses no frame; it is 0 if that edge is 0.
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

  /// The run that searches for the end of the stream: it starts before `estimate`, an estimate of
  /// the end (0 if there is none), and continues to the end. With `attempt` 0 it starts
  /// `firstBlockFrames` before the estimate. If the seek lands beyond the end and no audio arrives,
  /// the next attempt doubles the distance, until one starts at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// The run that contains `block` and the frames before and after it that are compared.
  ///
  /// beyond a known end there are only the last frames of a run whose numbers are too high
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

/// `frames × 2^times`, but at most `limit`.
private func doubled(_ frames: Int64, times: UInt32, atMost limit: Int64) -> Int64 {
  guard times < 63, frames <= limit &>> Int64(times) else { return limit }
  return frames &<< Int64(times)
}
