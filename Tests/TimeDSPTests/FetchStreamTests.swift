// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSP

/// Whatever the stream and the plan: each frame is heard exactly once, in
/// order. Each case is a random stream played by a random plan.
@Suite struct FetchStreamTests {
  static let cases = 600

  /// A random player, of a stream whose end is known or not.
  private func player(
    _ generator: inout SplitMix, knowsEnd: Bool = false
  ) -> SimulatedPlayer {
    let longest = [0, 1, 2, 30, 300, 4_000].randomElement(using: &generator) ?? 0
    let length = Int64.random(in: 0...Int64(longest), using: &generator)
    let limits = TimeDSPFetchLimits.random(end: knowsEnd ? length : -1, using: &generator)
    // Without an overlap no shift can be told; two takes may be off both ways.
    let farthest = limits.overlap_frames == 0 ? 0 : limits.search_frames / 2
    let stream = SimulatedStream(
      length: length, rate: limits.rate, settling: limits.preroll_frames, farthest: farthest,
      generator: SplitMix(seed: generator.next()))
    return SimulatedPlayer(stream: stream, limits: limits)
  }

  private func sounds(_ frames: some Sequence<Int64>) -> [Int32] {
    frames.map(SimulatedStream.sound)
  }

  private enum Estimate: CaseIterable { case right, tooShort, tooLong, farTooLong, absent }

  @Test(arguments: 0..<5)
  func everyFrameIsHeardOnceInFallingOrder(which: Int) throws {
    let estimate = Estimate.allCases[which]
    var generator = SplitMix(seed: 10 + UInt64(which))
    for index in 0..<Self.cases {
      var player = player(&generator)
      let length = player.stream.length
      let error = Int64.random(in: 1...1_000, using: &generator)
      let guess =
        switch estimate {
        case .right: length
        case .tooShort: max(length - error, 0)
        case .tooLong: length + error
        case .farTooLong: length + error << 30
        case .absent: Int64(0)
        }
      try player.playBackward(estimate: guess)
      #expect(player.heard == sounds((0..<length).reversed()), "case \(index)")
    }
  }

  @Test func aKnownEndIsWherePlayStarts() throws {
    var generator = SplitMix(seed: 19)
    for index in 0..<Self.cases {
      var player = player(&generator, knowsEnd: true)
      let length = player.stream.length
      try player.playBackward(from: length)
      #expect(player.heard == sounds((0..<length).reversed()), "case \(index)")
    }
  }

  @Test(arguments: [false, true])
  func everyFrameIsHeardOnceInRisingOrder(knowsEnd: Bool) throws {
    var generator = SplitMix(seed: 20)
    for index in 0..<Self.cases {
      var player = player(&generator, knowsEnd: knowsEnd)
      try player.playForward(from: 0)
      #expect(player.heard == sounds(0..<player.stream.length), "case \(index)")
    }
  }

  @Test(arguments: [false, true])
  func playMayStartAnywhere(knowsEnd: Bool) throws {
    var generator = SplitMix(seed: 21)
    for index in 0..<Self.cases {
      let player = player(&generator, knowsEnd: knowsEnd)
      let (length, farthest) = (player.stream.length, player.stream.farthest)
      guard length > farthest else { continue }
      let edge = Int64.random(in: 0...length - farthest, using: &generator)
      var backward = player
      try backward.playBackward(from: edge)
      // The numbers of the first take stand for the place that is meant.
      let before = Int64(backward.heard.count)
      #expect(abs(before - edge) <= farthest, "case \(index)")
      #expect(backward.heard == sounds((0..<before).reversed()), "case \(index)")
      var forward = player
      try forward.playForward(from: edge)
      let behind = Int64(forward.heard.count)
      #expect(abs(length - behind - edge) <= farthest, "case \(index)")
      #expect(forward.heard == sounds(length - behind..<length), "case \(index)")
    }
  }
}
