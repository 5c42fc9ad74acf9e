// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames to play next: `[first, first + count)`, forwards or backwards.
struct FrameRun: Equatable {
  var first: Int64
  var count: Int64
  var isBackward: Bool

  /// The frame that you hear first.
  var start: Int64 { isBackward ? first &+ count &- 1 : first }
}

/// The playhead of a sound in memory. It decides which frames come next, in its direction and its
/// loop.
///
/// The playhead is a boundary between frames: boundary n is before frame n.
struct MemoryCursor {
  let frames: Int64
  /// Of the playhead, `0 ... frames`.
  private(set) var boundary: Int64 = 0
  private(set) var isBackward = false
  private var loop = TIMEDSP_LOOP_NONE
  /// The loop, with `unknownFrame` for a marker that isn't set.
  private var markers = (start: unknownFrame, stop: unknownFrame)
  private var hasPlayed = false

  init(frames: Int64) { self.frames = max(frames, 0) }

  /// Clamped to the sound.
  mutating func seek(to boundary: Int64) {
    self.boundary = min(max(boundary, 0), frames)
    hasPlayed = false
  }

  /// The next frame is a neighbour of the last one that was played.
  mutating func turn(backward: Bool) {
    guard backward != isBackward else { return }
    isBackward = backward
    if hasPlayed { seek(to: boundary &+ (backward ? -1 : 1)) }
  }

  /// Takes effect at the end of the current pass. Instead of a boundary, `unknownFrame` means the
  /// beginning or the end of the sound.
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    self.loop = loop
    markers = (start, stop)
  }

  /// Moves the playhead to the end of the run. Returns `nil` at the end of the sound.
  mutating func next(atMost most: Int64) -> FrameRun? {
    if left == 0, !beginPass() { return nil }
    let count = min(left, most)
    guard count > 0 else { return nil }
    let run = FrameRun(
      first: isBackward ? boundary &- count : boundary, count: count, isBackward: isBackward)
    boundary = isBackward ? run.first : run.first &+ count
    hasPlayed = true
    return run
  }

  /// The loop, or without one the whole sound.
  private var range: FrameRange {
    let whole = FrameRange(firstFrame: 0, endFrame: frames)
    return loop == TIMEDSP_LOOP_NONE ? whole : whole.between(markers.start, markers.stop).range
  }

  /// Frames until the current pass ends. If the playhead is already beyond its marker, that's at
  /// the end of the sound.
  private var left: Int64 {
    let range = range
    if isBackward {
      return boundary &- (boundary < range.firstFrame ? 0 : range.firstFrame)
    }
    return (boundary > range.endFrame ? frames : range.endFrame) &- boundary
  }

  private mutating func beginPass() -> Bool {
    var range = range
    let isBeyond = isBackward ? boundary < range.firstFrame : boundary > range.endFrame
    // after the end of the sound, a ping-pong loop turns, and returns to the markers
    if isBeyond, loop == TIMEDSP_LOOP_PING_PONG {
      range = FrameRange(firstFrame: 0, endFrame: frames)
    }
    let direction = isBackward ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD
    guard let next = try? range.nextPass(loop, direction), next.frame != unknownFrame else {
      return false
    }
    isBackward = next.direction == TIMEDSP_BACKWARD
    boundary = isBackward ? next.frame &+ 1 : next.frame
    return true
  }
}
