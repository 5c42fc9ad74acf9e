// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Suite struct SpeedCurveTests {
  private func curve(_ points: [(Double, Double)]) throws -> SpeedCurve {
    try SpeedCurve(points.map { SpeedCurve.Point(time: .seconds($0.0), speed: $0.1) })
  }

  @Test(arguments: [44_100, 48_000, 22_050, 8_000])
  func `Each point is at the nearest end of a buffer`(rate: Int) throws {
    let times = [0.5, 1.0037, 1.0502, 2.345, 3.3333]
    let knots = try curve(Array(zip(times, [1.0, -6, 0.5, 2, 0]))).knots(rate: rate)
    #expect(knots.map(\.value) == [1, 1, -6, 0.5, 2, 0])
    for (knot, time) in zip(knots, [0] + times) {
      let step = Double(knot.timeNs) / 1e9 * Double(rate) / Double(rate / 100)
      #expect(abs(step - step.rounded()) < 1e-4)
      #expect(abs(Double(knot.timeNs) / 1e9 - time) <= 0.005_001)
    }
  }

  @Test func `A speed of 1 is exact where it lasts, and only there`() throws {
    let knots = try curve([(0, 2), (2, 0), (3, 1), (4, 0), (5, 1), (6, 1), (7, 2)]).knots(
      rate: 48_000)
    let units = knots.filter { $0.value == 1 }.map { $0.timeNs / 10_000_000 }
    #expect(units.first == 500 && units.last == 600)
    let speed = try #require(knots.first { $0.timeNs == 3_000_000_000 }).value
    #expect(speed != 1 && abs(speed - 1) < 1e-8)
  }

  private static let exits: [([(Double, Double)], Double?, Bool)] = [
    ([(0, 1), (9, 1)], nil, false), ([(0, 1), (11, 1)], 10, true),
    ([(0, 0), (10, 4)], 50.0.squareRoot(), true), ([(0, 1), (2, 1), (4, -1), (7, -1)], 6, false),
    ([(0, -1), (10, -1)], nil, false), ([(0, -1), (1, 1), (2, 1)], 1, true),
    ([(0, -2), (1, -2), (2, 2), (2.5, 2)], nil, false), ([(0, -2), (6, -2)], 5, false),
    ([(0, 1), (2, -1), (3, -1)], 2, false),
  ]

  @Test(arguments: exits)
  func `The first moment outside the sound is found`(
    points: [(Double, Double)], time: Double?, isPastEnd: Bool
  ) throws {
    let exit = try curve(points).exit(from: 10, rate: 48_000)
    #expect((exit == nil) == (time == nil))
    if let exit, let time {
      #expect(abs(exit.time - time) < 1e-3 && exit.isPastEnd == isPastEnd)
    }
  }

  private static let durations: [([(Double, Double)], Double)] = [
    ([(0, 1)], 10), ([(0, 2)], 5), ([(0, -0.5)], 20), ([(1, 1), (2, 0)], 2.01),
    ([(4, 1), (5, -1)], 9), ([(1.0001, 1), (2.0001, 0)], 2.01),
  ]

  @Test(arguments: durations)
  func `The output lasts until the sound ends, or until the speed is 0`(
    points: [(Double, Double)], duration: Double
  ) throws {
    #expect(abs(try curve(points).duration(in: 10, rate: 48_000) - duration) < 1e-9)
  }

  @Test func `Points that make no curve are refused`() {
    for bad in [[], [(0, 8.1)], [(0, .nan)], [(-1, 1)], [(1, 1), (1.01, 2)], [(1, 0.001)]] {
      #expect(throws: RetrogradeError.self) { try curve(bad) }
    }
  }

  @Test func `A curve changes alone`() throws {
    let curve = try curve([(0, 1)])
    try AudioEdit(region: .zero..<(.seconds(1))).with(\.gain, -3).with(\.speedCurve, curve)
      .validate()
    for edit in [
      AudioEdit(direction: .reverse).with(\.speedCurve, curve),
      AudioEdit(factor: try ScaleFactor(2)).with(\.speedCurve, curve),
      AudioEdit(pitch: .kept).with(\.speedCurve, curve),
      AudioEdit(region: .zero..<(.seconds(1))).with(\.keepsRest, true).with(\.speedCurve, curve),
    ] {
      #expect(throws: RetrogradeError.self) { try edit.validate() }
    }
  }
}
