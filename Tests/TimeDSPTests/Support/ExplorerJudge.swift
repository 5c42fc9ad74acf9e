// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Receives the actions of the application and of upstream, and the output. Calculates which frame
/// must be output next, and reports wrong frames and events that must never happen.
struct ExplorerJudge {
  let length: Int64
  /// The value of the property `direction`.
  var direction: TimeDSPDirection
  /// The first error that was found.
  private(set) var fault: String?
  private(set) var log: [String] = []

  /// The playhead, which is a boundary between two frames; the last frame that was output; and the
  /// range of frames to play.
  private var boundary: Int64 = 0
  private var last: Int64?
  private var range: Range<Int64>
  /// The range of the loop; `nil` if there is none.
  var lap: Range<Int64>?
  private(set) var laps = 0
  private var isFlushingDownstream = false
  private var flushStarts = 0
  private var hasEnded = false
  private var hasFailed = false
  /// Whether downstream refuses all buffers. Only the end of stream may then be sent.
  private var isRefused = false
  /// Direction of the last segment, and the number of changes of direction since then.
  private var segment: TimeDSPDirection?
  private var turnsSinceSegment = 0
  private var isAwaiting = false
  /// The target of the last foreign seek, one that did not go through the playback.
  var foreignTarget: Int64 = 0

  init(length: Int64, direction: TimeDSPDirection) {
    self.length = length
    self.direction = direction
    range = 0..<length
  }

  mutating func blame(_ what: String) {
    note(what)
    if fault == nil { fault = what }
  }

  mutating func note(_ what: String) { log.append(what) }

  // ---- events ----

  mutating func turn(_ direction: TimeDSPDirection) {
    self.direction = direction
    turnsSinceSegment += 1
  }

  mutating func go(to boundary: Int64, within range: Range<Int64>, behind last: Int64? = nil) {
    (self.boundary, self.range, self.last) = (boundary, range, last)
    hasEnded = false
    isRefused = false
    segment = nil
  }

  /// Records frames that are passed through unchanged.
  mutating func pass(_ frames: Range<Int64>) {
    if frames.lowerBound != boundary { blame("passes \(frames) at \(boundary)") }
    boundary = frames.upperBound
  }

  mutating func flushStart() {
    isFlushingDownstream = true
    flushStarts += 1
  }

  /// Records a FLUSH_STOP. One FLUSH_STOP ends two flushes if the second flush began during the
  /// first.
  mutating func flushStop() {
    if flushStarts == 0 { blame("FLUSH_STOP without FLUSH_START") }
    flushStarts -= 1
    isFlushingDownstream = false
  }

  var isFlushing: Bool { isFlushingDownstream }

  mutating func foreignFlush(_ isAwaiting: Bool) { self.isAwaiting = isAwaiting }

  /// Records that downstream has refused the last buffer. The refusal is ignored if that buffer was
  /// sent before a seek.
  mutating func refuses() { isRefused = segment != nil }

  // ---- decisions ----

  private mutating func mayBeSent(_ what: String) {
    if isFlushingDownstream { blame("\(what) in a flush") }
    if isAwaiting { blame("\(what) between a foreign flush and its segment") }
    if hasEnded { blame("\(what) behind the end") }
  }

  private mutating func mayBePlayed(_ what: String) {
    mayBeSent(what)
    if isRefused { blame("\(what) that downstream does not want") }
  }

  mutating func sends(_ segment: TimeDSPDirection) {
    mayBePlayed("a segment")
    self.segment = segment
    turnsSinceSegment = 0
  }

  mutating func sends(_ frames: Range<Int64>?, _ going: TimeDSPDirection) {
    mayBePlayed("frames")
    let isBackward = going == TIMEDSP_BACKWARD
    if segment != going { blame("frames behind a segment of another direction") }
    if going != direction, turnsSinceSegment == 0 { blame("plays in the other direction") }
    turnsSinceSegment = 0
    guard let frames else { return blame("frames that do not belong together") }
    let expected = next(isBackward)
    let (lowest, highest) = (frames.lowerBound, frames.upperBound - 1)
    let first = isBackward ? highest : lowest
    if first != expected { return blame("frame \(first), not \(expected)") }
    last = isBackward ? lowest : highest
    if let last { boundary = isBackward ? last : last + 1 }
    if boundary < range.lowerBound || boundary > range.upperBound {
      blame("beyond the range")
    }
  }

  /// The frame that must be output next. In a loop, the frame after the end of a pass is the first
  /// frame of the next pass.
  private mutating func next(_ isBackward: Bool) -> Int64 {
    var place = boundary
    if let last { place = isBackward ? last : last + 1 }
    if let lap {
      let ends = isBackward ? [lap.lowerBound, 0] : [lap.upperBound, length]
      if ends.contains(place) {
        laps += 1
        place = isBackward ? lap.upperBound : lap.lowerBound
      }
    }
    return isBackward ? place - 1 : place
  }

  mutating func ends(_ going: TimeDSPDirection) {
    mayBeSent("the end")
    hasEnded = true
    let end = going == TIMEDSP_BACKWARD ? range.lowerBound : range.upperBound
    var place = boundary
    if let last { place = going == TIMEDSP_BACKWARD ? last : last + 1 }
    if place != end, !range.isEmpty, !hasFailed, !isRefused {
      blame("the end at \(place), not \(end)")
    }
  }

  mutating func passedEnd() { hasEnded = true }

  mutating func fails(_ report: TimePlayReport) {
    hasFailed = true
    if report != TIMEPLAY_IS_CONTESTED { blame("error \(report.rawValue)") }
  }

  mutating func rest(isClosed: Bool, isPlaying: Bool, isAwaiting: Bool) {
    if isClosed || isAwaiting { return }
    if isFlushingDownstream { blame("no FLUSH_STOP") }
    if !hasEnded, !hasFailed { blame("play stands at \(boundary)") }
  }
}
