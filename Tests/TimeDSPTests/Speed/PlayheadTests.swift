// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// A move in exact integers. Positions and speeds are multiples of 2^-20.
struct ExactMove {
  let (start, speed, end, finalSpeed, length): (Int128, Int128, Int128, Int128, Int128)

  /// Output frame `n`, n ≤ `length`, in units of 2^-40 frames, rounded: Hermite's cubic, with a
  /// common denominator.
  func position(_ n: Int128) -> Int128 {
    let distance = end - start
    let bend = 3 * distance - (2 * speed + finalSpeed) * length
    let twist = (speed + finalSpeed) * length - 2 * distance
    let moved = n * n * (bend * length + twist * n)
    return (start + n * speed) << 20 + (moved << 20) / (length * length * length)
  }
}

@Suite struct PlayheadTests {
  static let one = 1 << 20
  static let speeds: [Double] = [-8, -1.5, -1, -0.125, 0, 0.000_976_562_5, 0.5, 1, 3.25, 8]

  private func wide(_ units: Int128) -> Wide {
    Wide(high: Int64(units >> 20), low: UInt64(truncatingIfNeeded: units & (1 << 20 - 1)) << 44)
  }

  private func check(_ playhead: Playhead, _ move: ExactMove) {
    var generator = SplitMix(seed: 57)
    let some = (0..<40).map { _ in Int128.random(in: 0...move.length, using: &generator) }
    for n in [0, 1, 2, move.length / 2, move.length - 1, move.length] + some where n <= move.length
    {
      let position = playhead.position(UInt64(n))
      let units = Int128(position.high) << 40 + Int128(position.low >> 24)
      #expect(abs(units - move.position(n)) <= 1 << 10, "\(n)")
    }
  }

  /// Positions are within 2^-28 frames of those of the formula.
  @Test(arguments: speeds, [1, 7, 4096, 48_000, 1 << 31, 0xFFFF_FFFF])
  func rampsFollowTheirFormula(speed: Double, length: Int) {
    let start = Playhead(at: wide(123_456_789), speed: Wide(speed))
    for target in Self.speeds where abs(target) != 1 && target != speed {
      let playhead = start.ramp(to: Wide(target), within: UInt64(length))
      let (v, w, n) = (Int128(speed * 0x1p20), Int128(target * 0x1p20), Int128(length))
      for k in [0, 1, n / 3, n / 2, n - 1, n] {
        let wanted = (123_456_789 + k * v) << 20 + ((w - v) * k * k) << 20 / (2 * n)
        let position = playhead.position(UInt64(k))
        let units = Int128(position.high) << 40 + Int128(position.low >> 24)
        #expect(abs(units - wanted) <= 1 << 12, "\(k)")
      }
      let after = [0, 5].map { playhead.position(UInt64(n) + $0).value }
      #expect(after[1] - after[0] == 5 * target)
      #expect(playhead.speed(UInt64(n)) == Wide(target))
      let middle = playhead.speed(UInt64(n / 2)).value
      let wanted = speed + (target - speed) * Double(n / 2) / Double(n)
      #expect(abs(middle - wanted) < 1e-9)
    }
  }

  /// A ramp to speed 1 or -1 ends on a whole frame, at most half a frame from where it would end,
  /// and with the formula's positions.
  @Test(arguments: speeds, [0, 1, 63, 64, 1000, 48_000])
  func rampsToUnitSpeedEndOnAFrame(speed: Double, length: Int) {
    for target in [1.0, -1] where target != speed {
      let start: Int128 = 777 << 20 + 311_111
      let playhead = Playhead(at: wide(start), speed: Wide(speed))
        .ramp(to: Wide(target), within: UInt64(length))
      let n = Int128(max(length, 64))
      #expect(playhead.framesLeft == UInt64(n))
      let end = playhead.position(UInt64(n))
      #expect(end.low == 0)
      let plain = Double(start) * 0x1p-20 + (speed + target) / 2 * Double(n)
      #expect(abs(end.value - plain) <= 0.5)
      check(
        playhead,
        ExactMove(
          start: start, speed: Int128(speed * 0x1p20), end: Int128(end.high) << 20,
          finalSpeed: Int128(target * 0x1p20), length: n))
      for k in 0..<UInt64(n) {
        let linear = speed + (target - speed) * Double(k) / Double(n)
        #expect(abs(playhead.speed(k).value - linear) <= 0.75 / Double(n) + 1e-12)
      }
    }
  }

  /// A settled speed is the simplest fraction of its `Double`, and positions never drift from it.
  @Test(arguments: [(13, 10), (-13, 10), (-79, 10), (1, 3), (7, 4096), (-22, 7), (3, 2)])
  func settledSpeedsAreFractions(numerator: Int, denominator: Int) {
    let start: Int128 = 5 << 20 + 77_777
    let playhead = Playhead(
      at: wide(start), speed: Wide(Double(numerator) / Double(denominator)))
    for n in [0, 1, 2, 9, 10, 12_345, 1 << 40 + 1, 1 << 50] as [Int128] {
      let wanted = start << 44 + (n * Int128(numerator)) << 64 / Int128(denominator)
      let position = playhead.position(UInt64(n))
      let units = Int128(position.high) << 64 + Int128(position.low)
      #expect(abs(units - wanted) <= 4, "\(n)")
    }
  }

  @Test func onAFrameTheDirectionTurnsAtOnce() {
    let playhead = Playhead(at: Wide(high: 40, low: 0), speed: Wide(1))
    let turned = playhead.ramp(to: Wide(-1), within: 0)
    #expect(turned.isSettled && turned.position(3) == Wide(high: 37, low: 0))
    #expect(playhead.ramp(to: Wide(1), within: 5000).isSettled)
  }

  /// A scrub ends in the right place and at the right speed, follows the cubic, and is never too
  /// fast.
  @Test(arguments: speeds, [-300_000, -700, 0, 1, 64, 5000])
  func scrubsFollowTheirFormula(speed: Double, distance: Int) throws {
    let start: Int128 = 400_000 << 20 + 99_999
    let from = Playhead(at: wide(start), speed: Wide(speed))
    for (length, final) in [(0, 0.0), (480, 0), (480, -8), (4800, 1)] {
      let frame = Int64(400_000 + distance)
      let playhead = try #require(
        from.scrub(to: frame, within: UInt64(length), Wide(final)))
      let n = Int128(playhead.framesLeft)
      #expect(n >= max(length, 1))
      #expect(playhead.position(UInt64(n)) == Wide(high: frame, low: 0))
      let move = ExactMove(
        start: start, speed: Int128(speed * 0x1p20), end: Int128(frame) << 20,
        finalSpeed: Int128(final * 0x1p20), length: n)
      check(playhead, move)
      let fastest = (0..<UInt64(n)).map { abs(playhead.speed($0).value) }.max() ?? 0
      #expect(fastest <= 8 + 1e-9)
      // not longer than necessary by more than a quarter
      if n > Int128(max(length, 8)) { #expect(fastest > 6) }
    }
    #expect(from.scrub(to: 1 << 50, within: 0, .zero) == nil)
  }

  /// A move that interrupts another begins at its position and at its speed.
  @Test func movesContinueFromOthers() {
    var generator = SplitMix(seed: 571)
    var playhead = Playhead(at: .zero, speed: .zero)
    for _ in 0..<500 {
      let (position, speed) = (playhead.position().value, playhead.speed().value)
      let length = UInt64.random(in: 1...300, using: &generator)
      let target = Double.random(in: -8...8, using: &generator)
      playhead = playhead.ramp(to: Wide(target), within: length)
      let n = UInt64.random(in: 0...400, using: &generator)
      var left = n
      while left > 0 {
        let step = min(left, playhead.isSettled ? left : playhead.framesLeft)
        playhead.advance(step)
        left -= step
      }
      let (moved, rest) = (Double(min(n, length)), Double(n) - Double(min(n, length)))
      let reached = speed + (target - speed) * moved / Double(length)
      #expect(abs(playhead.speed().value - reached) < 1e-12)
      let wanted = position + (speed + reached) / 2 * moved + rest * target
      #expect(abs(playhead.position().value - wanted) < 1e-9)
    }
  }
}
