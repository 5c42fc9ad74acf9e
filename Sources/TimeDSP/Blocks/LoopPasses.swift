// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Where a pass begins. It plays a range of the stream once, in one direction.
struct PassStart: Equatable {
  /// The first frame, or `unknownFrame` if there's no further pass.
  var frame: Int64
  var direction: TimeDSPDirection
}

struct FrameRange {
  var firstFrame: Int64
  /// The range ends before this frame. `unknownFrame` stands for an unknown end of the stream.
  var endFrame: Int64

  var hasKnownEnd: Bool { endFrame != unknownFrame }
  var isEmpty: Bool { endFrame == firstFrame }

  func contains(_ frame: Int64) -> Bool {
    frame >= firstFrame && (!hasKnownEnd || frame < endFrame)
  }

  /// The part of the range between two loop markers. If we had to correct them, `found` says how.
  ///
  /// - If a marker is `unknownFrame`, it isn't set. The result then begins or ends where `self`
  ///   does.
  /// - Markers outside the range are clamped to it.
  /// - Markers in the wrong order are swapped.
  /// - Markers without a frame between them are ignored.
  ///
  /// We report only one correction: empty rather than crossed, crossed rather than clamped.
  func between(_ start: Int64, _ stop: Int64) -> (range: FrameRange, found: TimeBlocksCode?) {
    let isCrossed = start != unknownFrame && stop != unknownFrame && stop < start
    let (start, stop) = isCrossed ? (stop, start) : (start, stop)
    let range = FrameRange(
      firstFrame: start == unknownFrame ? firstFrame : held(start),
      endFrame: stop == unknownFrame ? endFrame : held(stop))
    let isWhole = start == unknownFrame && stop == unknownFrame
    if range.isEmpty, !isWhole { return (self, TIMEBLOCKS_MARKERS_EMPTY) }
    if isCrossed { return (range, TIMEBLOCKS_MARKERS_CROSSED) }
    let isHeld = isOutside(start) || isOutside(stop)
    return (range, isHeld ? TIMEBLOCKS_MARKERS_CLAMPED : nil)
  }

  private func held(_ marker: Int64) -> Int64 {
    let bounded = max(marker, firstFrame)
    return hasKnownEnd ? min(bounded, endFrame) : bounded
  }

  private func isOutside(_ marker: Int64) -> Bool {
    marker != unknownFrame && held(marker) != marker
  }

  /// This range has been played once in `direction`. What's next?
  ///
  /// REPEAT continues at the other end in the same direction. PING_PONG changes the direction and
  /// continues with the frame next to the last one, so that you don't hear the frame at the end
  /// twice. If the range has one frame, you hear it again. NONE and an empty range have no next
  /// pass.
  ///
  /// REPEAT backward and PING_PONG forward need the end. If it's unknown, they throw BAD_LENGTH.
  func nextPass(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection
  ) throws(TimeDSPStatus) -> PassStart {
    if loop == TIMEDSP_LOOP_NONE || isEmpty {
      return PassStart(frame: unknownFrame, direction: direction)
    }
    let isForward = direction == TIMEDSP_FORWARD
    let isRepeat = loop == TIMEDSP_LOOP_REPEAT
    try require(hasKnownEnd || isForward == isRepeat, else: TIMEDSP_BAD_LENGTH)
    if isRepeat {
      return PassStart(frame: isForward ? firstFrame : endFrame &- 1, direction: direction)
    }
    if isForward {
      return PassStart(frame: max(endFrame &- 2, firstFrame), direction: TIMEDSP_BACKWARD)
    }
    let second = firstFrame &+ 1
    return PassStart(
      frame: second == endFrame ? firstFrame : second, direction: TIMEDSP_FORWARD)
  }
}
