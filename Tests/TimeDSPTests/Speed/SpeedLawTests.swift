// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

@Suite struct SpeedLawTests {
  private func source<S: TestSample>(_: S.Type, _ frames: Int, _ channels: Int = 1) -> [S] {
    var generator = SplitMix(seed: 58)
    return noise(S.self, frames: frames, channels: channels, using: &generator)
  }

  /// After a ramp to 1 or -1, the output is the input, bit for bit, up to its end.
  @Test(arguments: [1.0, -1], [0, 700])
  func unitSpeedCopies(speed: Double, frames: Int) throws {
    try copies(Int16.self, speed, frames)
    try copies(Int32.self, speed, frames)
    try copies(Float.self, speed, frames)
    try copies(Double.self, speed, frames)
  }

  /// Once the speed has settled, no frames of the move are left, however it was read.
  @Test(arguments: [40, 41, 100])
  func settledHasNoFramesLeft(read: Int) throws {
    let reader = try TestSpeedReader(source(Float.self, 3000))
    try reader.start(100, 1.5)
    try reader.ramp(2, 40)
    _ = try reader.read(30)
    #expect(reader.state.frames_left == 10)
    _ = try reader.read(read - 30)
    #expect(reader.state.frames_left == 0)
    _ = try reader.read(10)
    #expect(reader.state.frames_left == 0)
  }

  private func copies<S: TestSample>(_: S.Type, _ speed: Double, _ frames: Int) throws {
    let source = source(S.self, 3000, 2)
    let reader = try TestSpeedReader(source, channels: 2, quality: 3, fade: 30)
    try reader.start(1500, 0.37)
    _ = try reader.read(99)
    try reader.ramp(speed, frames)
    #expect(reader.state.is_exact == 0)
    _ = try reader.read(Int(reader.state.frames_left))
    #expect(reader.state.is_exact != 0 && reader.state.fraction == 0)
    let first = Int(reader.state.frame)
    let output = try reader.read(5000)
    #expect(reader.state.edge == (speed > 0 ? 1 : -1))
    if speed > 0 { return #expect(bits(output) == bits(Array(source[(2 * first)...]))) }
    let reversed = (0...first).reversed().flatMap { [source[2 * $0], source[2 * $0 + 1]] }
    #expect(bits(output) == bits(reversed))
  }

  /// One performance: every kind of move, ends of the stream, rest, and exact copies.
  private func perform<S: TestSample>(
    _ reader: TestSpeedReader<S>, _ read: (Int) throws -> [S]
  ) throws -> [S] {
    var output: [S] = []
    try reader.start(20, -1)
    output += try read(35)  // runs into the start, and rests there
    try reader.ramp(1.5, 90)
    output += try read(200)
    try reader.ramp(-2.5, 300)
    output += try read(200)
    try reader.scrub(900, 400)
    output += try read(500)
    try reader.ramp(-8, 200)
    output += try read(100)
    try reader.ramp(1, 50)
    output += try read(200)
    try reader.ramp(0.77)
    output += try read(100)
    try reader.ramp(3)
    return output + (try read(500))  // runs into the end
  }

  /// The output doesn't depend on how it's divided into blocks, or on how much of the source is
  /// passed.
  @Test(arguments: [2, 6], [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR])
  func cutsChangeNothing(quality: Int, layout: TimeDSPLayout) throws {
    try cuts(Int16.self, 1, layout, quality)
    try cuts(Int32.self, 2, layout, quality)
    try cuts(Float.self, 3, layout, quality)
    try cuts(Double.self, 2, layout, quality)
  }

  private func cuts<S: TestSample>(
    _: S.Type, _ channels: Int, _ layout: TimeDSPLayout, _ quality: Int
  ) throws {
    let source = source(S.self, 1500, channels)
    let make = {
      try TestSpeedReader(
        source, channels: channels, layout: layout, quality: quality, fade: 40)
    }
    // an edge ends a call
    let all = { (reader: TestSpeedReader<S>) in
      { (frames: Int) in
        var output: [S] = []
        while output.count < frames * channels {
          output += try reader.read(frames - output.count / channels)
        }
        return output
      }
    }
    let one = try make()
    let whole = try perform(one, all(one))
    var generator = SplitMix(seed: 59)
    let other = try make()
    let cut = try perform(other) { frames in
      var output: [S] = []
      while output.count < frames * channels {
        let left = min(
          Int.random(in: 1...70, using: &generator), frames - output.count / channels)
        let needs = other.needs(left)
        #expect(needs.lowerBound >= 0 && needs.upperBound <= 1500)
        let made = try other.read(left, needs)
        if other.state.edge == 0 { #expect(made.count == left * channels) }
        output += made
      }
      return output
    }
    #expect(bits(whole) == bits(cut))
    #expect(one.state.edge == 1 && other.state.edge == 1)
  }

  /// Each channel is processed as if it were alone, in each layout.
  @Test func channelsAreIndependent() throws {
    let mono = source(Float.self, 1500)
    let many: [Float] = mono.flatMap { [$0, -$0, $0, 0, $0] }
    let alone = try TestSpeedReader(mono, fade: 40)
    let wanted = try perform(alone) { try alone.read($0) }
    for layout in [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR] {
      let reader = try TestSpeedReader(many, channels: 5, layout: layout, fade: 40)
      let output = try perform(reader) { try reader.read($0) }
      for channel in [0, 2, 4] {
        let one = stride(from: channel, to: output.count, by: 5).map { output[$0] }
        #expect(bits(one) == bits(wanted))
      }
    }
  }

  /// You can't leave out any of the frames that are needed.
  @Test(arguments: [-8, -1, -0.3, 0.5, 1, 2.5])
  func lateFramesAreWaitedFor(speed: Double) throws {
    let source = source(Float.self, 4000)
    let (whole, late) = (try TestSpeedReader(source), try TestSpeedReader(source))
    for reader in [whole, late] { try reader.start(2000, speed) }
    let wanted = try whole.read(200)
    let needs = late.needs(100)
    let short =
      speed > 0
      ? needs.lowerBound..<needs.upperBound - 1 : needs.lowerBound + 1..<needs.upperBound
    var output = try late.read(100, short)
    #expect(output.count < 100)
    #expect(output.count >= (abs(speed) < 1 ? 95 : 99))
    let position = late.position
    #expect(try late.read(100, short).isEmpty)
    #expect(try late.read(100, 0..<0).isEmpty)
    #expect(late.position == position)
    output += try late.read(200 - output.count)
    #expect(bits(output) == bits(wanted))
  }

  /// After a gap, the position continues where it was, and the sound fades in.
  @Test func afterAGapTheSoundFadesIn() throws {
    let source = [Double](repeating: 0.5, count: 4000)
    let reader = try TestSpeedReader(source, fade: 100)
    try reader.start(1000, 0.5)
    _ = try reader.read(100)
    reader.wait()
    let output = try reader.read(200)
    #expect(reader.position == 1150)
    #expect(output[0] == 0 && zip(output, output.dropFirst()).allSatisfy { $0 <= $1 + 1e-12 })
    #expect(abs(output[150] - 0.5) < 1e-12)
  }

  /// At rest, a constant fades out, and afterwards in again, without any step that's steeper than
  /// the fade.
  @Test func restIsSilent() throws {
    let source = [Double](repeating: 1, count: 8000)
    let reader = try TestSpeedReader(source, fade: 400)
    try reader.start(2000, 1)
    var output = try reader.read(50)
    try reader.ramp(0, 1000)
    output += try reader.read(2000)
    #expect(reader.state.is_silent != 0 && reader.needs(100).isEmpty)
    #expect(output[1900...].allSatisfy { $0 == 0 })
    try reader.ramp(1)
    #expect(reader.state.is_exact == 0)
    output += try reader.read(1000)
    #expect(reader.state.is_exact != 0 && output.last == 1)
    let steps = zip(output, output.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max() ?? 1 < 1.51 / 400)
    // a turn without rest keeps its level
    try reader.ramp(-1, 100)
    #expect(try reader.read(100).allSatisfy { abs($0 - 1) < 1e-9 })
  }

  /// Beyond its ends, a source is silent, and the position stops on its last or first frame.
  @Test func edgesStop() throws {
    let source = [Double](repeating: 1, count: 3000)
    for (speed, edge, frame) in [(1.5, 1, 2999), (-1.5, -1, 0)] {
      let reader = try TestSpeedReader(source, fade: 100)
      try reader.start(1500, speed)
      #expect(try reader.read(2000).count == (speed > 0 ? 1000 : 1001))
      #expect(reader.state.edge == edge && reader.state.frame == frame && reader.state.speed == 0)
      #expect(try reader.read(10) == [Double](repeating: 0, count: 10))
      try reader.ramp(-speed, 10)
      #expect(reader.state.edge == 0)
      #expect(try reader.read(200).count == 200)
    }
    // frames outside the limits are silent, even if they are passed
    let (limited, short) = (
      try TestSpeedReader(source), try TestSpeedReader([Double](source[..<2000]))
    )
    limited.limit(0, 2000)
    try limited.start(1900, 1.25)
    try short.start(1900, 1.25)
    #expect(bits(try limited.read(100)) == bits(try short.read(100)))
  }

  /// Another quality continues at the same position, in the same move.
  @Test func aReaderContinuesAnother() throws {
    let source = source(Float.self, 4000)
    let reader = try TestSpeedReader(source, quality: 6, fade: 10)
    try reader.start(500, 1)
    try reader.ramp(-2, 1000)
    _ = try reader.read(300)
    let next = try TestSpeedReader(source, quality: 6, fade: 10, continuing: reader)
    #expect(next.position == reader.position && next.state.frames_left == 700)
    #expect(bits(try next.read(2000)) == bits(try reader.read(2000)))
    #expect(next.state.edge == -1)
    // the level is kept, even if the other one does not fade
    let still = try TestSpeedReader(source, fade: 0, continuing: next)
    try still.ramp(0.5)
    #expect(try still.read(100).allSatisfy(\.isFinite))
  }

  /// S16 and S32 are the result of F64, rounded, whether the speed is settled or moves.
  @Test(arguments: [0.7, -1.5, 8], [3, 6])
  func wholeNumbersAreRounded(speed: Double, quality: Int) throws {
    try rounds(Int16.self, speed, quality)
    try rounds(Int32.self, speed, quality)
  }

  private func rounds<S: TestSample>(_: S.Type, _ speed: Double, _ quality: Int) throws {
    let source = source(S.self, 30_000)
    let exact = try TestSpeedReader(source.map(\.value), quality: quality)
    let whole = try TestSpeedReader(source, quality: quality)
    try exact.start(15_000, speed)
    try whole.start(15_000, speed)
    #expect(try whole.read(1500) == exact.read(1500).map(S.init(model:)))
    try exact.ramp(-0.4, 1500)
    try whole.ramp(-0.4, 1500)
    #expect(try whole.read(1500) == exact.read(1500).map(S.init(model:)))
  }

  @Test func wrongArgumentsAreRefused() throws {
    let reader = try TestSpeedReader([Float](repeating: 0, count: 10))
    for speed in [(8.0).nextUp, -9, .nan, .infinity] {
      #expect(throws: UnexpectedStatus.self) { try reader.start(0, speed) }
      #expect(throws: UnexpectedStatus.self) { try reader.ramp(speed, 10) }
      #expect(throws: UnexpectedStatus.self) { try reader.scrub(0, 10, speed) }
    }
    #expect(throws: UnexpectedStatus.self) { try reader.ramp(1, 1 << 32) }
    #expect(throws: UnexpectedStatus.self) { try reader.start(1 << 53 + 1, 1) }
    #expect(throws: UnexpectedStatus.self) { try reader.scrub(1 << 50, 10) }
    var state = TimeSpeedState()
    #expect(timespeed_ramp(nil, 1, 0, &state) == TIMEDSP_NULL_POINTER)
    #expect(timespeed_read(nil, nil, 0, 0, nil, 0, &state) == TIMEDSP_NULL_POINTER)
    timespeed_free(nil)
    #expect(throws: UnexpectedStatus.self) { try TestSpeedReader([Float](), quality: 11) }
  }
}
