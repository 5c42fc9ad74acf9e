// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension TimeDSPRange {
  var hasKnownEnd: Bool { end_frame != unknownFrame }
  var isEmpty: Bool { end_frame == first_frame }

  /// What is heard between two markers inside `self`, and what was wrong with
  /// them; see `timedsp_loop_range()`.
  func between(_ start: Int64, _ stop: Int64) -> (range: TimeDSPRange, found: TimeDSPMarkers) {
    let isCrossed = start != unknownFrame && stop != unknownFrame && stop < start
    let (start, stop) = isCrossed ? (stop, start) : (start, stop)
    let range = TimeDSPRange(
      first_frame: start == unknownFrame ? first_frame : held(start),
      end_frame: stop == unknownFrame ? end_frame : held(stop))
    let isWhole = start == unknownFrame && stop == unknownFrame
    if range.isEmpty, !isWhole { return (self, TIMEDSP_MARKERS_EMPTY) }
    if isCrossed { return (range, TIMEDSP_MARKERS_CROSSED) }
    let isHeld = isOutside(start) || isOutside(stop)
    return (range, isHeld ? TIMEDSP_MARKERS_CLAMPED : TIMEDSP_MARKERS_FINE)
  }

  /// `marker`, or the end of the range beyond which it lies.
  private func held(_ marker: Int64) -> Int64 {
    let bounded = max(marker, first_frame)
    return hasKnownEnd ? min(bounded, end_frame) : bounded
  }

  private func isOutside(_ marker: Int64) -> Bool {
    marker != unknownFrame && held(marker) != marker
  }

  /// Where play goes on after a lap; see `timedsp_next_lap()`.
  func nextLap(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection
  ) throws(TimeDSPStatus) -> TimeDSPStep {
    if loop == TIMEDSP_LOOP_NONE || isEmpty {
      return TimeDSPStep(frame: unknownFrame, direction: direction)
    }
    let isForward = direction == TIMEDSP_FORWARD
    let isRepeat = loop == TIMEDSP_LOOP_REPEAT
    try require(hasKnownEnd || isForward == isRepeat, else: TIMEDSP_BAD_LENGTH)
    if isRepeat {
      return TimeDSPStep(frame: isForward ? first_frame : end_frame &- 1, direction: direction)
    }
    if isForward {
      return TimeDSPStep(frame: max(end_frame &- 2, first_frame), direction: TIMEDSP_BACKWARD)
    }
    let second = first_frame &+ 1
    return TimeDSPStep(
      frame: second == end_frame ? first_frame : second, direction: TIMEDSP_FORWARD)
  }
}
