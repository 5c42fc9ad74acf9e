// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A reference model of a playback: calculates the expected output from the definition, frame by
/// frame. An action of the application takes effect at the next frame. If there are two actions of
/// the same kind before the next frame, only the later action takes effect.
struct Listener {
  enum Loop: CaseIterable { case none, again, pingPong }

  private struct Seek {
    var boundary: Int64?
    var isForward: Bool
    var bounds: Range<Int64>
  }

  let length: Int64
  var loop = Loop.none
  var markers: Range<Int64>
  private var waitingSeek: Seek?
  private var requestedDirection: Bool?

  private var isForward = true
  /// The playhead, a boundary between two frames. The next frame to be output is the frame after
  /// the playhead, or in reverse the frame before the playhead.
  private var boundary: Int64 = 0
  /// The last frame that was output, unless the playhead has been moved since then.
  private var last: Int64?
  /// The range that the application has set.
  private var bounds: Range<Int64>
  /// The range of the current pass, and whether this pass belongs to a loop.
  private var pass: Range<Int64>
  private var isLoop = false
  /// Number of passes that have ended since the last frame.
  private var endedPasses = 0

  init(length: Int64) {
    self.length = length
    bounds = 0..<length
    markers = 0..<length
    pass = bounds
  }

  /// Moves the playhead to `boundary`. No frame outside of `bounds` is output.
  mutating func seek(to boundary: Int64, _ isForward: Bool, within bounds: Range<Int64>) {
    waitingSeek = Seek(boundary: boundary, isForward: isForward, bounds: bounds)
    requestedDirection = nil
  }

  /// Performs a seek that changes only the direction, and does not cancel the target of an earlier
  /// seek.
  mutating func resume(_ isForward: Bool) {
    let bounds = waitingSeek?.bounds ?? bounds
    waitingSeek = Seek(boundary: waitingSeek?.boundary, isForward: isForward, bounds: bounds)
    requestedDirection = nil
  }

  /// Changes the direction: the next frame is the one before or after the current frame.
  mutating func turn(_ isForward: Bool) { requestedDirection = isForward }

  /// The next frame; `nil` at the end.
  mutating func next() -> Int64? {
    follow()
    while true {
      let frame = isForward ? boundary : boundary - 1
      if isForward ? frame < pass.upperBound : frame >= pass.lowerBound {
        guard frame >= 0, frame < length else { return nil }
        boundary = isForward ? frame + 1 : frame
        last = frame
        endedPasses = 0
        return frame
      }
      endedPasses += 1
      if loop == .none || endedPasses > 2 || bounds.isEmpty { return nil }
      goOn()
    }
  }

  /// Applies the actions of the application.
  private mutating func follow() {
    if let seek = waitingSeek {
      waitingSeek = nil
      bounds = seek.bounds
      endedPasses = 0
      if let boundary = seek.boundary {
        (self.boundary, isForward, last) = (boundary, seek.isForward, nil)
      } else {
        turnNow(seek.isForward)
      }
      begin()
    }
    if let isForward = requestedDirection, isForward != self.isForward {
      turnNow(isForward)
      begin()
    }
    requestedDirection = nil
    // markers that were moved take effect at the next pass
    if isLoop != (loop != .none) { begin() }
  }

  private mutating func turnNow(_ isForward: Bool) {
    if let last, isForward != self.isForward { boundary = isForward ? last + 1 : last }
    self.isForward = isForward
  }

  /// The part of the allowed range that is between the markers.
  private var range: Range<Int64> {
    let range = markers.clamped(to: bounds)
    return loop == .none || range.isEmpty ? bounds : range
  }

  /// Begins a pass: playback through a range once, in one direction. The range is `range`. If the
  /// playhead has already passed that range, the pass continues to the end of `bounds` instead. But
  /// if the last output frame is in the range, the pass is empty, and the next pass follows.
  private mutating func begin() {
    pass = range
    let isAtEnd = isForward ? boundary >= pass.upperBound : boundary <= pass.lowerBound
    let hasJustCome = last.map(pass.contains) ?? false
    if isAtEnd, !hasJustCome { pass = bounds }
    isLoop = loop != .none
  }

  private mutating func goOn() {
    var range = range
    if loop == .again {
      boundary = isForward ? range.lowerBound : range.upperBound
    } else {
      // a pass that began outside the markers has ended, so the direction changes
      let isBeyond =
        isForward
        ? pass.upperBound == bounds.upperBound && range.upperBound < bounds.upperBound
        : pass.lowerBound == bounds.lowerBound && range.lowerBound > bounds.lowerBound
      if isBeyond { range = bounds }
      // the frame at which the direction changes is output once
      let (first, end) = (range.lowerBound, range.upperBound)
      let again: Int64 = last == nil ? 0 : 1
      boundary = isForward ? max(end - again, first + 1) : min(first + again, end - 1)
      isForward.toggle()
    }
    last = nil
    begin()
  }
}
