// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSP

/// Changes of duration and pitch through the public API.
@Suite struct TimeScalerTests {
  private func scaled<Sample: AudioSample>(
    _ audio: [Sample], _ scaler: consuming TimeScaler<Sample>, pieces: Int
  ) throws -> [Sample] {
    var made: [Sample] = []
    let (frames, channels) = (audio.count / scaler.channels, scaler.channels)
    for piece in 0..<pieces {
      let (from, to) = (frames * piece / pieces, frames * (piece + 1) / pieces)
      made += try scaler.process(Array(audio[from * channels..<to * channels]))
    }
    return try made + scaler.finish()
  }

  @Test(arguments: [0.7, 1, 1.5])
  func aPitchThatFollowsTheSpeedIsThatOfTheCore(factor: Double) throws {
    let audio = OddReader.sound(frames: 3_000, channels: 2).map { Int16($0 * 30_000) }
    let expected = try TestScaler<Int16>(
      channels: 2, interpolation: TIMEDSP_SINC, quality: 6, factor: factor
    ).run(audio)
    for pieces in [1, 7, 100] {
      let scaler = try TimeScaler<Int16>(
        factor: factor, pitch: .followsSpeed, sampleRate: 8_000, channels: 2)
      #expect(try scaled(audio, scaler, pieces: pieces) == expected)
    }
  }

  @Test(arguments: [0.5, 0.8, 1, 1.25, 3])
  func aKeptPitchIsThatOfTheElement(factor: Double) throws {
    let audio = OddReader.sound(frames: 9_000, channels: 2)
    let element = try TestChain(Float.self, channels: 2, factor: factor, keepsPitch: true)
    let expected = try element.process(audio) + element.drain()
    #expect(expected.count == 2 * Int(9_000 * factor))
    for pieces in [1, 7, 100] {
      let scaler = try TimeScaler<Float>(
        factor: factor, sampleRate: 8_000, channels: 2, window: .music)
      #expect(try scaled(audio, scaler, pieces: pieces) == expected)
    }
  }

  @Test func formantsAreThoseOfTheElement() throws {
    let audio = OddReader.sound(frames: 9_000, channels: 2)
    for (areKept, semitones) in [(true, 0.0), (false, 3), (true, -5)] {
      let element = try TestChain(
        Float.self, channels: 2, keepsPitch: true, semitones: 4,
        formants: TestFormants(areKept: areKept, semitones: semitones))
      let expected = try element.process(audio) + element.drain()
      let made = try TimeScaler.scaled(
        audio, by: 1,
        pitch: Pitch(
          isKept: true, semitones: 4, formants: areKept ? .keep : .follow,
          formantSemitones: semitones), sampleRate: 8_000, channels: 2, window: .music)
      #expect(made == expected)
    }
  }

  @Test(arguments: StretchWindow.allCases, [(0.75, 0.0), (1.5, 0), (1, 12), (1.5, -12)])
  func aToneComesOutWhereItsPitchIsMoved(
    window: StretchWindow, asked: (factor: Double, semitones: Double)
  ) throws {
    let tone = 2 * Double.pi * 500 / 48_000
    let made = try TimeScaler.scaled(
      sine(tone, frames: 48_000), by: asked.factor, pitch: .kept(semitones: asked.semitones),
      sampleRate: 48_000, window: window)
    #expect(made.count == Int(48_000 * asked.factor))
    let moved = asked.semitones == 0 ? tone : asked.semitones > 0 ? 2 * tone : tone / 2
    let fit = SineFit(Array(made[made.count / 4..<made.count * 3 / 4]), frequency: moved)
    #expect(fit.sndr > 40)
    #expect(abs(fit.amplitude - 0.5) < 0.03)
  }

  @Test func aMovingFactorFollowsTheFormula() throws {
    let audio = OddReader.sound(frames: 24_000, channels: 1)
    for pitch in [Pitch.followsSpeed, .kept] {
      var scaler = try TimeScaler<Float>(factor: 1, pitch: pitch, sampleRate: 8_000)
      try scaler.setFactor(0.5, rampFrames: 24_000)
      let made = try scaler.process(audio).count + scaler.finish().count
      // X input frames become 2 X / (v0 + v1) frames while the speed, 1 / factor, changes from v0
      // to v1
      #expect(abs(made - 16_000) <= 1)
      #expect(scaler.factor == 0.5 && scaler.pitch == pitch)
    }
  }

  @Test func aSmallOutputIsFilled() throws {
    let audio = OddReader.sound(frames: 6_000, channels: 2)
    var scaler = try TimeScaler<Float>(factor: 2, sampleRate: 8_000, channels: 2)
    var output = [Float](repeating: 0, count: 200)
    var made: [Float] = []
    var left = audio[...]
    var hasMore = false
    while !left.isEmpty || hasMore {
      var target = output.mutableSpan
      let progress = try scaler.process(Array(left).span, into: &target)
      made += output[..<(progress.produced * 2)]
      left = left.dropFirst(progress.consumed * 2)
      hasMore = progress.hasMore
    }
    while true {
      var target = output.mutableSpan
      let count = try scaler.finish(into: &target)
      if count == 0 { break }
      made += output[..<(count * 2)]
    }
    #expect(try made == TimeScaler.scaled(audio, by: 2, sampleRate: 8_000, channels: 2))
  }

  @Test func resetRestarts() throws {
    let audio = OddReader.sound(frames: 3_000, channels: 1)
    var scaler = try TimeScaler<Float>(factor: 0.9, sampleRate: 8_000)
    let once = try scaler.process(audio) + scaler.finish()
    #expect(throws: RetrogradeError.hasFinished) { try scaler.process(audio) }
    try scaler.reset()
    let again = try scaler.process(audio) + scaler.finish()
    #expect(again == once && again.count == 2_700)
    let latency = scaler.latencyFrames
    #expect(latency >= 512)
  }

  @Test func itGoesFromThreadToThread() async throws {
    let audio = OddReader.sound(frames: 3_000, channels: 1)
    let scaler = try TimeScaler<Float>(factor: 1.1, sampleRate: 8_000)
    let made = try await elsewhere(scaler, audio)
    #expect(made.count == 3_300)
  }

  @concurrent private func elsewhere(
    _ scaler: consuming sending TimeScaler<Float>, _ audio: [Float]
  ) async throws -> [Float] {
    try scaler.process(audio) + scaler.finish()
  }

  private func planes(_ audio: [Float], channels: Int) -> [[Float]] {
    (0..<channels).map { channel in
      stride(from: channel, to: audio.count, by: channels).map { audio[$0] }
    }
  }

  @Test(arguments: [Pitch.kept, .followsSpeed])
  func planesAreThoseOfInterleavedAudio(pitch: Pitch) throws {
    let audio = OddReader.sound(frames: 6_000, channels: 3)
    let expected = planes(
      try TimeScaler.scaled(audio, by: 1.3, pitch: pitch, sampleRate: 8_000, channels: 3),
      channels: 3)
    var scaler = try TimeScaler<Float>(
      factor: 1.3, pitch: pitch, sampleRate: 8_000, channels: 3, layout: .planar)
    var made = try scaler.process(planes: planes(Array(audio.prefix(3_000)), channels: 3))
    let rest = [
      try scaler.process(planes: planes(Array(audio.dropFirst(3_000)), channels: 3)),
      try scaler.finishPlanes(),
    ]
    for more in rest { for channel in 0..<3 { made[channel] += more[channel] } }
    #expect(made == expected)
  }

  @Test func pointersToPlanesAreFilled() throws {
    let audio = OddReader.sound(frames: 2_000, channels: 2)
    let expected = planes(
      try TimeScaler.scaled(
        audio, by: 0.8, pitch: .followsSpeed, sampleRate: 8_000, channels: 2), channels: 2)
    var scaler = try TimeScaler<Float>(
      factor: 0.8, pitch: .followsSpeed, sampleRate: 8_000, channels: 2, layout: .planar)
    var (left, right) = (planes(audio, channels: 2)[0], planes(audio, channels: 2)[1])
    var output = [Float](repeating: 0, count: 400)
    var made: [[Float]] = [[], []]
    var used = 0
    try left.withUnsafeMutableBufferPointer { left in
      try right.withUnsafeMutableBufferPointer { right in
        try output.withUnsafeMutableBufferPointer { output in
          let (one, other, to) = try (
            #require(left.baseAddress), #require(right.baseAddress), #require(output.baseAddress)
          )
          let targets = [to, to + 200]
          try targets.withUnsafeBufferPointer { targets in
            var count = 1
            while count > 0 {
              if used < 2_000 {
                let progress = try [one + used, other + used].withUnsafeBufferPointer {
                  try scaler.process(planes: $0, frames: 2_000 - used, into: targets, capacity: 200)
                }
                (used, count) = (used + progress.consumed, progress.produced)
              } else {
                count = try scaler.finish(into: targets, capacity: 200)
              }
              made[0] += output[..<count]
              made[1] += output[200..<200 + count]
            }
          }
        }
      }
    }
    #expect(made == expected)
  }

  @Test func aSequenceOfBlocksIsScaled() async throws {
    let audio = planes(OddReader.sound(frames: 6_000, channels: 2), channels: 2)
    var whole = try TimeScaler<Float>(factor: 1.5, sampleRate: 8_000, channels: 2, layout: .planar)
    let (first, rest) = (try whole.process(planes: audio), try whole.finishPlanes())
    let blocks = AsyncStream { stream in
      for start in stride(from: 0, to: 6_000, by: 700) {
        let part = audio.map { Array($0[start..<min(start + 700, 6_000)]) }
        stream.yield(AudioBlock(sampleRate: 8_000, planes: part))
      }
      stream.finish()
    }
    var made: [[Float]] = [[], []]
    for try await block in blocks.timeScaled(by: 1.5) {
      #expect(block.sampleRate == 8_000 && block.frames > 0)
      for channel in 0..<2 { made[channel] += block.planes[channel] }
    }
    #expect(made == [first[0] + rest[0], first[1] + rest[1]])
  }

  @Test func blocksOfAnotherFormatAreRefused() async throws {
    let blocks = AsyncStream { stream in
      stream.yield(AudioBlock(sampleRate: 8_000, planes: [[0, 1]]))
      stream.yield(AudioBlock(sampleRate: 44_100, planes: [[0, 1]]))
      stream.finish()
    }
    await #expect(throws: RetrogradeError.otherFormat) {
      for try await _ in blocks.timeScaled(by: 1.5) {}
    }
  }

  @Test func whatCannotBeIsRefused() throws {
    for factor in [0, -1, 101, Double.nan, .infinity] {
      #expect(throws: RetrogradeError.badFactor) {
        _ = try TimeScaler<Float>(factor: factor, sampleRate: 48_000)
      }
    }
    for semitones in [24.1, -25, .nan, .infinity] {
      #expect(throws: RetrogradeError.self) {
        _ = try TimeScaler<Float>(
          factor: 1, pitch: .kept(semitones: semitones), sampleRate: 48_000)
      }
    }
    for semitones in [24.1, -25, .nan] {
      #expect(throws: RetrogradeError.self) {
        _ = try TimeScaler<Float>(
          factor: 1, pitch: Pitch(isKept: true, formantSemitones: semitones), sampleRate: 48_000)
      }
    }
    for rate in [0, -1, Int.max] {
      #expect(throws: RetrogradeError.badSampleRate) {
        _ = try TimeScaler<Float>(factor: 1, sampleRate: rate)
      }
    }
    for channels in [0, -1, 1_025, Int.max] {
      #expect(throws: RetrogradeError.badChannels) {
        _ = try TimeScaler<Float>(factor: 1, sampleRate: 48_000, channels: channels)
      }
    }
    #expect(throws: RetrogradeError.badQuality) {
      _ = try TimeScaler<Float>(
        factor: 1, sampleRate: 48_000, interpolation: .sinc(quality: 11))
    }
    var planar = try TimeScaler<Float>(factor: 1, sampleRate: 8_000, channels: 2, layout: .planar)
    #expect(throws: RetrogradeError.isPlanar) { try planar.process([1, 2]) }
    #expect(throws: RetrogradeError.badLength) { try planar.process(planes: [[1], [2, 3]]) }
    #expect(throws: RetrogradeError.badChannels) { try planar.process(planes: [[1]]) }
    var scaler = try TimeScaler<Float>(factor: 1, sampleRate: 48_000, channels: 2)
    #expect(throws: RetrogradeError.isInterleaved) { try scaler.process(planes: [[1], [2]]) }
    #expect(throws: RetrogradeError.badLength) { try scaler.process([1, 2, 3]) }
    #expect(throws: RetrogradeError.badFrameCount) { try scaler.maximumOutput(of: -1) }
    #expect(throws: RetrogradeError.badFrameCount) { try scaler.setFactor(1, rampFrames: -1) }
    #expect(throws: RetrogradeError.badFactor) { try scaler.setFactor(101) }
    #expect(throws: RetrogradeError.self) { try scaler.setFactor(1, pitch: .kept(semitones: 30)) }
    let factor = scaler.factor
    #expect(factor == 1)
  }
}
