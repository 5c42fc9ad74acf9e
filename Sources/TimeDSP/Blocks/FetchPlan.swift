// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A planned fetch: where to seek, and what to keep of the audio that follows the seek.
///
/// The kept frames are called a run. The part of the run that will be played is called a block. The
/// frames around the block are compared with the neighbouring blocks.
struct Fetch {
  /// The first frame of the block.
  var firstFrame: Int64 = 0
  /// The end of the block (exclusive); `unknownFrame` for the end of the stream.
  var endFrame: Int64 = 0
  /// The first frame of the run.
  var keepFirstFrame: Int64 = 0
  /// The end of the run (exclusive); `unknownFrame` for the end of the stream.
  var keepEndFrame: Int64 = 0
  /// The seek target in half frames. A target in the middle of a frame stays in this frame if
  /// upstream rounds it.
  var seekHalfFrames: Int64 = 0
}

/// The lengths from which blocks and runs are planned, and the end of the stream.
///
/// All values are in `0 ... maxFrames`; `rate` and the two block lengths are at least 1. Blocks
/// should be at least `searchFrames` long: in backward direction, a shift between two runs is not
/// found if it exceeds the length of a block.
///
/// A boundary is a position between two frames: boundary n is directly before frame n.
struct FetchLimits {
  /// Frames per second.
  var rate: UInt32 = 0
  /// The boundary at the end of the stream; `unknownFrame` if it is not known.
  var endFrame: Int64 = 0
  /// The length of the first block after a jump. A jump clears the block cache.
  var firstBlockFrames: Int64 = 0
  /// The maximum length of a block.
  var maxBlockFrames: Int64 = 0
  /// Number of frames that are decoded before a run and dropped, because the output of a decoder
  /// may be wrong directly after a seek.
  var prerollFrames: Int64 = 0
  /// Number of frames of a block that the neighbouring run also contains, for comparison.
  var overlapFrames: Int64 = 0
  /// Maximum difference between the frame numbers that two runs give to the same audio. Frame
  /// numbers are computed from timestamps, which may be rounded.
  var searchFrames: Int64 = 0

  /// The highest boundary at which a block may end: the end of the stream if that is known.
  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? maxFrames : endFrame
  }

  /// Plans the block that begins at boundary `edge` (forward) or ends there (backward).
  ///
  /// The first block after a jump has `firstBlockFrames` frames. Each later block is twice as long
  /// as the previous one, up to `maxBlockFrames`. `blocksBefore` is the number of blocks since the
  /// jump. A block never extends below frame 0 or beyond a known end. If the planned block is
  /// empty, the stream has no more frames in this direction.
  ///
  /// `joined` means that the cache has a block on the other side of `edge`. The run then also
  /// contains the `overlapFrames + searchFrames` frames of that block next to `edge`, for
  /// comparison.
  ///
  /// If the comparison finds that the new run is shifted, only the end of the new block at `edge`
  /// is moved. The next block is planned at the other end, so shifts do not accumulate.
  ///
  /// The seek target is `prerollFrames` before the run, but not below frame 0.
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

  /// Plans a run that continues to the end of the stream, in order to find that end.
  ///
  /// `estimate` is the estimated end; 0 if there is no estimate. Attempt 0 begins
  /// `firstBlockFrames` before it. No audio arrives if the seek goes beyond the actual end. Each
  /// further attempt goes back twice as far from the estimate, until one begins at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// Plans the run that contains `block`, and `before` and `after` frames around it for comparison.
  ///
  /// At a known end of the stream, the run may be `searchFrames` longer, because its frame numbers
  /// may be too high.
  private func fetch(
    _ block: FrameRange, comparing before: Int64, after: Int64
  ) -> Fetch {
    let first = max(block.firstFrame &- before, 0)
    let isLast = block.endFrame == endFrame
    let end = block.endFrame &+ (isLast ? searchFrames : after)
    let farthest = min(lastEdge &+ searchFrames, maxFrames)
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
