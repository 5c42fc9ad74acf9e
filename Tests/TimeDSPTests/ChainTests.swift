// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// A chain consists of a scaler, a stretcher and a second scaler. Each of these parts exists only
/// while the settings need it.
@Suite struct ChainTests {
  private func input(_ frames: Int, _ channels: Int = 1) -> [Float] {
    var generator = SplitMix(seed: 3)
    return noise(Float.self, frames: frames, channels: channels, using: &generator)
  }

  @Test func `Without another pitch it is one scaler`() throws {
    let frames = input(2000)
    let chain = try TestChain<Float>(factor: 1 / 1.1)
    let scaler = try TestScaler<Float>(
      interpolation: TIMEDSP_SINC, quality: 6, factor: 1 / 1.1)
    #expect(bits(try chain.process(frames) + chain.drain()) == bits(try scaler.run(frames)))
  }

  /// While the factor changes from f0 to f1 within n input frames, the chain outputs 2 n / (1 / f0
  /// + 1 / f1) frames.
  @Test func `A move makes as many frames as the formula says`() throws {
    for keepsPitch in [false, true] {
      let chain = try TestChain<Float>(factor: 1.5, keepsPitch: keepsPitch)
      let before = try chain.process(input(2000))
      let ahead = chain.nextMoveStart
      try chain.ramp(to: 0.5, keepsPitch: keepsPitch, within: 400)
      let start = chain.lastMoveStart
      // a stretcher may begin the change before the announced frame, a scaler begins exactly at it
      #expect(keepsPitch ? start < ahead : start == ahead)
      let after = try chain.process(input(6000)) + chain.drain()
      let due = 1.5 * start + 2 * 400 / (1 / 1.5 + 1 / 0.5) + 0.5 * (8000 - start - 400)
      #expect(abs(Double(before.count + after.count) - due) <= 1)
    }
  }

  @Test(arguments: [0.37, 0.5, 1.1, 1.5, 7.3], [false, true])
  func `Back at factor 1 the input leaves as it came in`(factor: Double, keepsPitch: Bool) throws {
    let frames = input(12_000)
    let chain = try TestChain<Float>(factor: factor, keepsPitch: keepsPitch)
    let first = try chain.process(Array(frames.prefix(2000)))
    try chain.ramp(to: 1, keepsPitch: keepsPitch, within: 40)
    let all = try first + chain.process(Array(frames.dropFirst(2000))) + chain.drain()
    #expect(bits(Array(all.suffix(6000))) == bits(Array(frames.suffix(6000))))
  }

  @Test(arguments: [3.0, -3, 12, -12, 24, -24, 0.1, -0.1, 7.31, -7.31])
  func `Back at 0 semitones the input leaves as it came in`(semitones: Double) throws {
    let frames = input(20_000)
    for (keepsPitch, isChanged) in [(true, false), (false, false), (true, true), (false, true)] {
      let chain = try TestChain<Float>(
        keepsPitch: keepsPitch, semitones: isChanged ? semitones : 0)
      var all = try chain.process(Array(frames.prefix(3001)))
      try chain.ramp(to: 1, keepsPitch: keepsPitch, semitones: semitones, within: 40)
      all += try chain.process(Array(frames[3001..<6000]))
      try chain.ramp(to: 1, keepsPitch: keepsPitch, within: 40)
      all += try chain.process(Array(frames.dropFirst(6000)))
      all += try chain.drain()
      #expect(bits(Array(all.suffix(9000))) == bits(Array(frames.suffix(9000))))
      #expect(all.count == frames.count)
    }
  }

  @Test func `Unchanged frames may be passed through`() throws {
    let frames = input(1000)
    let chain = try TestChain<Float>()
    let source = Planes(interleaved: frames, planes: 1)
    try chain.pass(source, frames: 1000)
    #expect(chain.received == 1000)
    try chain.ramp(to: 2, keepsPitch: false, within: 40)
    #expect(throws: TIMEDSP_BAD_FACTOR) {
      try chain.pass(source, frames: 1000)
    }
  }

  @Test func `Silence is a gap once all that is looked at is silent`() throws {
    let chain = try TestChain<Float>(factor: 1.5, keepsPitch: true)
    #expect(chain.framesBeforeGap == 0)  // before the first frame, the chain counts as silent
    _ = try chain.process(input(10))
    chain.noteSound()
    let needed = 2 * chain.latency + 100
    #expect(chain.framesBeforeGap == needed)
    _ = try chain.process([Float](repeating: 0, count: needed - 1))
    #expect(chain.framesBeforeGap == 1)
    _ = try chain.process([0])
    #expect(chain.framesBeforeGap == 0)
  }

  @Test(arguments: [(0, 0), (.nan, 0), (101, 0), (1, 24.01), (1, .nan), (1, .infinity)])
  func `Values out of range are refused`(factor: Double, semitones: Double) throws {
    #expect(throws: TIMEDSP_BAD_FACTOR) {
      try TestChain<Float>(factor: factor, semitones: semitones)
    }
    let chain = try TestChain<Float>()
    #expect(throws: TIMEDSP_BAD_FACTOR) {
      try chain.ramp(to: factor, keepsPitch: true, semitones: semitones, within: 1)
    }
    #expect(chain.factor == 1)
  }
}
