// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing
import TimeDSPCore

@Suite struct AlignTests {
  private func noise(
    _ frames: Int, _ channels: Int = 1, using generator: inout SplitMix
  ) -> [Double] {
    TimeDSPTests.noise(Double.self, frames: frames, channels: channels, using: &generator)
  }

  /// The samples are small integers, so all sums are exact, and the position and the error must be
  /// exactly what the definition gives.
  @Test func thePlaceIsTheOneThatTheDefinitionNames() {
    var generator = SplitMix(seed: 11)
    for _ in 0..<3_000 {
      let channels = Int.random(in: 1...3, using: &generator)
      let frames = Int.random(in: 0...60, using: &generator)
      let length = Int.random(in: 1...20, using: &generator)
      let planned = Int.random(in: 0...65, using: &generator)
      let search = Int.random(in: 0...65, using: &generator)
      let highest = Int.random(in: 0...2, using: &generator)
      func samples(_ count: Int) -> [Double] {
        (0..<count * channels).map { _ in Double(Int.random(in: 0...highest, using: &generator)) }
      }
      let (take, needle) = (samples(frames), samples(length))
      let places = placesInOrder(take: frames, needle: length, planned: planned, search: search)
      let found = alignTake(take, needle, channels: channels, planned: planned, search: search)
      #expect(found == model(take, needle, channels, places, planned))
    }
  }

  /// The result according to the definition. `places` are in order of preference.
  private func model(
    _ take: [Double], _ needle: [Double], _ channels: Int, _ places: [Int], _ planned: Int
  ) -> SearchResult {
    func squares(_ place: Int) -> Double {
      zip(take[(place * channels)...], needle).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    guard let least = places.map(squares).min(),
      let best = places.first(where: { squares($0) == least })
    else { return .nothing }
    let stays = places.contains(planned) && least >= squares(planned) / 2
    let place = stays ? planned : best
    let level = needle.reduce(0) { $0 + $1 * $1 }
    let error = squares(place) == 0 ? 0 : (squares(place) / level).squareRoot()
    return SearchResult(shift: Int64(place - planned), isFound: true, error: error)
  }

  @Test func theErrorIsRelativeToTheNeedle() {
    let needle = [1.0, -1, 1, -1, 1, -1, 1, -1]
    func error(_ take: [Double]) -> Double {
      alignTake(take, needle, planned: 0, search: 0).error
    }
    #expect(error(needle) == 0)
    #expect(error(needle.map { $0 * 1.5 }) == 0.5)
    #expect(error(needle.map { $0 * -1 }) == 2)
    #expect(error([Double](repeating: 0, count: 8)) == 1)
    let silence = [Double](repeating: 0, count: 8)
    #expect(alignTake(silence, silence, planned: 0, search: 0).error == 0)
    #expect(alignTake(needle, silence, planned: 0, search: 0).error == .infinity)
    var generator = SplitMix(seed: 13)
    let strange = alignTake(
      noise(1_000, using: &generator), noise(1_000, using: &generator), planned: 0, search: 0)
    #expect(abs(strange.error - 2.0.squareRoot()) < 0.1)
  }

  @Test(arguments: [Double.nan, .signalingNaN, .infinity, -.infinity])
  func samplesThatAreNotFiniteAreSilence(bad: Double) {
    var generator = SplitMix(seed: 14)
    for _ in 0..<50 {
      var take = noise(600, using: &generator)
      var needle = Array(take[100..<400])
      var silencedTake = take
      var silencedNeedle = needle
      for _ in 0..<5 {
        let (place, other) = (
          Int.random(in: 0..<600, using: &generator), Int.random(in: 0..<300, using: &generator)
        )
        (take[place], silencedTake[place]) = (bad, 0)
        (needle[other], silencedNeedle[other]) = (bad, 0)
      }
      let found = alignTake(take, needle, planned: 93, search: 20)
      let expected = alignTake(silencedTake, silencedNeedle, planned: 93, search: 20)
      #expect(found.shift == 7 && expected.shift == 7 && found.isFound)
      #expect(abs(found.error - expected.error) < 1e-12)
    }
    let nothing = [Double](repeating: bad, count: 20)
    let found = alignTake(nothing, Array(nothing[0..<5]), planned: 3, search: 10)
    #expect(found == SearchResult(shift: 0, isFound: true, error: 0))
  }

  @Test func aNeedleWithoutRoomIsNotFound() {
    let take = [1.0, 2, 3, 4]
    #expect(alignTake(take, [1, 2, 3, 4, 5], planned: 0, search: 9) == .nothing)
    #expect(alignTake([], [1], planned: 0, search: 9) == .nothing)
    #expect(alignTake(take, [4], planned: 9, search: 5) == .nothing)
    #expect(alignTake(take, [9], planned: 9, search: 6).shift == -6)
  }
}
