// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A planned fetch: where to seek, and what to keep of the audio after it.
///
/// What we keep is a decode, and what you'll hear of it is a block. We compare the frames around
/// the block with the neighbouring blocks.
struct Fetch {
  var firstFrame: Int64 = 0
  /// The block ends before this frame. `unknownFrame` stands for the end of the stream.
  var endFrame: Int64 = 0
  var keepFirstFrame: Int64 = 0
  /// The decode ends before this frame. `unknownFrame` stands for the end of the stream.
  var keepEndFrame: Int64 = 0
  /// In half frames. If upstream rounds a target in the middle of a frame, it stays in this frame.
  var seekHalfFrames: Int64 = 0
}

/// How long blocks and decodes may be, and where the stream ends.
///
/// All values are in `0 ... maxFrames`, and `rate` and the two block lengths are at least 1. Blocks
/// should be at least `searchFrames` long: backward, we can't find a shift between two decodes
/// that's longer than a block.
///
/// A boundary is between two frames: boundary n is just before frame n.
struct FetchLimits {
  var rate: UInt32 = 0
  /// A boundary, or `unknownFrame`.
  var endFrame: Int64 = 0
  /// The first block after a jump, which clears the cache.
  var firstBlockFrames: Int64 = 0
  var maxBlockFrames: Int64 = 0
  /// Decoded before a block and dropped, because a decoder's output may be wrong just after a seek.
  var prerollFrames: Int64 = 0
  /// Neighbouring decodes share this many frames of a block, so that we can compare.
  var overlapFrames: Int64 = 0
  /// Two decodes may number the same audio differently, by this much at most. Frame numbers come
  /// from timestamps, which may be rounded.
  var searchFrames: Int64 = 0

  fileprivate var lastEdge: Int64 {
    endFrame == unknownFrame ? maxFrames : endFrame
  }

  /// Plans the block that begins at boundary `edge` (forward) or ends there (backward).
  ///
  /// The first block after a jump has `firstBlockFrames` frames. Each later block is twice as long
  /// as the one before, up to `maxBlockFrames`. There have been `blocksBefore` blocks since the
  /// jump. No block extends below frame 0 or beyond a known end. If the block is empty, the stream
  /// has no more frames in this direction.
  ///
  /// With `joined`, the cache has a block on the other side of `edge`. Then the decode also
  /// contains the `overlapFrames + searchFrames` frames of that block next to `edge`, so that we
  /// can compare.
  ///
  /// If the new decode turns out to be shifted, only the end of the new block at `edge` moves. We
  /// plan the next block at the other end, so shifts don't accumulate.
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
  /// `estimate` is where we guess the end, or 0. Attempt 0 begins `firstBlockFrames` before it. If
  /// the seek goes beyond the actual end, no audio arrives. Each further attempt goes back twice as
  /// far from the estimate, until one begins at frame 0.
  func fetchOfEnd(estimate: Int64, attempt: UInt32) -> Fetch {
    let first = estimate &- doubled(firstBlockFrames, times: attempt, atMost: estimate)
    return Fetch(
      firstFrame: first, endFrame: unknownFrame, keepFirstFrame: first,
      keepEndFrame: unknownFrame, seekHalfFrames: seekHalfFrames(toKeep: first))
  }

  /// With `before` and `after` frames around `block`, so that we can compare.
  ///
  /// At a known end of the stream, frame numbers may be too high, so the decode may be
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
