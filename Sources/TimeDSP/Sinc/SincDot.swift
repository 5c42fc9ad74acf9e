// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A kernel laid over samples.
///
/// The two sides are summed from their ends inwards, where the numbers grow:
/// so the sum stays small for as long as it can, and with it what each step
/// rounds off. Next to the position, where weights and sums are largest,
/// `Float` kernels can have a core of `Double` weights and sums.
struct SincDot<Real: SincReal> {
  /// The weights of 2 × `half` frames in the order of the frames.
  let weights: UnsafePointer<Real>
  /// The weights of the core, if there is one, again.
  let core: UnsafePointer<Double>
  /// Frames on either side of the position.
  let half: Int
  /// Those of them that are not in the core; a multiple of `Real.blockCount`.
  let outer: Int

  /// The sum for the frames from `samples` on.
  @inline(__always)
  func one(_ samples: UnsafePointer<Real>) -> Double {
    var (left, right) = (Real.zeros, Real.zeros)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      left = Real.adding(left, weights.block(near), samples.block(near))
      right = Real.adding(right, weights.block(far), samples.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    return total(left, right, samples)
  }

  /// The same for two channels, whose sums share the reads of the weights.
  @inline(__always)
  func two(_ first: UnsafePointer<Real>, _ second: UnsafePointer<Real>) -> (Double, Double) {
    var (left, right) = (Real.zeros, Real.zeros)
    var (secondLeft, secondRight) = (Real.zeros, Real.zeros)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      let nearWeights = weights.block(near)
      left = Real.adding(left, nearWeights, first.block(near))
      secondLeft = Real.adding(secondLeft, nearWeights, second.block(near))
      let farWeights = weights.block(far)
      right = Real.adding(right, farWeights, first.block(far))
      secondRight = Real.adding(secondRight, farWeights, second.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    if outer == half { return Real.totals(left, right, secondLeft, secondRight) }
    return (total(left, right, first), total(secondLeft, secondRight, second))
  }

  @inline(__always)
  private func total(
    _ left: Real.Block, _ right: Real.Block, _ samples: UnsafePointer<Real>
  ) -> Double {
    guard outer < half else { return Real.total(left, right) }
    var sum = Real.sum(left, right)
    var tap = 0
    while tap < SincQuality.core {
      sum += core.block(tap) * Real.four(samples + outer + tap)
      tap &+= 4
    }
    let pair = sum.lowHalf + sum.highHalf
    return pair[0] + pair[1]
  }
}
