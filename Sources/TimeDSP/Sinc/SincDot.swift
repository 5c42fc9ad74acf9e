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
    two(samples, self, samples).0
  }

  /// The same, and the sum of another one of the same length: two channels, whose
  /// sums share the reads of the weights, or two frames. What both do is done side
  /// by side.
  @inline(__always)
  func two(
    _ first: UnsafePointer<Real>, _ other: SincDot, _ second: UnsafePointer<Real>
  ) -> (Double, Double) {
    var (left, right) = (Real.zeros, Real.zeros)
    var (secondLeft, secondRight) = (Real.zeros, Real.zeros)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      left = Real.adding(left, weights.block(near), first.block(near))
      secondLeft = Real.adding(secondLeft, other.weights.block(near), second.block(near))
      right = Real.adding(right, weights.block(far), first.block(far))
      secondRight = Real.adding(secondRight, other.weights.block(far), second.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    if outer == half { return Real.totals(left, right, secondLeft, secondRight) }
    return Double.totals(
      coreSum(Real.sum(left, right), first), .zero,
      other.coreSum(Real.sum(secondLeft, secondRight), second), .zero)
  }

  /// Goes on with the core.
  @inline(__always)
  private func coreSum(_ outer: SIMD4<Double>, _ samples: UnsafePointer<Real>) -> SIMD4<Double> {
    var sum = outer
    var tap = 0
    while tap < SincQuality.core {
      sum += core.block(tap) * Real.four(samples + self.outer + tap)
      tap &+= 4
    }
    return sum
  }
}
