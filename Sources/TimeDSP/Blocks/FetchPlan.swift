// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A planned fetch: where to seek, and what to keep of the audio after it.
///
/// What we keep is a decode, and the part of it that you'll hear is a block. We compare the frames
/// around the block with the neighbouring blocks.
struct Fetch {
  var firstFrame: Int64 = 0
  /// The block ends before this frame. `unknownFrame` means the end of the stream.
  var endFrame: Int64 = 0
  var keepFirstFrame: Int64 = 0
  /// The decode ends before this frame. `unknownFrame` means the end of the stream.
  var keepEndFrame: Int64 = 0
  /// The seek target in half frames, so that we can aim for the middle of a frame. That way, we
  /// still land in the right frame if upstream rounds the target.
  var seekHalfFrames: Int64 = 0
}

/// How long blocks and decodes may be, and where the stream ends.
///
/// All values are in `0 ... maxFrames`, and `rate` and the two block lengths are at least 1. Blocks
/// should be at least `searchFrames` long, because when playing backward, we can't find a shift
/// between two decodes that's longer than a block.
///
/// A boundary is between two frames, and boundary n is just before frame n.
struct FetchLimits {
  var rate: UInt32 = 0
  /// A boundary, or `unknownFrame`.
  var endFrame: Int64 = 0
  /// The length of the first block after a jump, which clears the cache.
  var firstBlockFrames: Int64 = 0
  var maxBlockFrames: Int64 = 0
  /// How much we decode and drop before a block, because a decoder's output may be wrong just after
  /// a seek.
  var prerollFrames: Int64 = 0
  /// Neighbouring decodes overlap by this many frames, so that we can compare them.
  var overlapFrames: Int64 = 0
  /// How far apart the frame numbers of the same audio may be in two decodes. They come from
  /// timestamps, which may be rounded.
  var searchFrames: Int64 = 0

  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? maxFrames : endFrame
  }

  /// Plans the block that begins at boundary `edge` (forward) or ends there (backward).
  ///
  /// The first block after a jump has `firstBlockFrames` frames. After that, each block is twice as
  /// long as the one before, up to `maxBlockFrames`. `blocksBefore` is the number of blocks since
  /// the jump. Blocks never extend below frame 0 or past a known end. If the block is empty, there
  /// aren't any more frames in this direction.
  ///
  /// If `joined` is set, the cache has a block on the other side of `edge`. In that case the decode
  /// also covers the `overlapFrames + searchFrames` frames of that block next to `edge`, so that we
  /// can compare them.
  ///
  /// If the new decode turns out to be shifted, only the end of the new block at `edge` moves. We
  /// plan the next block from the other end, so shifts don't accumulate.
  ///
  /// The seek target is `prerollFrames` before the decode, but not below frame 0.
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

  /// Plans a decode that finds the end of the stream.
  ///
  /// `estimate` is our guess at the end, or 0. Attempt 0 begins `firstBlockFrames` before it. If we
  /// seek past the actual end, we don't get any audio. Each further attempt goes back twice as far
  /// from the estimate, until one begins at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// Plans a decode with `before` and `after` extra frames around `block`, so that we can compare
  /// them.
  ///
  /// Frame numbers may be too high at a known end of the stream, so we let the decode be
  /// `searchFrames` longer.
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

/// `frames × 2^times`, up to `limit`.
private func doubled(_ frames: Int64, times: UInt32, atMost limit: Int64) -> Int64 {
  guard times < 63, frames <= limit &>> Int64(times) else { return limit }
  return frames &<< Int64(times)
}
