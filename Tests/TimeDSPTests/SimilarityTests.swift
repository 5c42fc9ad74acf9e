// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Tests the measure of similarity of two decodes. Decodes of the same audio are similar, even if
/// the decoder adds different noise to each. Decodes of different audio aren't.
@Suite struct SimilarityTests {
  private static let rate = 44_100
  private static let frames = 2_048

  private func areSimilar(
    _ one: [Double], _ other: [Double], channels: Int = 1, rate: Int = rate
  ) -> Bool {
    one.withUnsafeBufferPointer { first in
      other.withUnsafeBufferPointer { second in
        DecodeSimilarity(
          one: first.baseAddress!, other: second.baseAddress!, frames: one.count / channels,
          channels: channels
        ).areSimilar(rate: rate)
      }
    }
  }

  private func tone(_ hertz: Double, phase: Double = 0, rate: Int = rate) -> [Double] {
    (0..<Self.frames).map { sin(2 * .pi * hertz * Double($0) / Double(rate) + phase) }
  }

  /// Noise in a frequency band that begins at `low` Hz. It consists of tones with random phases.
  private func band(
    from low: Double, to high: Double, rate: Int = rate, using generator: inout SplitMix
  ) -> [Double] {
    var sum = [Double](repeating: 0, count: Self.frames)
    for hertz in stride(from: low, to: high, by: (high - low) / 20) {
      let part = tone(hertz, phase: .random(in: 0...6, using: &generator), rate: rate)
      sum = zip(sum, part).map { $0 + $1 / 20 }
    }
    return sum
  }

  private func sum(_ one: [Double], _ other: [Double], _ gain: Double) -> [Double] {
    zip(one, other).map { $0 + gain * $1 }
  }

  @Test func levelsOfHissAreCompared() {
    var generator = SplitMix(seed: 23)
    let one = band(from: 8_000, to: 16_000, using: &generator)
    let other = band(from: 8_000, to: 16_000, using: &generator)
    for (gain, similar) in [(0.4, false), (0.6, true), (1, true), (1.7, true), (2.5, false)] {
      #expect(areSimilar(one, other.map { $0 * gain }) == similar)
    }
  }

  @Test func silenceIsLikeDitherAndNothingElse() {
    let silence = [Double](repeating: 0, count: Self.frames)
    let steps = (0..<Self.frames).map { $0 * 7_919 % 3 - 1 }
    let dither = steps.map { Double($0) / 32_768 }
    #expect(
      areSimilar(silence, silence) && areSimilar(silence, dither) && areSimilar(dither, silence))
    for level in [0.01, 1] {
      let audio = tone(440).map { $0 * level }
      #expect(!areSimilar(silence, audio) && !areSimilar(audio, silence))
    }
  }

  @Test func oneChannelThatDiffersIsEnough() {
    let (left, right, other) = (tone(300), tone(700), tone(1_100))
    func pair(_ left: [Double], _ right: [Double]) -> [Double] {
      zip(left, right).flatMap { [$0, $1] }
    }
    #expect(areSimilar(pair(left, right), pair(left, right), channels: 2))
    #expect(!areSimilar(pair(left, right), pair(left, other), channels: 2))
    #expect(!areSimilar(pair(left, right), pair(other, right), channels: 2))
  }

  /// Two decodes are similar if they differ by less than a quarter of their level, however long they
  /// are. The sample rate is so low that no moving average is taken.
  @Test func aQuarterOfTheLevelIsTheBound() {
    for frames in [1, 2, 7, 100] {
      let one = [Double](repeating: 0.5, count: frames)
      for (part, similar) in [(0.76, true), (0.74, false), (1.2, true), (1.4, false)] {
        #expect(areSimilar(one, one.map { $0 * part }, rate: 3_000) == similar)
      }
    }
  }

  /// By definition, the moving average is applied twice, at every position at which both windows
  /// are inside the decode.
  @Test func averagesAreThoseOfTheDefinition() {
    var generator = SplitMix(seed: 24)
    for _ in 0..<200 {
      let window = Int.random(in: 2...9, using: &generator)
      let frames = Int.random(in: 2 * window + 1...60, using: &generator)
      let one = (0..<frames).map { _ in Double.random(in: -1...1, using: &generator) }
      let amount = Double.random(in: 0.1...1, using: &generator)
      let other = one.map { $0 + amount * Double.random(in: -1...1, using: &generator) }
      #expect(areSimilar(one, other, rate: 3_000 * window) == model(one, other, window))
    }
  }

  private func model(_ one: [Double], _ other: [Double], _ window: Int) -> Bool {
    func averages(_ samples: [Double]) -> [Double] {
      (0...samples.count - window).map { samples[$0..<$0 + window].reduce(0, +) / Double(window) }
    }
    func squares(_ samples: [Double]) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
    let count = one.count - 2 * window
    let (lowOne, lowOther) = (averages(averages(one)), averages(averages(other)))
    let low = zip(lowOne, lowOther).prefix(count)
    let level = max(squares(low.map(\.0)), squares(low.map(\.1)))
    let all = max(squares(one), squares(other))
    if level < all / 100 { return all <= 4 * min(squares(one), squares(other)) }
    return squares(low.map { $0 - $1 }) <= level / 16
  }
}
