// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let second: UInt64 = 1_000_000_000

private func segment(
  rate: Double = 1, applied: Double = 1, base: UInt64 = 0, offset: UInt64 = 0, start: UInt64 = 0,
  stop: UInt64 = noTime, time: UInt64 = 0
) -> TimeSegment {
  TimeSegment(
    rate: rate, applied_rate: applied, base: base, offset: offset, start: start, stop: stop,
    time: time, position: start, duration: noTime)
}

/// Input and output segments, with a queue for two segments.
private final class TestSegments {
  var segments: TimeSegments

  init() throws { segments = try TimeSegments(pairs: 16, waiting: 2) }

  var output: TimeSegment { segments.output }
  func inputTime(_ time: UInt64) -> UInt64 { segments.history.input(time, orBy: 1) }

  func mapped(_ time: UInt64) -> UInt64 { segments.mapped(time) }
  func meanSpeed(to factor: Double) -> Double { segments.meanSpeed(to: factor) }
  func advance(to time: UInt64) -> Bool { segments.advance(to: time) }

  func framesLeft(from time: UInt64, rate: UInt32) -> UInt64 {
    segments.framesLeft(from: time, rate: rate)
  }

  func isOutdated(_ sentStop: UInt64, frameNs: UInt64) -> Bool {
    segments.isOutdated(sentStop, frameNs: frameNs)
  }

  func adoptFactor(_ asked: Double, from time: UInt64) -> Bool {
    segments.adoptFactor(asked, from: time)
  }

  func start(_ input: TimeSegment, factor: Double, absorbs: Bool = true, rate: UInt32 = 0) {
    segments.start(input, factor, absorbs: absorbs, rate: rate)
  }
}

@Suite struct TimeSegmentTests {
  /// The expected values follow from the formulas in GStreamer's documentation ("Synchronisation").
  @Test func `Running and stream times are GStreamer's`() throws {
    let plain = segment(rate: 2, applied: 3, base: 7, offset: 10, start: 100, stop: 500, time: 40)
    #expect(plain.runningTime(of: 310) == 7 + (310 - 110) / 2)
    #expect(plain.runningTime(of: 900) == 7 + (500 - 110) / 2)  // clamped to the stop
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

  @Test func `A factor that changes bends the times after it`() throws {
    let test = try TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    #expect(!test.adoptFactor(1, from: 2 * second))
    #expect(test.adoptFactor(2, from: 2 * second))
    #expect(test.mapped(5 * second) == 8 * second)
    #expect(test.output.stop == 18 * second)
    #expect(test.inputTime(8 * second) == 5 * second)
    test.segments.note(TimePair(in: 5 * second, out: 8 * second + 3), toleranceNs: 3)
    #expect(test.mapped(5 * second) == 8 * second)
    test.segments.note(TimePair(in: 5 * second, out: 8 * second + 4), toleranceNs: 3)
    #expect(test.mapped(6 * second) == 10 * second + 4)
  }

  @Test func `A move lasts as long as its mean speed says`() throws {
    let test = try TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    #expect(test.meanSpeed(to: 0.5) == 1.5)
    test.segments.move(
      at: TimePair(in: 2 * second, out: 2 * second), to: 0.5, within: 3e9)
    #expect(test.mapped(5 * second) == 4 * second)
    #expect(test.mapped(7 * second) == 5 * second)
  }

  @Test func `A declared end has room for the decoder's frames beyond it`() throws {
    let test = try TestSegments()
    test.start(segment(stop: second), factor: 2, rate: 8000)
    test.segments.allowSurplus(3 * second, rate: 8000)
    #expect(test.output.stop == 2 * second)
    test.segments.allowSurplus(second + 1_999_999, rate: 8000)
    #expect(test.output.stop == 2 * second + 2 * 2 * 125_000)
  }

  @Test func `Segments wait for their place`() throws {
    let test = try TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    for (index, rate) in [2.0, 4, 8].enumerated() {  // the queue has room for two
      test.segments.multiplyRate(rate)
      test.segments.begin(at: UInt64(4 + index) * second)
    }
    #expect(test.advance(to: 4 * second))
    #expect(test.output.applied_rate == 2)
    #expect(test.framesLeft(from: 5 * second, rate: 8000) == 8000)
    #expect(test.advance(to: .max))
    // Before this segment, 4 s were played at rate 1, one second at rate 2, and one second at rate
    // 4. The segment of rate 4 was not sent, but its duration counts.
    #expect(test.output.applied_rate == 8 && test.output.time == 10 * second)
    #expect(test.output.base == 6 * second)
  }

  @Test func `A segment waits no longer than the input`() throws {
    let test = try TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    test.segments.multiplyRate(2)
    test.segments.begin(at: 4 * second)
    test.segments.end(TimePair(in: 3 * second, out: 3 * second), toleranceNs: 0)
    #expect(test.advance(to: 3 * second))
    #expect(test.output.start == 3 * second && test.output.time == 3 * second)
    #expect(test.output.base == 3 * second)
  }

  @Test func `Another segment is sent only where audio would be cut`() throws {
    let test = try TestSegments()
    test.start(segment(stop: 10 * second), factor: 1)
    test.segments.endNs = 5 * second
    #expect(!test.isOutdated(5 * second, frameNs: 0))
    #expect(test.isOutdated(5 * second - 9, frameNs: 8))
    #expect(!test.isOutdated(noTime, frameNs: 0))
    test.start(segment(applied: -1, stop: 10 * second), factor: 1)
    test.segments.endNs = second
    #expect(!test.isOutdated(10 * second + 100_000_000, frameNs: 0))
    #expect(test.isOutdated(10 * second + 100_000_001, frameNs: 0))
  }
}
