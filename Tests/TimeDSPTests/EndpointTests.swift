// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// The expected values from the article "Scaling Audio Files". `Fixtures/seed_scaling.py` computed
/// them with a Python version of the article's function `scaleToD`.
private struct SeedScaling: Decodable {
  struct Case: Decodable {
    let length: Int
    let linear: [Int16]
    let smooth: [Int16]
  }

  let samples: [Int16]
  let cases: [Case]

  static func load() throws -> SeedScaling {
    let file = try #require(
      Bundle.module.url(
        forResource: "seed_scaling", withExtension: "json", subdirectory: "Fixtures"))
    return try JSONDecoder().decode(SeedScaling.self, from: Data(contentsOf: file))
  }
}

@Suite struct EndpointTests {
  @Test func figuresAreThoseOfTheArticle() throws {
    let seed = try SeedScaling.load()
    #expect(seed.cases.map(\.length) == Array(1...40))
    let wide = seed.samples.map { Int32($0) }
    for wanted in seed.cases {
      let (linear, smooth, length) = (wanted.linear, wanted.smooth, wanted.length)
      #expect(try fitted(seed.samples, to: length, TIMEDSP_LINEAR) == linear)
      #expect(try fitted(seed.samples, to: length, TIMEDSP_SMOOTH) == smooth)
      #expect(try fitted(wide, to: length, TIMEDSP_LINEAR) == linear.map { Int32($0) })
      #expect(try fitted(wide, to: length, TIMEDSP_SMOOTH) == smooth.map { Int32($0) })
    }
  }

  /// The two arrays that are printed in the article.
  @Test func printedArraysComeOut() throws {
    let samples: [Int16] = [3, 5, 1, 8, 4, 56, 33, 4, 77, 42, 84, 25, 12, 6, 13, 15]
    #expect(
      try fitted(samples, to: 10, TIMEDSP_SMOOTH) == [3, 2, 7, 56, 14, 65, 84, 16, 8, 15])
    #expect(try fitted(samples, to: 9, TIMEDSP_SMOOTH) == [3, 2, 5, 42, 40, 58, 22, 7, 15])
  }

  @Test(arguments: [1, 2, 3, 7, 64, 211], allInterpolations)
  func valuesAreThoseOfThePlainModel(count: Int, interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 8)
    for length in [0, 1, 2, 3, 10, 63, 64, 65, 128, 500, 1009] {
      let input = noise(Float.self, frames: count, using: &generator)
      let model = PlainModel(input: input.map(\.value), interpolation: interpolation)
      let expected = model.endpoints(length).map(Float.init(model:))
      let output = try fitted(input, to: length, interpolation)
      try #require(output.count == expected.count)
      for (made, wanted) in zip(output, expected) {
        #expect(abs(made.value - wanted.value) <= model.tolerance(Float.self))
      }
    }
  }

  @Test(arguments: everyInterpolation)
  func sameLengthKeepsEveryBit(interpolation: TimeDSPInterpolation) throws {
    let input: [Float] = [-0.0, .nan, .infinity, 1, Float(bitPattern: 0x7FA0_1234), -0.0]
    #expect(bits(try fitted(input, to: input.count, interpolation)) == bits(input))
  }

  @Test(arguments: everyInterpolation)
  func inputBeyondTheCountIsIgnored(interpolation: TimeDSPInterpolation) throws {
    let input = (0..<20).map { Int16($0 * 100) }
    for length in [0, 1, 5, 10, 33] {
      let scaler = try TestScaler<Int16>(interpolation: interpolation, count: 10, length: length)
      let output = try scaler.run(input)
      #expect(output == (try fitted(Array(input.prefix(10)), to: length, interpolation)))
    }
  }

  @Test(arguments: allInterpolations)
  func lastFrameStandsForThoseThatAreMissing(interpolation: TimeDSPInterpolation) throws {
    for length in [1, 5, 10, 33] {
      let scaler = try TestScaler<Int16>(interpolation: interpolation, count: 10, length: length)
      let output = try scaler.run([100, 200, 300, 400])
      #expect(output.count == length)
      #expect(output.first == 100)
      if length > 1 { #expect(output.last == 400) }
    }
    let scaler = try TestScaler<Int16>(interpolation: interpolation, count: 10, length: 5)
    #expect(try scaler.run([]) == [])
  }

  private func fitted<S: TestSample>(
    _ input: [S], channels: Int = 1, to length: Int, _ interpolation: TimeDSPInterpolation
  ) throws -> [S] {
    let scaler = try TestScaler<S>(
      channels: channels, interpolation: interpolation, count: input.count / channels,
      length: length)
    return try scaler.run(input)
  }
}
