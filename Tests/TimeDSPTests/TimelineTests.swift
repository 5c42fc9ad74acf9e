// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let latest = latestTime

/// A timeline that begins with a given factor.
private final class TestTimeline {
  var timeline: Timeline

  init(capacity: Int, factor: Double) throws {
    timeline = try Timeline(capacity: capacity)
    timeline.start(Fraction(nearest: factor))
  }

  func bend(_ input: UInt64, _ output: UInt64, _ factor: Double) {
    timeline.bend(at: input, output, factor)
  }

  var count: Int { timeline.pairs.count }

  func output(_ input: UInt64, orBy factor: Double = 1) -> UInt64 {
    timeline.output(input, orBy: factor)
  }

  func input(_ output: UInt64, orBy factor: Double = 1) -> UInt64 {
    timeline.input(output, orBy: factor)
  }
}

/// `floor (time × numerator / denominator + 1/2)` in 128-bit integers, at most `latest`.
private func rounded(_ time: UInt64, _ numerator: UInt64, _ denominator: UInt64) -> UInt64 {
  let half = UInt128(denominator / 2)
  return UInt64(
    min(
      (UInt128(time) * UInt128(numerator) + half) / UInt128(denominator),
      UInt128(latest)))
}

@Suite struct TimelineTests {
  @Test func timesThatAreTooLateAreTheLatest() throws {
    let line = try TestTimeline(capacity: 2, factor: 100)
    #expect(line.output(1 << 62) == latest)
    #expect(line.output(.max - 1) == latest)
    #expect(line.input(.max - 1) == 92_233_720_368_547_758)
    #expect(line.output(noTime) == noTime && line.input(noTime) == noTime)
  }

  /// A pair is an input time and its output time. Between two pairs, times are interpolated
  /// linearly: with slope 3 in this test, although the factor of the first pair is 2.
  @Test func pairsRule() throws {
    let line = try TestTimeline(capacity: 8, factor: 1)
    line.bend(100, 100, 2)
    line.bend(200, 400, 1)
    #expect(line.output(150) == 250 && line.input(250) == 150)
  }

  @Test func replayedRunsAreForgotten() throws {
    let line = try TestTimeline(capacity: 8, factor: 1)
    line.bend(10, 10, 2)
    line.bend(20, 30, 1)
    line.bend(15, 20, 3)
    #expect(line.output(15) == 20 && line.output(20) == 35 && line.output(12) == 14)
    line.bend(0, 0, 0.5)
    #expect(line.output(100) == 50 && line.count == 1)
  }

  @Test func pairsThatWouldGoBackGiveWay() throws {
    let line = try TestTimeline(capacity: 8, factor: 1)
    line.bend(10, 50, 1)
    line.bend(20, 40, 1)
    #expect(line.output(20) == 40 && line.output(10) == 20 && line.input(20) == 10)
  }

  /// If the timeline is empty, the factor that is passed to the call applies. The first call of
  /// `bend` adds the first pair.
  @Test func anEmptyTimelineGoesByTheFactorOfTheCall() throws {
    let line = try TestTimeline(capacity: 4, factor: 3)
    line.timeline.forget()
    #expect(line.output(5, orBy: 0.7) == 4)
    #expect(line.input(7, orBy: 0.7) == 10)
    #expect(line.output(noTime, orBy: 0.7) == noTime)
    line.bend(100, 200, 2)
    #expect(line.output(50) == 100 && line.output(101) == 202 && line.count == 2)
  }

  /// A time stays the same if it is converted back and forth, because the intermediate time is at
  /// least as exact: from input to output and back at factors of at least 1, from output to input
  /// and back at factors below 1.
  @Test(arguments: [0.01, 0.07, 0.5, 0.7, 1 / 1.1, 1, 1.1, 1.5, 3.75, 33.3, 100])
  func thereAndBack(factor: Double) throws {
    let line = try TestTimeline(capacity: 2, factor: factor)
    var generator = SplitMix(seed: 7)
    for _ in 0..<1000 {
      let time = UInt64.random(in: 0...(1 << 56), using: &generator)
      if factor >= 1 {
        #expect(line.input(line.output(time)) == time)
      } else {
        #expect(line.output(line.input(time)) == time)
      }
    }
  }

  @Test func aChainOf512BendsIsExact() throws {
    let factors: [(Double, UInt64, UInt64)] = [
      (0.01, 1, 100), (100, 100, 1), (0.7, 7, 10), (1, 1, 1), (1 / 1.1, 10, 11), (1.5, 3, 2),
    ]
    let line = try TestTimeline(capacity: 513, factor: 1)
    var (input, output): (UInt64, UInt64) = (0, 0)
    var generator = SplitMix(seed: 512)
    var truth: [(UInt64, UInt64)] = []
    for bend in 0..<512 {
      let (factor, numerator, denominator) = factors[bend % factors.count]
      line.bend(input, output, factor)
      for _ in 0..<3 {
        let way = UInt64.random(in: 1...(1 << 44), using: &generator)
        truth.append((input + way, output + rounded(way, numerator, denominator)))
        #expect(line.output(input + way) == truth.last!.1)
      }
      (input, output) = truth.last!
    }
    // pairs stay exact after later ones have been added; every third entry of `truth` is a pair
    for (place, pair) in truth.enumerated() where place % 3 == 2 {
      #expect(line.output(pair.0) == pair.1)
    }
    var last: UInt64 = 0
    for time in stride(from: 0, through: input, by: Int(input / 10_000)) {
      let output = line.output(time)
      #expect(output >= last)
      last = output
      let back = line.output(line.input(output))
      #expect(max(back, output) - min(back, output) <= 100)
    }
  }

  /// Ten thousand pairs are added, with room for 32. The pairs that remain are exact. A dropped
  /// pair is mapped between its neighbours, so times never decrease.
  @Test func memoryIsBounded() throws {
    let line = try TestTimeline(capacity: 32, factor: 1)
    var generator = SplitMix(seed: 31)
    var truth: [(input: UInt64, output: UInt64)] = [(0, 0)]
    for _ in 0..<10_000 {
      let last = truth.last!
      let way = UInt64.random(in: 1...1_000_000, using: &generator)
      let pair = (last.input + way, last.output + way * UInt64.random(in: 0...3, using: &generator))
      line.bend(pair.0, pair.1, 2)
      truth.append(pair)
    }
    #expect(line.count <= 32)
    let kept = (0..<line.count).compactMap { line.timeline.pairs[$0]?.in }
    for pair in truth where kept.contains(pair.input) {
      #expect(line.output(pair.input) == pair.output)
    }
    // the latest pair always remains, and the factor applies after it
    #expect(line.output(truth.last!.input + 5) == truth.last!.output + 10)
    var last: UInt64 = 0
    for pair in truth {
      #expect(line.output(pair.input) >= last)
      last = line.output(pair.input)
    }
  }

  @Test func aFactorOutOfRangeIsTheNearestOne() throws {
    let line = try TestTimeline(capacity: 4, factor: 1000)
    #expect(line.output(3) == 300)
    line.bend(0, 0, -1)
    #expect(line.output(300) == 3)
    line.bend(0, 0, .nan)
    #expect(line.output(300) == 3)
  }

  @Test func timesThatAreTooLateChangeNothing() throws {
    let line = try TestTimeline(capacity: 4, factor: 2)
    line.bend(1 << 63, 1, 1)
    line.bend(1, 1 << 63, 1)
    #expect(line.output(3) == 6 && line.count == 1)
  }

  /// Later times are never converted to earlier ones, whatever pairs of input and output times have
  /// been added to the timeline.
  @Test func timesRise() throws {
    var generator = SplitMix(seed: 41)
    func time() -> UInt64 {
      UInt64.random(in: 0...latest, using: &generator)
        >> UInt64.random(in: 0...62, using: &generator)
    }
    for _ in 0..<200 {
      let line = try TestTimeline(capacity: .random(in: 2...20, using: &generator), factor: 1)
      for _ in 0..<40 {
        let input = time()
        line.bend(
          input, Bool.random(using: &generator) ? time() : line.output(input),
          .random(in: -1...120, using: &generator))
        let (one, other) = (time(), time())
        let (low, high) = (min(one, other), max(one, other))
        #expect(line.output(low) <= line.output(high) && line.input(low) <= line.input(high))
      }
    }
  }
}

@Suite struct ScaledTimeTests {
  /// Halves are rounded up. A factor is treated as the decimal fraction that it prints as: 5 × 0.7
  /// is 3.5, although the double 0.7 is a little less.
  @Test func productsAreExact() {
    #expect(timedsp_scale_time(5, 0.7) == 4 && timedsp_scale_time(1, 0.5) == 1)
    #expect(timedsp_scale_time(1, 0.49) == 0 && timedsp_scale_time(3, 1.0 / 3) == 1)
    #expect(timedsp_scale_time(1 << 62, 0.7) == 3_228_180_212_899_171_533)
    #expect(timedsp_scale_time((1 << 62) + 1, 1.1) == rounded((1 << 62) + 1, 11, 10))
    var generator = SplitMix(seed: 3)
    for _ in 0..<2000 {
      let time = UInt64.random(in: 0...latest, using: &generator)
      let hundredths = UInt64.random(in: 1...10_000, using: &generator)
      #expect(
        timedsp_scale_time(time, Double(hundredths) / 100) == rounded(time, hundredths, 100))
    }
  }

  @Test func theBordersOf63Bits() {
    #expect(timedsp_scale_time(latest, 1) == latest && timedsp_scale_time(.max - 1, 1) == .max - 1)
    #expect(timedsp_scale_time(latest, 2) == latest && timedsp_scale_time(latest, 0.5) == 1 << 62)
    #expect(timedsp_scale_time(1 << 63, 0.5) == 1 << 62)
    #expect(timedsp_scale_time(.max - 1, 0.5) == latest)
    #expect(timedsp_scale_time(92_233_720_368_547_758, 100) == latest - 7)
    #expect(timedsp_scale_time(92_233_720_368_547_759, 100) == latest)
    #expect(timedsp_scale_time(noTime, 2) == noTime)
  }

  @Test func aLineGoesOnOnBothSidesOfItsPair() {
    let line = LinearTimeMap(1000, 1000, 100)
    #expect(line.mapped(1001) == 1100 && line.mapped(995) == 500 && line.mapped(900) == 0)
    #expect(line.mapped(noTime) == noTime && line.mapped(.max - 1) == latest)
    #expect(LinearTimeMap(1000, 1000, 1000).mapped(1001) == 1100)
    #expect(
      LinearTimeMap(1000, 2000, 0.5).mapped(1600) == 2300
        && LinearTimeMap(1600, 2300, 3).mapped(1700) == 2600)
  }

  @Test func aRateIsAbsorbedAsFarAsThereIsRoom() {
    var rate = 2.0
    #expect(absorbing(&rate, 0.5) == 0.25 && rate == 2)
    rate = 1000
    #expect(absorbing(&rate, 1) == 0.01 && rate == 100)
    rate = 0.001
    #expect(absorbing(&rate, 1) == 100 && rate == 0.01)
  }

  /// Converts whole and fractional numbers of frames to nanoseconds. Compares the results with the
  /// same calculation in Swift's wide integers.
  @Test(arguments: [1, 7, 8000, 44100, 48000, 192_000, 10_000_000] as [UInt32])
  func framesBecomeNanoseconds(rate: UInt32) {
    var generator = SplitMix(seed: UInt64(rate))
    for _ in 0..<2000 {
      // a Double represents all multiples of 1/8 up to 2^33 exactly
      let eighths = UInt64.random(in: 0...(1 << 36), using: &generator)
      let (product, divisor) = (UInt128(eighths) * 1_000_000_000, UInt128(rate) * 8)
      #expect(
        timeNs(ofFrames: Double(eighths) / 8, rate: rate)
          == UInt64((2 * product + divisor) / (2 * divisor)))
      let frames = eighths >> 3
      let whole = UInt128(frames) * 1_000_000_000
      #expect(
        timeNsCovering(frames, rate: rate) == UInt64((whole + UInt128(rate) - 1) / UInt128(rate)))
    }
    #expect(timeNsCovering(.max, rate: 1) == .max && timeNs(ofFrames: 0x1p60, rate: 1) == .max)
  }

  /// A stop within a frame is moved to the end of that frame.
  @Test func theLastFramePlaysToItsEnd() {
    let second: UInt64 = 1_000_000_000
    #expect(lastFrameEndNs(from: 0, to: second, rate: 44100) == second)
    // the first frame ends after 22 675.7 ns, rounded up to 22 676 ns
    #expect(lastFrameEndNs(from: 0, to: 22_676, rate: 44100) == 22_676)
    #expect(lastFrameEndNs(from: 0, to: 22_677, rate: 44100) == 45_351)
    #expect(lastFrameEndNs(from: 0, to: 1, rate: 44100) == 1)
    #expect(lastFrameEndNs(from: 0, to: 2, rate: 44100) == 22_675)
    // if the start is within a frame, that frame is played, too
    #expect(lastFrameEndNs(from: 10_000, to: 32_675, rate: 44100) == 10_000 + 45_351)
    #expect(lastFrameEndNs(from: 22_675, to: 45_351, rate: 44100) == 45_351)
    #expect(
      lastFrameEndNs(from: 5, to: 5, rate: 44100) == 5
        && lastFrameEndNs(from: 6, to: 5, rate: 44100) == 5)
    #expect(lastFrameEndNs(from: 0, to: noTime, rate: 44100) == noTime)
    #expect(lastFrameEndNs(from: 0, to: 7, rate: 0) == 7)
    #expect(lastFrameEndNs(from: 0, to: latest, rate: .max) >= latest)
  }
}
