// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A kernel laid over samples.
///
/// The two sides are summed from their ends inwards, where the numbers grow: so the sum, and with
/// it the rounding of each step, stays small for as long as it can. Next to the position, where
/// weights and sums are largest, `Float` kernels can have a core of `Double` weights and sums.
struct SincDot<Real: SincReal> {
  /// The weights of 2 × `half` frames in the order of the frames.
  let weights: UnsafePointer<Real>
  /// The weights of the core, if there is one, again.
  let core: UnsafePointer<Double>
  /// Frames on either side of the position.
  let half: Int
  /// Number of weights outside of the core; a multiple of `Real.blockCount`.
  let outer: Int

  /// The samples of these frames.
  let samples: UnsafePointer<Real>

  /// The same kernel over samples that lie `count` further on.
  @inline(__always)
  func moved(by count: Int) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples + count)
  }

  /// The sum.
  @inline(__always)
  var sum: Double { sums(with: self).0 }

  /// The sum, and that of another one of the same length: of another channel, sharing the reads of
  /// the weights, or of another frame. Each of them uses the waiting time of the other.
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

  /// Continues with the core.
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
