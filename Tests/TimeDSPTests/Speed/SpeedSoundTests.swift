// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// The sound at any speed, compared with the kernel's definition in double precision (`SincModel`),
/// at the positions that the reader reports. `PlayheadTests` checks these positions.
@Suite struct SpeedSoundTests {
  /// Three sines and a sweep, with silence before and after them, as it is outside a source.
  static let source: [Double] = {
    let silence = [Double](repeating: 0, count: 1200)
    let sound = (0..<9000).map { k in
      let t = Double(k)
      let sweep = sin(t * t * (Double.pi / 2 / 9000))
      return 0.2 * (sin(0.02 * t) + sin(0.31 * t + 1) + sin(1.1 * t + 2) + sweep)
    }
    return silence + sound + silence
  }()

  /// -140 dB at quality 10, and -100 dB at the default.
  static let limits: [(quality: Int, decibels: Double)] = [(10, -140), (6, -100)]

  @Test(arguments: [0.01, 0.3, 0.5, 0.999, 1.1, 1.5, 2, 3.7, 8], [1.0, -1])
  func constantSpeedsAreExact(speed: Double, sign: Double) throws {
    for (quality, limit) in Self.limits {
      let model = SincModel(Self.source, quality: quality)
      let reader = try TestSpeedReader(Self.source, quality: quality)
      try reader.start(sign > 0 ? 2000 : 9000, sign * speed)
      let frames = min(Int(6000 / speed), 6000)
      let error = try reader.compare(frames, every: max(frames / 61, 1), with: model)
      #expect(error.decibels < limit, "quality \(quality)")
    }
  }

  /// A list of speeds and the output frames in which they are reached, linear between them.
  static let curves: [[(speed: Double, frames: Int)]] = [
    // a slow scratch and a fast one, of 1 and 10 Hz
    [(0.2, 500), (-0.2, 24_000)], [(1.5, 300), (-1.5, 2400), (1.5, 2400), (-1.5, 2400)],
    [(-8, 1200), (1, 600)],  // spin-back
    [(0.99, 0), (0, 3000)],  // tape stop
  ]

  @Test(arguments: curves.indices)
  func curvesThroughZeroAreExact(index: Int) throws {
    for (quality, limit) in Self.limits {
      let model = SincModel(Self.source, quality: quality)
      let reader = try TestSpeedReader(Self.source, quality: quality)
      try reader.start(8000, 1)
      for (speed, frames) in Self.curves[index] {
        try reader.ramp(speed, frames)
        let step = max(frames / 41, 1)
        let error = try reader.compare(Int(reader.state.frames_left), every: step, with: model)
        #expect(error.decibels < limit || frames == 0, "quality \(quality), \(speed)")
        #expect(reader.state.edge == 0)
      }
    }
  }

  /// A sine of the input that the output cannot represent is at least 120 dB lower.
  @Test(arguments: [1.5, 2.3, 4, 8])
  func nothingAliases(speed: Double) throws {
    let source = sine(.pi / speed * 1.005, frames: 20_000)
    let reader = try TestSpeedReader(source, quality: 10)
    for direction in [1.0, -1] {
      try reader.start(10_000, direction * speed)
      let output = try reader.read(200)
      #expect(output.count == 200 && output.allSatisfy { abs($0) < 0.5e-6 })
      // slower and slower, and faster again
      try reader.start(10_000, direction * speed)
      try reader.ramp(direction * 8, 200)
      #expect(try reader.read(200).allSatisfy { abs($0) < 0.5e-6 })
    }
  }

  /// A change of direction doesn't cause a step: the slope of the sound falls with the speed, and
  /// rises again.
  @Test func turnsHaveNoStep() throws {
    let source = sine(0.3, frames: 4000)
    let reader = try TestSpeedReader(source)
    try reader.start(2000, 0.5)
    try reader.ramp(-0.5, 200)
    let output = try reader.read(200)
    for index in 1..<200 {
      let speed = abs(0.5 - Double(index) / 200) + 0.01
      #expect(abs(output[index] - output[index - 1]) <= 0.5 * 0.3 * speed)
    }
    // the way back sounds the same as the way there, except for the outermost weights of some
    // kernels
    for index in 1..<100 { #expect(abs(output[100 + index] - output[100 - index]) < 1e-7) }
  }
}
