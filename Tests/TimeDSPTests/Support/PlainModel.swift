// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A simple implementation of scaling, for whole arrays and one channel. It follows the definitions
/// in `timedsp.h`, and uses no code of the library.
struct PlainModel {
  let input: [Double]
  let interpolation: TimeDSPInterpolation

  /// The output of a stream with the factor `numerator / denominator`.
  func stream(_ numerator: Int, _ denominator: Int) -> [Double] {
    (0..<input.count * numerator / denominator).map { k in
      let (frame, rest) = (k * denominator).quotientAndRemainder(dividingBy: numerator)
      var weight = Double(rest) / Double(numerator)
      if interpolation == TIMEDSP_SMOOTH && numerator > denominator {
        weight = weight * weight * (3 - 2 * weight)
      }
      return value(frame, weight)
    }
  }

  /// The whole input, scaled to `length` frames. The control points are those of
  /// `seed_scaling.py`.
  func endpoints(_ length: Int) -> [Double] {
    let last = Double(input.count - 1)
    return (0..<length).map { i in
      var point = length == 1 ? 0 : Double(i) * (last / Double(length - 1))
      if interpolation == TIMEDSP_SMOOTH && length > input.count && last > 0 {
        let x = Double(i) / (Double(length - 1) / last)
        let t = x - x.rounded(.down)
        point = x.rounded(.down) + t * t * (3 - 2 * t)
      }
      if length > 1 && i == length - 1 { point = last }
      return value(Int(point), point - Double(Int(point)))
    }
  }

  private func value(_ frame: Int, _ weight: Double) -> Double {
    let y = (-1...2).map { input[min(max(frame + $0, 0), input.count - 1)] }
    if weight == 0 { return y[1] }
    switch interpolation {
    case TIMEDSP_NEAREST: return weight < 0.5 ? y[1] : y[2]
    case TIMEDSP_CUBIC: return zip(y, lagrangeWeights(weight)).map(*).reduce(0, +)
    default: return y[1] + weight * (y[2] - y[1])
    }
  }

  /// The weights of the points -1, 0, 1, 2 at `x`: the product of (x - other) / (point - other)
  /// over the other points.
  private func lagrangeWeights(_ x: Double) -> [Double] {
    let points = [-1.0, 0, 1, 2]
    return points.map { point in
      points.filter { $0 != point }.map { (x - $0) / (point - $0) }.reduce(1, *)
    }
  }
}

extension PlainModel {
  /// The maximum difference between the library and this model. It is 0 for interpolation between
  /// two frames, where both perform the same operations in the same order.
  func tolerance<S: TestSample>(_: S.Type) -> Double {
    guard timedsp_frames_before(interpolation) > 0 else { return 0 }
    switch S.format {
    case TIMEDSP_F32: return 2e-7
    case TIMEDSP_F64: return 1e-14
    default: return 0
    }
  }
}
