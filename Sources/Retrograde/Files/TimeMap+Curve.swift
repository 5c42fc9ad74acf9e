// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Converts a time map into a curve of the property `factor`. `timescale` reads the curve every 5
// ms. Between two steps, the speed, 1 / factor, changes linearly over the output. If it goes from v
// to w, then s input frames between the steps become 2 s / (v + w) output frames.

/// The value of a property at one of its element's steps.
struct Knot: Equatable {
  var timeNs: Int64
  var value: Double
}

extension Knot {
  init(_ time: Duration, _ value: Double) { self.init(timeNs: time.nanoseconds, value: value) }
}

extension TimeMap {
  private static let stepsPerSecond = 200

  /// The knots are at the steps around each point, and are connected by straight lines. The factor
  /// is constant between two points, and it's `factor` after the last one.
  func curve(rate: Int, factor: ScaleFactor) -> [Knot] {
    let step = Double(max(rate / Self.stepsPerSecond, 1)) / Double(max(rate, 1))
    var factors: [Double] = []
    var before = Point(input: .zero, output: .zero)
    for point in points {
      factors.append((point.output - before.output) / (point.input - before.input))
      before = point
    }
    factors.append(factor.value)
    let knot = { (index: Double, factor: Double) in
      Knot(timeNs: Int64(saturating: (index * step * 1e9).rounded(.down)), value: factor)
    }
    var knots = [knot(0, factors[0])]
    for ((before, after), point) in zip(zip(factors, factors.dropFirst()), points) {
      let position = point.input.inSeconds / step
      let middle = position.rounded()
      // the length of two steps, with the factor `before` up to the point and `after` from there
      let wanted = before * (1 + position - middle) + after * (1 - position + middle)
      knots += [
        knot(middle - 1, before), knot(middle, Self.middle(before, after, wanted)),
        knot(middle + 1, after),
      ]
    }
    return knots
  }

  /// The factor for the middle one of three steps that makes the output between the outer two
  /// `wanted` steps long. The outer steps have the factors `before` and `after`. It solves
  /// 2 / (v + x) + 2 / (x + w) = wanted for the speed x.
  private static func middle(_ before: Double, _ after: Double, _ wanted: Double) -> Double {
    let (v, w) = (1 / before, 1 / after)
    let bend = wanted * (v - w)
    return 2 * wanted / (4 - wanted * (v + w) + (16 + bend * bend).squareRoot())
  }
}
