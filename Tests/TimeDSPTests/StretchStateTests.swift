// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// The state of a stretcher after certain events: the factor returns to 1, the input ends, or silence
/// follows.
@Suite struct StretchStateTests {
  /// For a sine, x(n+1) + x(n-1) = 2 cos ω x(n). When the factor returns to 1, the phase rotation
  /// is removed within half a window of 512 frames. The rotation is at most π, so ω changes by up
  /// to π / 256, and x(n+1) + x(n-1) changes by 2 sin ω π / 256 of the amplitude. A click would
  /// change the sum by as much as the amplitude itself.
  @Test(arguments: [0.7, 1.3, 2.6])
  func sineGoesOnWhereTheFactorComesBackToOne(factor: Double) throws {
    let omega = 0.311
    let input = sine(omega, frames: 6000).map { Float($0) }
    let output = try TestStretcher<Float>(factor: factor)
      .run(input, changes: [TestStretcher<Float>.Change(frame: 2500, factor: 1)])
    let seam = Int(2500 * factor)
    let most = (seam - 600...seam + 900).map { n in
      abs(Double(output[n + 1] + output[n - 1]) - 2 * cos(omega) * Double(output[n]))
    }.max()
    #expect(try #require(most) < 2 * 0.5 * 2 * sin(omega) * .pi / 256)
  }

  /// A sound that lasts to the end of the input keeps its level to the end of the output: a sine
  /// within 1 dB, and noise within 3.5 dB. 3 dB of that come from how the power of 10 ms of noise
  /// varies, and only 0.5 dB from stretching.
  @Test(arguments: StretchLawTests.windows, [0.6, 1, 1.7, 3])
  func endKeepsItsLevel(window: TimeStretchWindow, factor: Double) throws {
    var generator = SplitMix(seed: 54)
    let sine = sine(0.311, frames: 4000).map { Float($0) }
    let noise = noise(Float.self, frames: 4000, using: &generator)
    for (input, most) in [(sine, 1.0), (noise, 3.5)] {
      let output = try TestStretcher<Float>(window: window, factor: factor).run(input)
      for milliseconds in [10, 20, 40] {
        let level = power(output.suffix(8 * milliseconds)) / power(input[...])
        #expect(abs(10 * log10(level)) < most)
      }
    }
  }

  private func power(_ samples: ArraySlice<Float>) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
  }

  /// A sound that ends before the end of the input is not repeated after its end. The output is the
  /// same as if more silence followed. This is also true for a transient right before the end,
  /// whose continuation is unknown.
  @Test(arguments: [(160, 0.6), (160, 1.7), (20, 1.7)])
  func anEndedSoundIsNotRepeated(silent: Int, factor: Double) throws {
    var generator = SplitMix(seed: 55)
    let burst = noise(Float.self, frames: silent == 20 ? 60 : 2000, using: &generator)
    let nothing = [Float](repeating: 0, count: 3000)
    let ending = nothing.prefix(2000) + burst + nothing.prefix(silent)
    let output = try TestStretcher<Float>(factor: factor).run(Array(ending))
    let longer = try TestStretcher<Float>(factor: factor).run(ending + nothing)
    #expect(output.count == Int(Double(ending.count) * factor))
    #expect(bits(output) == bits(Array(longer.prefix(output.count))))
  }

  /// The power of an inaudible sound would be a denormal number, which makes calculations slow. So
  /// an inaudible sound is treated as 0, and its output is 0. This is also true after audible
  /// sound.
  @Test(arguments: [1e-38, 1e-20, 9e-10] as [Float])
  func inaudibleSoundIsSilence(level: Float) throws {
    var generator = SplitMix(seed: 52)
    let sound = noise(Float.self, frames: 1500, using: &generator)
    let soft = (0..<4000).map { _ in Float.random(in: -level...level, using: &generator) }
    let stretcher = try TestStretcher<Float>(factor: 1.3)
    let output = stretcher.process((sound + soft)[...], capacity: 9000).made
    #expect(output.suffix(2000).allSatisfy { $0 == 0 })
    let phases = stretcher.core.pointee.analysis(512).phases
    #expect(
      (0..<phases.bins).allSatisfy { phases.power[$0] == 0 && phases.lastPower[$0] == 0 })
  }

  /// If an onset is found late, the last frame is restated a second time.
  @Test(arguments: [40_000, 60_000]) func `Restating a frame twice changes nothing`(
    frames: Int
  ) throws {
    let stretcher = try TestStretcher<Float>(rate: 48_000, window: TIMESTRETCH_AUTO, factor: 1.5)
    let sound = EverySound.samples.prefix(frames).map { Float($0) }
    _ = stretcher.process(sound[...], capacity: 2 * frames)
    var core = stretcher.core.pointee
    let isLong = core.last.window == core.sizes.longest
    var frame = core.last
    frame.window = isLong ? core.sizes.voice : core.sizes.longest
    let phases = core.analysis(frame.window).phases
    func rotations() -> [UInt32] {
      core.restate(for: frame, core.analysis(frame.window))
      return (0..<phases.bins).map { phases.rotations[$0] }
    }
    #expect(rotations() == rotations())
  }
}
