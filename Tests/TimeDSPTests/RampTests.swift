// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// A gradual change from one factor to another.
struct Ramp: Sendable, CustomTestStringConvertible {
  let start: Double
  let end: Double
  let frames: Int

  var testDescription: String { "\(start) to \(end) within \(frames)" }
  var model: RampModel { RampModel(from: start, to: end, within: frames) }

  static let all = [
    Ramp(start: 1, end: 2, frames: 300), Ramp(start: 2, end: 1, frames: 301),
    Ramp(start: 1, end: 0.5, frames: 250), Ramp(start: 0.4, end: 1.3, frames: 500),
    Ramp(start: 1, end: 1, frames: 77), Ramp(start: 1 / 1.1, end: 1.1, frames: 1),
    Ramp(start: 0.01, end: 100, frames: 120), Ramp(start: 100, end: 0.01, frames: 90),
    Ramp(start: 0.01, end: 0.02, frames: 7), Ramp(start: .pi, end: 0.7, frames: 444),
  ]
}

@Suite struct RampTests {
  @Test(arguments: Ramp.all)
  func positionsAreThoseOfTheFormula(ramp: Ramp) throws {
    let scaler = try TestScaler<Float>(interpolation: TIMEDSP_LINEAR, factor: ramp.start)
    try scaler.ramp(to: ramp.end, within: ramp.frames)
    var input = [Float](repeating: 0, count: ramp.frames + 500)[...]
    var frame = 0.0
    while !input.isEmpty {
      #expect(abs(try scaler.position() - ramp.model.position(frame)) < 1e-9)
      let (used, made) = try scaler.process(input, capacity: 1)
      input = input.dropFirst(used)
      frame += Double(made.count)
    }
    #expect(frame > 1)
  }

  /// After a ramp, positions continue in exact steps of the new factor.
  @Test(arguments: Ramp.all)
  func nothingDriftsAfterwards(ramp: Ramp) throws {
    let scaler = try TestScaler<Float>(interpolation: TIMEDSP_LINEAR, factor: ramp.start)
    try scaler.ramp(to: 1.5, within: ramp.frames)
    let input = [Float](repeating: 0, count: ramp.frames + 2)
    let (used, made) = try scaler.process(input[...], capacity: 20_000)
    let steps = made.count
    let model = RampModel(from: ramp.start, to: 1.5, within: ramp.frames)
    #expect(Double(steps) > model.length && used == input.count)
    let landed = scaler.core.position
    #expect(abs(try scaler.position() - model.position(Double(steps))) < 1e-9)
    let rest = [Float](repeating: 0, count: 30_000)
    _ = try scaler.process(rest[...], capacity: 30_000)
    #expect(scaler.core.position.frame == landed.frame + 20_000)
    #expect(scaler.core.position.fraction == landed.fraction)
  }

  /// Many ramps, to factors from 0.01 to 100. A ramp may interrupt the previous one, or begin after
  /// its end.
  @Test(arguments: [TIMEDSP_LINEAR, TIMEDSP_SINC])
  func thousandsOfRampsLoseNothing(interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 30)
    let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: 1)
    var (start, speed, moved) = (0.0, 1.0, RampModel(from: 1, to: 1, within: 1))
    var made = 0
    for _ in 0..<(interpolation == TIMEDSP_SINC ? 200 : 3000) {
      let position = try scaler.position()
      #expect(abs(moved.made(position - start) - Double(made)) < 1e-6)
      speed = moved.speed(position - start)
      let target = pow(10, Double.random(in: -2...2, using: &generator))
      let frames = Int.random(in: 1...60, using: &generator)
      (start, made, moved) = (position, 0, RampModel(speed: speed, to: target, within: frames))
      try scaler.ramp(to: target, within: frames)
      let count = Int.random(in: 0...90, using: &generator)
      let bound = try scaler.maxOutput(count)
      let piece = [Int16](repeating: 1, count: count)
      let (used, output) = try scaler.process(piece[...], capacity: 20_000)
      #expect(used == count && output.count <= bound)
      made = output.count
    }
  }

  @Test(arguments: Ramp.all, [1, 10])
  func valuesAreThoseOfTheSincModel(ramp: Ramp, quality: Int) throws {
    var generator = SplitMix(seed: 32)
    let input = noise(Double.self, frames: ramp.frames + 50, using: &generator)
    let scaler = try TestScaler<Double>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: ramp.start)
    try scaler.ramp(to: ramp.end, within: ramp.frames)
    let model = SincModel(input, quality: quality)
    for (k, value) in try scaler.run(input).enumerated() where k % 13 == 0 {
      let (position, factor) = (ramp.model.position(Double(k)), ramp.model.factor(Double(k)))
      // at a constant factor of 1, a frame exactly at an output position is not filtered
      if factor == 1 && position == position.rounded() { continue }
      #expect(abs(value - model.value(at: position, factor: factor)) <= model.tolerance)
    }
  }

  @Test func rampsOfNoFramesAreChangesOfFactor() throws {
    let input = (0..<40).map { Double($0) }
    let ramped = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 2)
    let set = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 2)
    let before = try ramped.process(input[..<20], capacity: 7).used
    #expect(try set.process(input[..<20], capacity: 7).used == before)
    try ramped.ramp(to: 0.7, within: 0)
    try set.set(0.7)
    let rest = Array(input[before...])
    #expect(bits(try ramped.run(rest)) == bits(try set.run(rest)))
  }

  @Test func settingTheFactorEndsARamp() throws {
    let scaler = try TestScaler<Double>(interpolation: TIMEDSP_LINEAR, factor: 1)
    try scaler.ramp(to: 4, within: 100)
    _ = try scaler.process([Double](repeating: 0, count: 30)[...], capacity: 20)
    let position = try scaler.position()
    try scaler.set(0.5)
    #expect(abs(try scaler.position() - position) < 1e-15)
    _ = try scaler.process([Double](repeating: 0, count: 30)[...], capacity: 3)
    #expect(abs(try scaler.position() - position - 6) < 1e-14)
  }

  @Test func rampsRefuseWrongArguments() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 2)
    for factor in LengthTests.badFactors {
      for frames in [0, 1] {
        #expect(throws: TIMEDSP_BAD_FACTOR) { try scaler.ramp(to: factor, within: frames) }
      }
    }
    #expect(try scaler.run([0, 10]) == [0, 5, 10, 10])
    let fixed = try TestScaler<Int16>(interpolation: TIMEDSP_SINC, count: 3, length: 5)
    for frames in [0, 10] {
      #expect(throws: TIMEDSP_BAD_FACTOR) { try fixed.ramp(to: 2, within: frames) }
    }
  }

  @Test func positionsAreReported() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 2)
    _ = try scaler.process([0, 10, 20], capacity: 3)
    #expect(try scaler.position() == 1.5)
    let ends = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, count: 3, length: 5)
    _ = try ends.process([0, 10, 20], capacity: 3)
    #expect(try ends.position() == 1.5)
  }

  /// If the step from one output frame to the next is slightly shorter than an input frame, the
  /// position may be so near to the next input frame that a `Double` cannot represent the
  /// difference. The reported position must be before that frame.
  @Test(arguments: [TIMEDSP_LINEAR, TIMEDSP_CUBIC, TIMEDSP_SINC])
  func placesNextToAFrameAreBeforeIt(interpolation: TimeDSPInterpolation) throws {
    let scaler = try TestScaler<Double>(interpolation: interpolation, quality: 3, factor: 1)
    try scaler.ramp(to: 1.0.nextUp, within: 8)
    for _ in 0..<40 {
      let (_, made) = try scaler.process([1, 1, 1, 1], capacity: 1)
      #expect(made.allSatisfy { abs($0 - 1) < 1e-9 })
      #expect(scaler.core.position.fraction < 1)
    }
  }
}
