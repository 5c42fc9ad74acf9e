// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSP

/// Varispeed through the public API, compared with formulas.
@Suite struct VarispeedTests {
  private func tape(
    _ factor: Double, channels: Int = 1, _ interpolation: Interpolation
  ) throws -> TimeScaler<Float> {
    try TimeScaler(
      factor: factor, pitch: .followsSpeed, sampleRate: 8_000, channels: channels,
      interpolation: interpolation)
  }

  /// The frames are the same as the core's, for every interpolation.
  @Test(arguments: [
    (Interpolation.nearest, TIMEDSP_NEAREST), (.linear, TIMEDSP_LINEAR), (.smooth, TIMEDSP_SMOOTH),
    (.cubic, TIMEDSP_CUBIC), (.sinc, TIMEDSP_SINC),
  ])
  func theFramesAreThoseOfTheCore(interpolation: Interpolation, code: TimeDSPInterpolation) throws {
    let audio = OddReader.sound(frames: 500, channels: 3)
    let core = try TestScaler<Float>(
      channels: 3, interpolation: code, quality: 6, factor: 1.2)
    var scaler = try tape(1.2, channels: 3, interpolation)
    let made = try scaler.process(audio) + scaler.finish()
    #expect(try bits(made) == bits(core.run(audio)))
  }

  @Test func fittedAudioKeepsItsEnds() throws {
    let ramp = (0..<11).map { Double($0) }
    #expect(
      try TimeScaler.fitted(ramp, to: 21, interpolation: .linear) == (0..<21).map { Double($0) / 2 }
    )
    #expect(try TimeScaler.fitted(ramp, to: 3, interpolation: .linear) == [0, 5, 10])
    #expect(try TimeScaler.fitted(ramp, to: 0).isEmpty)
  }

  @Test func aMovingFactorFollowsTheFormula() throws {
    var scaler = try tape(1, .linear)
    try scaler.setFactor(0.5, rampFrames: 3_000)
    let made = try scaler.process((0..<3_000).map(Float.init)).count + scaler.finish().count
    // X input frames become 2 X / (v0 + v1) frames while the speed, 1 / factor, changes from v0 to
    // v1
    #expect(made == 2_000)
  }

  @Test func whatCannotBeIsRefused() throws {
    for quality in [-1, 11, Int.max, Int.min] {
      #expect(throws: RetrogradeError.badQuality) { _ = try tape(1, .sinc(quality: quality)) }
    }
    typealias Scaler = TimeScaler<Float>
    #expect(throws: RetrogradeError.noAudio) { try Scaler.fitted([], to: 3) }
    #expect(throws: RetrogradeError.badLength) { try Scaler.fitted([1], to: 2, channels: 2) }
    for length in [-1, .min, .max] {
      #expect(throws: RetrogradeError.badFrameCount) { try Scaler.fitted([1, 2], to: length) }
    }
  }
}
