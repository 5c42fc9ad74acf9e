// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A time map as a curve of the property `factor`. `timescale` looks a curve up at each step of
// 5 ms, and its speed, 1 / factor, moves in a straight line over the output from one step to
// the next: s frames of input between the speeds v and w become 2 s / (v + w) frames.

extension TimeMap {
  /// A factor that holds at a step of `timescale`.
  struct Knot: Equatable {
    var timeNs: Int64
    var factor: Double
  }

  /// How many steps `timescale` makes in a second.
  private static let stepsPerSecond = 200

  /// The factors at the steps around each point, joined by straight lines; between two points they
  /// are constant. `factor` holds after the last point.
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
      Knot(timeNs: Int64(saturating: (index * step * 1e9).rounded(.down)), factor: factor)
    }
    var knots = [knot(0, factors[0])]
    for ((before, after), point) in zip(zip(factors, factors.dropFirst()), points) {
      let place = point.input.inSeconds / step
      let middle = place.rounded()
      // of the two steps around the middle, the first lasts up to the point at one factor
      let wanted = before * (1 + place - middle) + after * (1 - place + middle)
      knots += [
        knot(middle - 1, before), knot(middle, Self.middle(before, after, wanted)),
        knot(middle + 1, after),
      ]
    }
    return knots
  }

  /// The factor between two others by which two steps of 1 become `wanted`.
  private static func middle(_ before: Double, _ after: Double, _ wanted: Double) -> Double {
    let made = { (factor: Double) in
      2 / (1 / before + 1 / factor) + 2 / (1 / factor + 1 / after)
    }
    var (low, high) = (0.01, 100.0)
    for _ in 0..<60 {
      let factor = (low * high).squareRoot()
      if made(factor) < wanted { low = factor } else { high = factor }
    }
    return (low * high).squareRoot()
  }
}
