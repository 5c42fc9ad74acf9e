// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

@Suite struct LoopTests {
  static let unknown: Int64 = -1
  static let loops = [TIMEDSP_LOOP_NONE, TIMEDSP_LOOP_REPEAT, TIMEDSP_LOOP_PING_PONG]
  static let directions = [TIMEDSP_FORWARD, TIMEDSP_BACKWARD]

  /// Frames heard from the first or the last one of a range, by
  /// `timedsp_next_lap()`.
  private func heard(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection, _ range: Range<Int64>, atMost: Int
  ) throws -> [Int64] {
    var bounds = TimeDSPRange(first_frame: range.lowerBound, end_frame: range.upperBound)
    var step = TimeDSPStep(
      frame: direction == TIMEDSP_FORWARD ? range.lowerBound : range.upperBound - 1,
      direction: direction)
    var frames: [Int64] = []
    while step.frame != Self.unknown, frames.count < atMost {
      try #require(range.contains(step.frame))
      frames.append(step.frame)
      let next = step.direction == TIMEDSP_FORWARD ? step.frame + 1 : step.frame - 1
      if range.contains(next) {
        step.frame = next
      } else {
        let status = timedsp_next_lap(loop, step.direction, &bounds, &step)
        try #require(status == TIMEDSP_OK)
      }
    }
    return frames
  }

  /// What is heard in laps, written out.
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
  func lapsAreGapless(loop: TimeDSPLoop, direction: TimeDSPDirection) throws {
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
    var range = TimeDSPRange(first_frame: 5, end_frame: Self.unknown)
    var step = TimeDSPStep(frame: 42, direction: TIMEDSP_BACKWARD)
    for (loop, direction) in [
      (TIMEDSP_LOOP_REPEAT, TIMEDSP_BACKWARD), (TIMEDSP_LOOP_PING_PONG, TIMEDSP_FORWARD),
    ] {
      #expect(timedsp_next_lap(loop, direction, &range, &step) == TIMEDSP_BAD_LENGTH)
      #expect(step.frame == 42 && step.direction == TIMEDSP_BACKWARD)
    }
    #expect(
      timedsp_next_lap(TIMEDSP_LOOP_REPEAT, TIMEDSP_FORWARD, &range, &step) == TIMEDSP_OK)
    #expect(step.frame == 5 && step.direction == TIMEDSP_FORWARD)
    #expect(
      timedsp_next_lap(TIMEDSP_LOOP_PING_PONG, TIMEDSP_BACKWARD, &range, &step) == TIMEDSP_OK)
    #expect(step.frame == 6 && step.direction == TIMEDSP_FORWARD)
  }

  @Test(arguments: loops, directions)
  func nothingFollowsInAnEmptyRange(loop: TimeDSPLoop, direction: TimeDSPDirection) {
    for edge in [0, 7, 1 << 53] as [Int64] {
      var range = TimeDSPRange(first_frame: edge, end_frame: edge)
      var step = TimeDSPStep(frame: 42, direction: TimeDSPDirection(7))
      #expect(timedsp_next_lap(loop, direction, &range, &step) == TIMEDSP_OK)
      #expect(step.frame == Self.unknown && step.direction == direction)
    }
  }

  // Every pair of markers around every small range, against the frames that
  // lie between them.
  @Test(arguments: 0...3, -1...7)
  func markersCutOutWhatIsHeard(first: Int64, end: Int64) throws {
    guard end == -1 || end >= first else { return }
    var bounds = TimeDSPRange(first_frame: first, end_frame: end)
    for start in Self.unknown...9 {
      for stop in Self.unknown...9 {
        var range = TimeDSPRange()
        var markers = TimeDSPMarkers(42)
        let status = timedsp_loop_range(&bounds, start, stop, &range, &markers)
        try #require(status == TIMEDSP_OK)
        let expected = model(bounds, start, stop)
        let place: Comment = "markers \(start), \(stop) in \(first) ..< \(end)"
        #expect(range.first_frame == expected.range.first_frame, place)
        #expect(range.end_frame == expected.range.end_frame, place)
        #expect(markers == expected.markers, place)
      }
    }
  }

  /// The rules of `timefetch.h` over sets of frames; an unknown end lies
  /// beyond all markers.
  private func model(
    _ bounds: TimeDSPRange, _ start: Int64, _ stop: Int64
  ) -> (range: TimeDSPRange, markers: TimeDSPMarkers) {
    let farthest: Int64 = 100
    let end = bounds.end_frame == Self.unknown ? farthest : bounds.end_frame
    let stream = Set(bounds.first_frame..<end)
    let low = start == Self.unknown ? bounds.first_frame : start
    let high = stop == Self.unknown ? end : stop
    // A stop that is not set cannot be crossed.
    let areSet = start != Self.unknown && stop != Self.unknown
    let between = areSet ? Set(min(low, high)..<max(low, high)) : Set(low..<max(low, high))
    let heard = stream.intersection(between).sorted()
    guard let firstHeard = heard.first, let lastHeard = heard.last else {
      let isUnset = start == Self.unknown && stop == Self.unknown
      return (bounds, isUnset ? TIMEDSP_MARKERS_FINE : TIMEDSP_MARKERS_EMPTY)
    }
    let isOpen = lastHeard == farthest - 1
    let range = TimeDSPRange(
      first_frame: firstHeard, end_frame: isOpen ? Self.unknown : lastHeard + 1)
    if areSet, stop < start { return (range, TIMEDSP_MARKERS_CROSSED) }
    let isFine = [low, high].allSatisfy { bounds.first_frame <= $0 && $0 <= end }
    return (range, isFine ? TIMEDSP_MARKERS_FINE : TIMEDSP_MARKERS_CLAMPED)
  }
}
