// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let noTime = UInt64.max
private let second: UInt64 = 1_000_000_000

private func segment(
  rate: Double = 1, applied: Double = 1, base: UInt64 = 0, offset: UInt64 = 0, start: UInt64 = 0,
  stop: UInt64 = noTime, time: UInt64 = 0
) -> TimeSegment {
  TimeSegment(
    rate: rate, applied_rate: applied, base: base, offset: offset, start: start, stop: stop,
    time: time, position: start, duration: noTime)
}

/// Segments of the input and of the output, with memory for the stream times.
private final class TestSegments {
  var segments = TimeSegments()
  private let pairs = UnsafeMutablePointer<TimeDSPTimePair>.allocate(capacity: 16)
  private let waiting = UnsafeMutablePointer<TimeSegment>.allocate(capacity: 2)

  init() { timesegment_init(&segments, pairs, 16, waiting, 2) }
  deinit {
    pairs.deallocate()
    waiting.deallocate()
  }

  func start(_ input: TimeSegment, factor: Double, absorbs: Bool = true, rate: UInt32 = 0) {
    withUnsafePointer(to: input) {
      timesegment_start(&segments, $0, factor, absorbs ? 1 : 0, rate)
    }
  }
}

@Suite struct TimeSegmentTests {
  /// Values by the formulas in GStreamer's "Synchronisation".
  @Test func `Running and stream times are GStreamer's`() {
    let plain = segment(rate: 2, applied: 3, base: 7, offset: 10, start: 100, stop: 500, time: 40)
    #expect(plain.runningTime(of: 310) == 7 + (310 - 110) / 2)
    #expect(plain.runningTime(of: 900) == 7 + (500 - 110) / 2)  // as the stop
    #expect(plain.runningTime(of: 108) == 7 - 1)
    #expect(plain.runningTime(of: 99) == noTime && segment().runningTime(of: noTime) == noTime)
    #expect(plain.streamTime(of: 310) == 40 + 3 * 210)
    #expect(plain.streamTime(of: 90) == 40 - 30 && plain.streamTime(of: 10) == nil)
    let turned = segment(applied: -2, start: 100, stop: 500, time: 1000)
    #expect(turned.streamTime(of: 100) == 1000 + 800 && turned.streamTime(of: 500) == 1000)
    #expect(turned.streamTime(of: 600) == 800)
    #expect(segment(applied: -1).streamTime(of: 5) == nil)
    #expect(segment(time: noTime).streamTime(of: 5) == nil)
  }

  @Test func `A rate becomes a part of the factor`() {
    let test = TestSegments()
    test.start(segment(rate: 2, stop: 10 * second), factor: 1.5)
    #expect(test.segments.factor == 0.75 && test.segments.absorbed == 2)
    #expect(test.segments.output.rate == 1 && test.segments.output.applied_rate == 2)
    #expect(test.segments.output.stop == 7_500_000_000)
    #expect(timesegment_effective(&test.segments, 3) == 1.5)
    // not beyond the range of factors: 0.01 / 4 is cut, and so is what is absorbed
    test.start(segment(rate: 4, stop: second), factor: 0.01)
    #expect(test.segments.factor == 0.01 && test.segments.output.rate == 4)
  }

  @Test func `Running time goes on where the output has ended`() {
    let test = TestSegments()
    test.start(segment(stop: 4 * second), factor: 2)
    test.segments.end_ns = 3 * second
    test.start(segment(base: 3 * second), factor: 0.5)
    #expect(test.segments.output.base == 6 * second)
    test.segments.end_ns = second
    test.start(segment(base: 4 * second), factor: 1)
    #expect(test.segments.output.base == 6 * second + second / 2)
    timesegment_reset(&test.segments, 1)
    test.start(segment(), factor: 1)
    #expect(test.segments.output.base == 0)
  }

  @Test func `A factor that changes bends the times behind it`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    #expect(timesegment_take_factor(&test.segments, 2 * second, 1) == 0)
    #expect(timesegment_take_factor(&test.segments, 2 * second, 2) != 0)
    #expect(timesegment_map(&test.segments, 5 * second) == 8 * second)
    #expect(test.segments.output.stop == 18 * second)
    #expect(timedsp_timeline_to_input(&test.segments.history, 8 * second, 1) == 5 * second)
    timesegment_note(&test.segments, 5 * second, 8 * second + 3, 3)
    #expect(timesegment_map(&test.segments, 5 * second) == 8 * second)
    timesegment_note(&test.segments, 5 * second, 8 * second + 4, 3)
    #expect(timesegment_map(&test.segments, 6 * second) == 10 * second + 4)
  }

  @Test func `A move lasts as long as its mean speed says`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    #expect(timesegment_mean_speed(&test.segments, 0.5) == 1.5)
    timesegment_move(&test.segments, 2 * second, 2 * second, 0.5, 3e9)
    #expect(timesegment_map(&test.segments, 5 * second) == 4 * second)
    #expect(timesegment_map(&test.segments, 7 * second) == 5 * second)
    #expect(timesegment_mean_speed(nil, 0.5) == 1)
  }

  @Test func `A segment begins and ends where a seek has asked for it`() {
    let test = TestSegments()
    test.start(segment(start: 333, stop: 1000, time: 333), factor: 3)
    var seek = TimeSeek(out_start_ns: 1000, out_stop_ns: 3001, in_start_ns: 333, in_stop_ns: 1000)
    timesegment_settle(&test.segments, &seek)
    #expect(test.segments.output.time == 1000)
    #expect(test.segments.output.stop == test.segments.output.start + 2001)
    timesegment_settle(&test.segments, nil)
  }

  @Test func `A declared end has room for what a decoder makes beyond it`() {
    let test = TestSegments()
    test.start(segment(stop: second), factor: 2, rate: 8000)
    timesegment_allow_surplus(&test.segments, 3 * second, 8000)
    #expect(test.segments.output.stop == 2 * second)
    timesegment_allow_surplus(&test.segments, second + 1_999_999, 8000)
    #expect(test.segments.output.stop == 2 * second + 2 * 2 * 125_000)
  }

  @Test func `A new rate in mid-stream starts a segment of its own`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    timesegment_multiply_rate(&test.segments, 2)
    timesegment_begin(&test.segments, 4 * second)
    #expect(test.segments.output.applied_rate == 1)
    #expect(timesegment_turn(&test.segments, 4 * second - 1) == 0)
    #expect(timesegment_frames_left(&test.segments, 4 * second - 125_000, 8000) == 1)
    #expect(timesegment_turn(&test.segments, 4 * second) != 0)
    #expect(timesegment_frames_left(&test.segments, 4 * second, 8000) == .max)
    #expect(test.segments.output.applied_rate == 2 && test.segments.output.rate == 1)
    #expect(test.segments.output.start == 4 * second && test.segments.output.base == 4 * second)
    #expect(test.segments.output.time == 4 * second)
    #expect(timesegment_effective(&test.segments, 1) == 0.5)
  }

  @Test func `Segments wait for their place`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    for (index, rate) in [2.0, 4, 8].enumerated() {  // there is room for two
      timesegment_multiply_rate(&test.segments, rate)
      timesegment_begin(&test.segments, UInt64(4 + index) * second)
    }
    #expect(timesegment_turn(&test.segments, 4 * second) != 0)
    #expect(test.segments.output.applied_rate == 2)
    #expect(timesegment_frames_left(&test.segments, 5 * second, 8000) == 8000)
    #expect(timesegment_turn(&test.segments, .max) != 0)
    // 4 s at 1, a second at 2, and one at 4, though that segment was not sent
    #expect(test.segments.output.applied_rate == 8 && test.segments.output.time == 10 * second)
    #expect(test.segments.output.base == 6 * second)
  }

  @Test func `A segment waits no longer than the input`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    timesegment_multiply_rate(&test.segments, 2)
    timesegment_begin(&test.segments, 4 * second)
    timesegment_end(&test.segments, 3 * second, 3 * second, 0)
    #expect(timesegment_turn(&test.segments, 3 * second) != 0)
    #expect(test.segments.output.start == 3 * second && test.segments.output.time == 3 * second)
    #expect(test.segments.output.base == 3 * second)
  }

  @Test func `Another segment is sent only where audio would be cut`() {
    let test = TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    test.segments.end_ns = 5 * second
    #expect(timesegment_is_outdated(&test.segments, 5 * second, 0) == 0)
    #expect(timesegment_is_outdated(&test.segments, 5 * second - 9, 8) != 0)
    #expect(timesegment_is_outdated(&test.segments, noTime, 0) == 0)
    test.start(segment(applied: -1, stop: 10 * second), factor: 1)
    test.segments.end_ns = second
    #expect(timesegment_is_outdated(&test.segments, 10 * second + 100_000_000, 0) == 0)
    #expect(timesegment_is_outdated(&test.segments, 10 * second + 100_000_001, 0) != 0)
  }
}
