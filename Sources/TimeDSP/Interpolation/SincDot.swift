// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The scalar product of a kernel and samples.
///
/// The two sides are summed from their ends inwards, because the numbers grow in this direction.
/// The sum and the rounding error of each step then stay small as long as possible. Weights and
/// sums are largest next to the position. There, `Float` kernels may have a core with `Double`
/// weights and sums.
struct SincDot<Real: SincReal> {
  /// The weights of 2 × `half` frames, in the order of the frames.
  let weights: UnsafePointer<Real>
  /// The weights of the core, in double precision, if there is a core.
  let core: UnsafePointer<Double>
  /// Number of frames on either side of the position.
  let half: Int
  /// Number of weights outside the core; a multiple of `Real.blockCount`.
  let outer: Int

  /// The samples of these frames.
  let samples: UnsafePointer<Real>

  /// The same kernel applied to samples `count` positions later.
  @inline(__always)
  func moved(by count: Int) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples + count)
  }

  /// The scalar product.
  @inline(__always)
  var sum: Double { sums(with: self).0 }

  /// The scalar product of this kernel, and the scalar product of `other`. `other` has the same
  /// length, and belongs to another channel or another frame. Computing both together hides
  /// latency. For another channel, the weights are loaded only once.
  @inline(__always)
  func sums(with other: SincDot) -> (Double, Double) {
    var (left, right) = (Real.zeros, Real.zeros)
    var (otherLeft, otherRight) = (Real.zeros, Real.zeros)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      left = Real.adding(left, weights.block(near), samples.block(near))
      otherLeft = Real.adding(otherLeft, other.weights.block(near), other.samples.block(near))
      right = Real.adding(right, weights.block(far), samples.block(far))
      otherRight = Real.adding(otherRight, other.weights.block(far), other.samples.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    if outer == half { return Real.totals(left, right, otherLeft, otherRight) }
    return Double.totals(
      withCore(Real.sum(left, right)), .zero, other.withCore(Real.sum(otherLeft, otherRight)), .zero
    )
  }

  /// Adds the products of the core.
  @inline(__always)
  private func withCore(_ outerSum: SIMD4<Double>) -> SIMD4<Double> {
    var sum = outerSum
    var tap = 0
    while tap < SincQuality.core {
      sum += core.block(tap) * Real.four(samples + outer + tap)
      tap &+= 4
    }
    return sum
  }
}
