// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A run of frames that are played next: `[first, first + count)`, forwards or backwards.
struct FrameRun: Equatable {
  var first: Int64
  var count: Int64
  var isBackward: Bool

  /// The frame that is played first.
  var start: Int64 { isBackward ? first &+ count &- 1 : first }
}

/// The playhead of a sound in memory. The cursor determines which frames are played next, according
/// to the direction and the loop.
///
/// The playhead is a boundary between frames: boundary n is before frame n.
struct MemoryCursor {
  /// The length of the sound in frames.
  let frames: Int64
  /// The position of the playhead, `0 ... frames`.
  private(set) var boundary: Int64 = 0
  private(set) var isBackward = false
  private var loop = TIMEDSP_LOOP_NONE
  /// The boundaries of the loop; `unknownFrame` if a marker is not set.
  private var markers = (start: unknownFrame, stop: unknownFrame)
  /// Whether a frame has been played since the last seek.
  private var hasPlayed = false

  init(frames: Int64) { self.frames = max(frames, 0) }

  /// Moves the playhead to `boundary`, which is clamped to the sound.
  mutating func seek(to boundary: Int64) {
    self.boundary = min(max(boundary, 0), frames)
    hasPlayed = false
  }

  /// Sets the direction. The next frame will be a neighbour of the frame that was played last.
  mutating func turn(backward: Bool) {
    guard backward != isBackward else { return }
    isBackward = backward
    if hasPlayed { seek(to: boundary &+ (backward ? -1 : 1)) }
  }

  /// Sets the loop, which takes effect at the end of the current pass. Instead of a boundary,
  /// `unknownFrame` means the beginning or the end of the sound.
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    self.loop = loop
    markers = (start, stop)
  }

  /// Returns the next run, of at most `most` frames, and moves the playhead to its end. Returns
  /// `nil` at the end of the sound.
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

  /// The frames that are looped; the whole sound if there is no loop.
  private var range: FrameRange {
    let whole = FrameRange(firstFrame: 0, endFrame: frames)
    return loop == TIMEDSP_LOOP_NONE ? whole : whole.between(markers.start, markers.stop).range
  }

  /// Number of frames until the current pass ends. If the playhead is already beyond the marker at
  /// which the pass would end, the pass ends at the end of the sound.
  private var left: Int64 {
    let range = range
    if isBackward {
      return boundary &- (boundary < range.firstFrame ? 0 : range.firstFrame)
    }
    return (boundary > range.endFrame ? frames : range.endFrame) &- boundary
  }

  /// Moves the playhead to the beginning of the next pass. Returns `false` if there is none.
  private mutating func beginPass() -> Bool {
    var range = range
    let isBeyond = isBackward ? boundary < range.firstFrame : boundary > range.endFrame
    // after the end of the sound, a ping-pong loop changes direction and returns to the markers
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
