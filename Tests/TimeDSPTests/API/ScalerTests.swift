// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSP

/// Scaling through the public API, compared with formulas.
@Suite struct ScalerTests {
  private func scaled(
    _ audio: [Float], _ channels: Int, _ factor: Double, pieces: Int
  ) throws -> [Float] {
    var scaler = try Scaler<Float>(factor: factor, channels: channels, interpolation: .linear)
    var made: [Float] = []
    let frames = audio.count / channels
    for piece in 0..<pieces {
      let (from, to) = (frames * piece / pieces, frames * (piece + 1) / pieces)
      made += try scaler.process(Array(audio[from * channels..<to * channels]))
    }
    return try made + scaler.finish()
  }

  /// The frames are those of the core, for every interpolation.
  @Test(arguments: [
    (Interpolation.nearest, TIMEDSP_NEAREST), (.linear, TIMEDSP_LINEAR), (.smooth, TIMEDSP_SMOOTH),
    (.cubic, TIMEDSP_CUBIC), (.sinc, TIMEDSP_SINC),
  ])
  func theFramesAreThoseOfTheCore(interpolation: Interpolation, code: TimeDSPInterpolation) throws {
    let audio = OddReader.sound(frames: 500, channels: 3)
    let core = try TestScaler<Float>(
      channels: 3, interpolation: code, quality: 6, factor: 1.2)
    var scaler = try Scaler<Float>(factor: 1.2, channels: 3, interpolation: interpolation)
    let made = try scaler.process(audio) + scaler.finish()
    #expect(try bits(made) == bits(core.run(audio)))
  }

  @Test func fittedAudioKeepsItsEnds() throws {
    let ramp = (0..<11).map { Double($0) }
    #expect(
      try Scaler.fitted(ramp, to: 21, interpolation: .linear) == (0..<21).map { Double($0) / 2 })
    #expect(try Scaler.fitted(ramp, to: 3, interpolation: .linear) == [0, 5, 10])
    #expect(try Scaler.fitted(ramp, to: 0).isEmpty)
  }

  @Test func aSmallOutputIsFilled() throws {
    let audio = OddReader.sound(frames: 300, channels: 2)
    var scaler = try Scaler<Float>(factor: 2, channels: 2, interpolation: .linear)
    var output = [Float](repeating: 0, count: 20)
    var made: [Float] = []
    var left = audio[...]
    while !left.isEmpty {
      var target = output.mutableSpan
      let progress = try scaler.process(Array(left).span, into: &target)
      made += output[..<(progress.framesProduced * 2)]
      left = left.dropFirst(progress.framesConsumed * 2)
    }
    while true {
      var target = output.mutableSpan
      let count = try scaler.finish(into: &target)
      if count == 0 { break }
      made += output[..<(count * 2)]
    }
    #expect(try made == scaled(audio, 2, 2, pieces: 1))
  }

  @Test func aMovingFactorFollowsTheFormula() throws {
    var scaler = try Scaler<Float>(factor: 1, interpolation: .linear)
    try scaler.setFactor(0.5, within: 3_000)
    let made = try scaler.process((0..<3_000).map(Float.init)).count + scaler.finish().count
    // X input frames become 2 X / (v0 + v1) frames while the speed, 1 / factor, changes from v0 to
    // v1
    #expect(made == 2_000)
  }

  @Test func resetRestarts() throws {
    let audio = OddReader.sound(frames: 300, channels: 1)
    var scaler = try Scaler<Float>(factor: 0.9)
    let once = try scaler.process(audio) + scaler.finish()
    #expect(throws: RetrogradeError.hasFinished) { try scaler.process(audio) }
    scaler.reset()
    let again = try scaler.process(audio) + scaler.finish()
    #expect(again == once)
    let lookahead = scaler.lookahead
    #expect(lookahead >= 96)
  }

  @Test func whatCannotBeIsRefused() throws {
    #expect(throws: RetrogradeError.badFactor) { _ = try Scaler<Float>(factor: 0) }
    #expect(throws: RetrogradeError.badFactor) { _ = try Scaler<Float>(factor: .nan) }
    #expect(throws: RetrogradeError.badChannels) { _ = try Scaler<Float>(factor: 1, channels: -1) }
    for quality in [-1, 11, Int.max, Int.min] {
      #expect(throws: RetrogradeError.badQuality) {
        _ = try Scaler<Float>(factor: 1, interpolation: .sinc(quality: quality))
      }
    }
    #expect(throws: RetrogradeError.badFrameCount) { try Scaler<Float>.scaledLength(-1, by: 1) }
    #expect(throws: RetrogradeError.noAudio) { try Scaler<Float>.fitted([], to: 3) }
    #expect(throws: RetrogradeError.badLength) { try Scaler<Float>.fitted([1], to: 2, channels: 2) }
    for length in [-1, .min, .max] {
      #expect(throws: RetrogradeError.badFrameCount) {
        try Scaler<Float>.fitted([1, 2], to: length)
      }
    }
    var scaler = try Scaler<Float>(factor: 1, channels: 2)
    #expect(throws: RetrogradeError.badLength) { try scaler.process([1, 2, 3]) }
    #expect(throws: RetrogradeError.badFrameCount) { try scaler.maximumOutput(of: -1) }
    #expect(throws: RetrogradeError.badFrameCount) { try scaler.setFactor(1, within: -1) }
    #expect(throws: RetrogradeError.badFactor) { try scaler.setFactor(101) }
  }
}
