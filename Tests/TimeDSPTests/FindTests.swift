// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

@Suite struct FindTests {
  /// Numbers of bytes per frame in one plane: planar samples, and interleaved frames with up to
  /// eight channels in every sample format.
  static let strides = [1, 2, 3, 4, 6, 8, 9, 12, 16, 18, 24, 32, 48, 64]

  private func noise(bytes: Int, below bound: UInt8 = 255, _ generator: inout SplitMix) -> [UInt8] {
    (0..<bytes).map { _ in UInt8.random(in: 0..<bound, using: &generator) }
  }

  private func cut(_ take: [[UInt8]], _ frames: Range<Int>, _ stride: Int) -> [[UInt8]] {
    take.map { Array($0[frames.lowerBound * stride..<frames.upperBound * stride]) }
  }

  @Test(arguments: strides, [1, 2, 6])
  func shiftsAreFoundToTheFrame(stride: Int, planes: Int) {
    var generator = SplitMix(seed: UInt64(stride * 10 + planes))
    let take = (0..<planes).map { _ in noise(bytes: 400 * stride, &generator) }
    let needle = cut(take, 150..<200, stride)
    for shift in -60...60 {
      let found = findTake(take, needle, stride: stride, planned: 150 - shift, search: 50)
      let expected = SearchResult(shift: Int64(shift), isFound: true)
      #expect(found == (abs(shift) <= 50 ? expected : .nothing))
    }
    // the needle is found at both ends of the run, but not beyond them
    for place in [0, 1, 349, 350] {
      let needle = cut(take, place..<place + 50, stride)
      let found = findTake(take, needle, stride: stride, planned: 175, search: 175)
      #expect(found == SearchResult(shift: Int64(place - 175), isFound: true))
      let edge = cut(take, 0..<place + 49, stride)
      #expect(findTake(edge, needle, stride: stride, planned: 175, search: 175) == .nothing)
    }
  }

  @Test(arguments: strides, [1, 2, 6])
  func everyByteCounts(stride: Int, planes: Int) {
    var generator = SplitMix(seed: 5)
    let take = (0..<planes).map { _ in noise(bytes: 40 * stride, &generator) }
    let needle = cut(take, 10..<30, stride)
    let places = [(0, 0), (planes - 1, 20 * stride - 1), (planes / 2, 10 * stride)]
    for (plane, byte) in places {
      var other = needle
      other[plane][byte] ^= 1
      #expect(findTake(take, other, stride: stride, planned: 10, search: 20) == .nothing)
    }
  }

  /// The samples have only a few different values, so the needle matches at many positions. The
  /// match nearest to the planned position must be found.
  @Test func theNearestPlaceWins() {
    var generator = SplitMix(seed: 6)
    for _ in 0..<4_000 {
      let stride = Int.random(in: 1...3, using: &generator)
      let planes = Int.random(in: 1...2, using: &generator)
      let frames = Int.random(in: 0...40, using: &generator)
      let length = Int.random(in: 1...6, using: &generator)
      let planned = Int.random(in: 0...45, using: &generator)
      let search = Int.random(in: 0...45, using: &generator)
      let take = (0..<planes).map { _ in noise(bytes: frames * stride, below: 2, &generator) }
      let needle = (0..<planes).map { _ in noise(bytes: length * stride, below: 2, &generator) }
      let place = placesInOrder(take: frames, needle: length, planned: planned, search: search)
        .first { cut(take, $0..<$0 + length, stride) == needle }
      let expected = place.map { SearchResult(shift: Int64($0 - planned), isFound: true) }
      let found = findTake(take, needle, stride: stride, planned: planned, search: search)
      #expect(found == expected ?? .nothing)
    }
  }

  @Test func farPlacesAreLookedAtWhereThereIsRoom() {
    let take = [[UInt8](repeating: 1, count: 12)]
    #expect(findTake([[]], take, stride: 4, planned: 0, search: 1 << 53) == .nothing)
    #expect(findTake(take, take, stride: 4, planned: 1 << 53, search: 1) == .nothing)
    let far = findTake(take, take, stride: 4, planned: 1 << 53, search: 1 << 53)
    #expect(far == SearchResult(shift: -1 << 53, isFound: true))
  }
}
