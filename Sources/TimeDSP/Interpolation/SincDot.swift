// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The scalar product of a kernel and samples.
///
/// The two sides of the kernel are summed from its ends inwards, because the weights grow in this
/// direction. The sum and the rounding error of each step then stay small as long as possible.
/// Weights and sums are largest next to the position. There, `Float` kernels may have a core with
/// `Double` weights and sums.
struct SincDot<Real: SincReal> {
  /// The weights of 2 × `half` frames, in the order of the frames.
  let weights: UnsafePointer<Real>
  /// The weights of the core, in double precision, if there is a core.
  let core: UnsafePointer<Double>
  /// Number of frames on either side of the position.
  let half: Int
  /// Number of weights outside the core; a multiple of `Real.blockCount`.
  let outer: Int

  /// The samples of the frames that the kernel covers.
  let samples: SampleLines<Real>

  /// The same kernel applied to samples of another frame or channel.
  @inline(__always)
  func over(_ samples: SampleLines<Real>) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples)
  }

  /// The scalar product.
  @inline(__always)
  var sum: Double { sums(with: self).0 }

  /// The scalar product of this kernel, and the scalar product of `other`. `other` has the same
  /// length, and belongs to another channel or another frame. Computing both together hides
  /// latency. For another channel, the weights are loaded only once.
  @inline(__always)
  func sums(with other: SincDot) -> (Double, Double) {
    var (one, two) = (SincSum<Real>(), SincSum<Real>())
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      one.add(samples, near, weights.block(near), far, weights.block(far))
      two.add(other.samples, near, other.weights.block(near), far, other.weights.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    return totals(one, two, other)
  }

  /// The scalar products of the same kernel with four series of samples. The weights are loaded
  /// only once for all four.
  @inline(__always)
  func sums(
    _ second: SampleLines<Real>, _ third: SampleLines<Real>, _ fourth: SampleLines<Real>
  ) -> (Double, Double, Double, Double) {
    var (one, two) = (SincSum<Real>(), SincSum<Real>())
    var (three, four) = (SincSum<Real>(), SincSum<Real>())
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      let (left, right) = (weights.block(near), weights.block(far))
      one.add(samples, near, left, far, right)
      two.add(second, near, left, far, right)
      three.add(third, near, left, far, right)
      four.add(fourth, near, left, far, right)
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    let front = totals(one, two, over(second))
    let back = over(third).totals(three, four, over(fourth))
    return (front.0, front.1, back.0, back.1)
  }

  /// The sums outside the core, of this product and of `other`.
  @inline(__always)
  private func totals(
    _ one: SincSum<Real>, _ two: SincSum<Real>, _ other: SincDot
  ) -> (Double, Double) {
    if outer == half { return Real.totals(one.left, one.right, two.left, two.right) }
    return Double.totals(
      withCore(Real.sum(one.left, one.right)), .zero,
      other.withCore(Real.sum(two.left, two.right)), .zero)
  }

  /// Adds the products of the core.
  @inline(__always)
  private func withCore(_ outerSum: SIMD4<Double>) -> SIMD4<Double> {
    var sum = outerSum
    var tap = 0
    while tap < SincQuality.core {
      sum += core.block(tap) * samples.four(outer &+ tap)
      tap &+= 4
    }
    return sum
  }
}

/// The sums of both sides of a kernel.
private struct SincSum<Real: SincReal> {
  var left = Real.zeros
  var right = Real.zeros

  /// Adds the products of a block on each side.
  @inline(__always)
  mutating func add(
    _ samples: SampleLines<Real>, _ near: Int, _ leftWeights: Real.Block, _ far: Int,
    _ rightWeights: Real.Block
  ) {
    left = Real.adding(left, leftWeights, samples.block(near))
    right = Real.adding(right, rightWeights, samples.block(far))
  }
}
