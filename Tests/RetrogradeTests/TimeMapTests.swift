// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Suite struct TimeMapTests {
  private let map = try? TimeMap([
    TimeMap.Point(input: .seconds(2), output: .seconds(3)),
    TimeMap.Point(input: .seconds(4), output: .seconds(4)),
  ])

  @Test(arguments: [(0, 0), (1000, 1500), (2000, 3000), (3000, 3500), (4000, 4000), (5000, 6000)])
  func `Moments lie on the lines`(input: Int, output: Int) throws {
    let moment = try #require(map).output(of: .milliseconds(input), factor: ScaleFactor(2))
    #expect(moment == .milliseconds(output))
  }

  /// The expected length is calculated with the formula in the documentation of `timescale`,
  /// according to which the speed changes linearly over the output.
  @Test(arguments: [44_100, 48_000, 8_000, 192_000])
  func `Two steps around a point become as long as the lines say`(rate: Int) throws {
    let map = try #require(map)
    let knots = map.curve(rate: rate, factor: try ScaleFactor(2))
    let times = knots.map { Double($0.timeNs) / 1e9 }
    for first in stride(from: 1, to: knots.count, by: 3) {
      let speeds = knots[first...(first + 2)].map { 1 / $0.value }
      let made = (0..<2).map { index in
        2 * (times[first + index + 1] - times[first + index]) / (speeds[index] + speeds[index + 1])
      }
      let (start, end) = (times[first], times[first + 2])
      let wanted = [start, end].map { time in
        map.output(of: .seconds(time), factor: (try? ScaleFactor(2)) ?? .one).inSeconds
      }
      #expect(abs(made[0] + made[1] - (wanted[1] - wanted[0])) < 1e-6)
    }
  }

  @Test func `Points that make no map are refused`() {
    let points = { (times: [(Int, Int)]) in
      times.map { TimeMap.Point(input: .milliseconds($0.0), output: .milliseconds($0.1)) }
    }
    for bad in [[], [(0, 0)], [(10, 10)], [(1000, 1)], [(1000, 1000), (1010, 1010)], [(2, -5)]] {
      #expect(throws: RetrogradeError.self) { try TimeMap(points(bad)) }
    }
  }

  @Test func `A map goes with neither a region nor a reversal`() throws {
    var edit = AudioEdit().with(\.timeMap, map)
    try edit.validate()
    edit.direction = .reverse
    #expect(throws: RetrogradeError.self) { try edit.validate() }
    edit = AudioEdit(region: .zero..<(.seconds(1))).with(\.timeMap, map)
    #expect(throws: RetrogradeError.self) { try edit.validate() }
  }
}
