// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames of a sound to play next: `[first, first + count)`, from either end.
struct FrameRun: Equatable {
  var first: Int64
  var count: Int64
  var isBackward: Bool

  /// The frame that is played first.
  var start: Int64 { isBackward ? first &+ count &- 1 : first }
}

/// Playhead in a sound in memory, with its direction and the points where that changes.
///
/// Boundary n lies before frame n. A value without memory or threads of its own.
struct MemoryCursor {
  /// Frames of the sound.
  let frames: Int64
  /// Playhead, `0 ... frames`.
  private(set) var boundary: Int64 = 0
  private(set) var isBackward = false
  private var loop = TIMEDSP_LOOP_NONE
  /// Markers of the loop; `unknownFrame`: not set.
  private var markers = (start: unknownFrame, stop: unknownFrame)
  /// Whether a frame has been played since the last seek.
  private var hasPlayed = false

  /// A sound of `frames` frames, 0 or more.
  init(frames: Int64) { self.frames = max(frames, 0) }

  /// Goes to a boundary. One outside of the sound counts as the nearer end.
  mutating func seek(to boundary: Int64) {
    self.boundary = min(max(boundary, 0), frames)
    hasPlayed = false
  }

  /// Sets the direction. After frame n comes n - 1, or n + 1.
  mutating func turn(backward: Bool) {
    guard backward != isBackward else { return }
    isBackward = backward
    if hasPlayed { seek(to: boundary &+ (backward ? -1 : 1)) }
  }

  /// Loops between two boundaries from the end of this pass on. A marker of `unknownFrame`
  /// is the end of the sound on its side.
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    self.loop = loop
    markers = (start, stop)
  }

  /// The next run of up to `most` frames, which then count as played; `nil` at the end.
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

  /// The range of the loop; the whole sound without one.
  private var range: FrameRange {
    let whole = FrameRange(firstFrame: 0, endFrame: frames)
    return loop == TIMEDSP_LOOP_NONE ? whole : whole.between(markers.start, markers.stop).range
  }

  /// Frames up to the end of this pass. Playback beyond a marker continues to the end of the sound.
  private var left: Int64 {
    let range = range
    if isBackward {
      return boundary &- (boundary < range.firstFrame ? 0 : range.firstFrame)
    }
    return (boundary > range.endFrame ? frames : range.endFrame) &- boundary
  }

  /// Whether there is another pass; play is at its beginning then.
  private mutating func beginPass() -> Bool {
    var range = range
    let isBeyond = isBackward ? boundary < range.firstFrame : boundary > range.endFrame
    // Ping-pong turns at the end of the sound, and reaches the markers on its way back.
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
