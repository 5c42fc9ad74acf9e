// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Properties of the stretcher that do not depend on how it sounds: lengths, block sizes,
/// positions, and factor 1.
@Suite struct StretchLawTests {
  static let windows = [
    TIMESTRETCH_AUTO, TIMESTRETCH_MUSIC, TIMESTRETCH_SPEECH, TIMESTRETCH_LOW_LATENCY,
  ]

  @Test(arguments: windows)
  func factorOneIsTheInputBitForBit(window: TimeStretchWindow) throws {
    try expectIdentity(Int16.self, window)
    try expectIdentity(Int32.self, window)
    try expectIdentity(Float.self, window)
    try expectIdentity(Double.self, window)
  }

  private func expectIdentity<S: TestSample>(_: S.Type, _ window: TimeStretchWindow) throws {
    var generator = SplitMix(seed: 31)
    for (channels, layout) in [(1, TIMEDSP_INTERLEAVED), (3, TIMEDSP_PLANAR)] {
      let input = noise(S.self, frames: 1500, channels: channels, using: &generator)
      let stretcher = try TestStretcher<S>(
        channels: channels, layout: layout, window: window, factor: 1)
      #expect(try bits(stretcher.run(input, frames: 333)) == bits(input))
    }
  }

  @Test(arguments: windows)
  func factorOneIsTheInputAgainAfterOneWindow(window: TimeStretchWindow) throws {
    var generator = SplitMix(seed: 33)
    let input = noise(Float.self, frames: 4000, using: &generator)
    for (factor, frame) in [(1.3, 1001), (0.7, 1500), (3.1, 900)] {
      let stretcher = try TestStretcher<Float>(window: window, factor: factor)
      let output = try stretcher.run(
        input, changes: [TestStretcher<Float>.Change(frame: frame, factor: 1)])
      let place = Double(frame) * factor
      let start = Int(place.rounded(.up)) + 512
      let moved = [place.rounded(.down), place.rounded(.up)].map { Int($0) - frame }
      #expect(
        moved.contains { distance in
          bits(Array(output[start...]))
            == bits(Array(input[(start - distance)...].prefix(output.count - start)))
        })
    }
  }

  @Test func lengthsAndPlacesFollowTheIntegralOfTheFactor() throws {
    var generator = SplitMix(seed: 34)
    for _ in 0..<8 {
      let start = pow(4, Double.random(in: -1...1, using: &generator))
      let end = pow(4, Double.random(in: -1...1, using: &generator))
      let model = RampModel(from: start, to: end, within: 700)
      let stretcher = try TestStretcher<Float>(window: TIMESTRETCH_LOW_LATENCY, factor: start)
      try stretcher.ramp(to: end, within: 700)
      var output: [Float] = []
      for frame in 0..<12 {
        #expect(stretcher.core.pointee.received == Int64(frame * 100))
        let (whole, fraction) = stretcher.core.pointee.map.output(at: Int64(frame * 100))
        #expect(abs(Double(whole) + fraction - model.made(Double(frame * 100))) < 1e-6)
        output += stretcher.process([Float](repeating: 0.1, count: 100)[...], capacity: 9000).made
      }
      while case let made = stretcher.finish(capacity: 1000), !made.isEmpty { output += made }
      #expect(abs(Double(output.count) - (model.made(1200) - 0.5)) <= 0.5 + 1e-6)
    }
  }

  /// If the factor changes after the last input frame, the number of output frames stays the same.
  /// In this test, the windows of the last frames extend far into the silence after the end.
  @Test func changeAtTheEndIsInaudible() throws {
    let input = [Float](repeating: 0.1, count: 944)
    for (frames, capacity) in [(944, 9000), (100, 70)] {
      let stretcher = try TestStretcher<Float>(window: TIMESTRETCH_AUTO, factor: 5.9)
      var output: [Float] = []
      var given = 0
      while given < input.count {
        let (used, made) = stretcher.process(input[given...].prefix(frames), capacity: 9000)
        given += used
        output += made
      }
      try stretcher.ramp(to: 0.02, within: 600)
      while case let made = stretcher.finish(capacity: capacity), !made.isEmpty {
        output += made
      }
      #expect(output.count == Int(944 * 5.9))
    }
  }

  /// When the input contains frame i and, after it, as many frames as the latency, all output up to
  /// the position of frame i is available.
  @Test(arguments: windows, [0.3, 1, 2.2])
  func latencyIsEnough(window: TimeStretchWindow, factor: Double) throws {
    let stretcher = try TestStretcher<Float>(window: window, factor: factor)
    let latency = Int(stretcher.core.pointee.latency)
    var (given, made) = (0, 0)
    for _ in 0..<60 {
      made +=
        stretcher.process([Float](repeating: 0.1, count: 50)[...], capacity: 9000).made
        .count
      given += 50
      #expect(Double(made) >= (Double(given - latency) * factor).rounded(.down))
    }
    #expect(made > 0)
  }

  @Test func boundOfTheOutputIsNear() throws {
    let stretcher = try TestStretcher<Float>(factor: 1.37)
    let bound = stretcher.core.pointee.framesDue(3000)
    let made = try stretcher.run([Float](repeating: 0.1, count: 3000)).count
    #expect(made <= Int(bound) && Int(bound) <= made + 2)
  }
}
