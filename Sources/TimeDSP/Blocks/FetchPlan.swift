// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A planned fetch of a block, and of the run that contains it. `unknownFrame` stands for the
/// unknown end of the stream.
struct Fetch {
  /// First frame of the block.
  var firstFrame: Int64 = 0
  /// End of the block.
  var endFrame: Int64 = 0
  /// The first frame that is kept in the run.
  var keepFirstFrame: Int64 = 0
  /// The end of the frames that are kept in the run.
  var keepEndFrame: Int64 = 0
  /// The seek target, in half frames. A position in the middle of a frame tolerates any rounding
  /// upstream.
  var seekHalfFrames: Int64 = 0
}

/// Limits for the planning of blocks. Boundary n of a stream is the position before frame n.
///
/// Every number is in `0 ... mostFrames`; `rate` and the two block lengths are at least 1. Blocks
/// should be at least `searchFrames` long. In backward direction, a shift between two runs is not
/// found if it exceeds the length of a block.
struct FetchLimits {
  /// Frames per second.
  var rate: UInt32 = 0
  /// The end of the stream, or `unknownFrame`.
  var endFrame: Int64 = 0
  /// The length of the first block after a jump.
  var firstBlockFrames: Int64 = 0
  /// The maximum length of a block.
  var maxBlockFrames: Int64 = 0
  /// Number of frames decoded before the wanted ones, so that the decoder can settle.
  var prerollFrames: Int64 = 0
  /// Number of frames that two neighbouring runs share for comparison.
  var overlapFrames: Int64 = 0
  /// Maximum shift between two runs.
  var searchFrames: Int64 = 0

  /// The last boundary at which a block may begin or end. It is the end of the stream if that is
  /// known, otherwise the highest possible frame.
  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? mostFrames : endFrame
  }

  /// Plans the block at boundary `edge`. In backward direction the block ends there, in forward
  /// direction it begins there.
  ///
  /// `blocksBefore` is the number of blocks since the last jump. The first block has
  /// `firstBlockFrames` frames. Each later block is twice as long as the previous one, up to
  /// `maxBlockFrames`. No block extends below frame 0 or beyond a known end. An `edge` beyond the
  /// end is treated as the end. If the block is empty, the stream ends in that direction.
  ///
  /// `joined` means that there is already a block on the other side of `edge`. The run then also
  /// keeps `overlapFrames + searchFrames` frames of that block for comparison: after the new block
  /// in backward direction, before it in forward direction.
  ///
  /// Two runs may number the same audio differently, by up to `searchFrames`. Suppose that the
  /// numbers of a new run are higher by `shift`. In backward direction, its block is then
  /// `[firstFrame, endFrame + shift)` in these numbers. In forward direction, it is
  /// `[firstFrame + shift, endFrame)`. The next block is planned at `firstFrame` or `endFrame`,
  /// without the shift. Shifts therefore do not accumulate.
  ///
  /// `keepEndFrame` may be up to `searchFrames` beyond a known end, because the numbers of a run
  /// may be too high.
  ///
  /// The seek target is half a frame after boundary `max(0, keepFirstFrame - prerollFrames)`. If
  /// upstream rounds the target, no frame is missed. If the boundary is 0, the target is 0.
  func fetch(
    _ direction: TimeDSPDirection, at edge: Int64, joined: Bool, blocksBefore: UInt32
  ) -> Fetch {
    let edge = min(edge, lastEdge)
    let length = doubled(firstBlockFrames, times: blocksBefore, atMost: maxBlockFrames)
    if direction == TIMEDSP_FORWARD {
      let block = FrameRange(firstFrame: edge, endFrame: min(edge &+ length, lastEdge))
      return fetch(block, comparing: joined ? overlapFrames &+ searchFrames : 0, after: 0)
    } else {
      let block = FrameRange(firstFrame: max(edge &- length, 0), endFrame: edge)
      return fetch(block, comparing: 0, after: joined ? overlapFrames &+ searchFrames : 0)
    }
  }

  /// Plans the run that searches for the end of the stream. The run continues to the end. It begins
  /// before `estimate`, which is 0 without an estimate of the end. Attempt 0 begins
  /// `firstBlockFrames` before the estimate. If its seek lands beyond the end, no audio arrives.
  /// Each further attempt goes back twice as far, until one begins at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// Plans the run that contains `block` and the frames around it for comparison.
  ///
  /// Only a run whose numbers are too high has frames beyond a known end.
  private func fetch(
    _ block: FrameRange, comparing before: Int64, after: Int64
  ) -> Fetch {
    let first = max(block.firstFrame &- before, 0)
    let isLast = block.endFrame == endFrame
    let end = block.endFrame &+ (isLast ? searchFrames : after)
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
