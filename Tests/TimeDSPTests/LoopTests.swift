// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct LoopTests {
  static let unknown: Int64 = -1
  static let loops = [TIMEDSP_LOOP_NONE, TIMEDSP_LOOP_REPEAT, TIMEDSP_LOOP_PING_PONG]
  static let directions = [TIMEDSP_FORWARD, TIMEDSP_BACKWARD]

  /// Returns the output according to `nextPass()`. It begins at the first frame of the range, or in
  /// reverse at the last frame.
  private func heard(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection, _ range: Range<Int64>, atMost: Int
  ) throws -> [Int64] {
    let bounds = FrameRange(firstFrame: range.lowerBound, endFrame: range.upperBound)
    var start: PassStart? = PassStart(
      frame: direction == TIMEDSP_FORWARD ? range.lowerBound : range.upperBound - 1,
      direction: direction)
    var frames: [Int64] = []
    while var step = start, frames.count < atMost {
      try #require(range.contains(step.frame))
      frames.append(step.frame)
      let next = step.direction == TIMEDSP_FORWARD ? step.frame + 1 : step.frame - 1
      if range.contains(next) {
        step.frame = next
        start = step
      } else {
        start = bounds.nextPass(loop, step.direction)
      }
    }
    return frames
  }

  /// Returns the expected frames of all passes, listed one by one.
  private func model(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection, _ range: Range<Int64>, atMost: Int
  ) -> [Int64] {
    let there = direction == TIMEDSP_FORWARD ? Array(range) : range.reversed()
    let back = there.dropFirst().dropLast().reversed()
    let laps =
      switch loop {
      case TIMEDSP_LOOP_NONE: there
      case TIMEDSP_LOOP_REPEAT: Array(repeatElement(there, count: atMost).joined())
      default: Array(repeatElement(there + back, count: atMost).joined())
      }
    return Array(laps.prefix(atMost))
  }

  @Test(arguments: loops, directions)
  func passesAreGapless(loop: TimeDSPLoop, direction: TimeDSPDirection) throws {
    for first in 0...3 as ClosedRange<Int64> {
      for length in 1...9 as ClosedRange<Int64> {
        let range = first..<first + length
        let expected = model(loop, direction, range, atMost: 50)
        #expect(try heard(loop, direction, range, atMost: 50) == expected)
      }
    }
    let last = Int64(1) << 53 - 3..<Int64(1) << 53
    let expected = model(loop, direction, last, atMost: 20)
    #expect(try heard(loop, direction, last, atMost: 20) == expected)
  }

  @Test func unknownEndsAreNotTurnedAt() {
    let range = FrameRange(firstFrame: 5, endFrame: Self.unknown)
    for (loop, direction) in [
      (TIMEDSP_LOOP_REPEAT, TIMEDSP_BACKWARD), (TIMEDSP_LOOP_PING_PONG, TIMEDSP_FORWARD),
    ] {
      #expect(
        range.nextPass(loop, direction) == PassStart(frame: Self.unknown, direction: direction))
    }
    let again = range.nextPass(TIMEDSP_LOOP_REPEAT, TIMEDSP_FORWARD)
    #expect(again == PassStart(frame: 5, direction: TIMEDSP_FORWARD))
    let turned = range.nextPass(TIMEDSP_LOOP_PING_PONG, TIMEDSP_BACKWARD)
    #expect(turned == PassStart(frame: 6, direction: TIMEDSP_FORWARD))
  }

  @Test(arguments: loops, directions)
  func nothingFollowsInAnEmptyRange(loop: TimeDSPLoop, direction: TimeDSPDirection) {
    for edge in [0, 7, 1 << 53] as [Int64] {
      #expect(FrameRange(firstFrame: edge, endFrame: edge).nextPass(loop, direction) == nil)
    }
  }

  // Compares every pair of markers around every small range with the frames between the markers.
  @Test(arguments: 0...3, -1...7)
  func markersCutOutTheOutput(first: Int64, end: Int64) {
    guard end == -1 || end >= first else { return }
    let bounds = FrameRange(firstFrame: first, endFrame: end)
    for start in Self.unknown...9 {
      for stop in Self.unknown...9 {
        let (range, found) = bounds.between(start, stop)
        let expected = model(bounds, start, stop)
        let place: Comment = "markers \(start), \(stop) in \(first) ..< \(end)"
        #expect(range.firstFrame == expected.range.firstFrame, place)
        #expect(range.endFrame == expected.range.endFrame, place)
        #expect(found == expected.found, place)
      }
    }
  }

  /// Applies the rules of `between()` to sets of frames. If the end is unknown, it is assumed to be
  /// after all markers.
  private func model(
    _ bounds: FrameRange, _ start: Int64, _ stop: Int64
  ) -> (range: FrameRange, found: TimeBlocksCode?) {
    let farthest: Int64 = 100
    let end = bounds.endFrame == Self.unknown ? farthest : bounds.endFrame
    let stream = Set(bounds.firstFrame..<end)
    let low = start == Self.unknown ? bounds.firstFrame : start
    let high = stop == Self.unknown ? end : stop
    // only two markers that are both set can be in the wrong order
    let areSet = start != Self.unknown && stop != Self.unknown
    let between = areSet ? Set(min(low, high)..<max(low, high)) : Set(low..<max(low, high))
    let heard = stream.intersection(between).sorted()
    guard let firstHeard = heard.first, let lastHeard = heard.last else {
      let isUnset = start == Self.unknown && stop == Self.unknown
      return (bounds, isUnset ? nil : TIMEBLOCKS_MARKERS_EMPTY)
    }
    let isOpen = lastHeard == farthest - 1
    let range = FrameRange(
      firstFrame: firstHeard, endFrame: isOpen ? Self.unknown : lastHeard + 1)
    if areSet, stop < start { return (range, TIMEBLOCKS_MARKERS_CROSSED) }
    let isFine = [low, high].allSatisfy { bounds.firstFrame <= $0 && $0 <= end }
    return (range, isFine ? nil : TIMEBLOCKS_MARKERS_CLAMPED)
  }
}
