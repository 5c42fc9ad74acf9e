// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The scalar product of a kernel and the samples around a position: an output sample.
///
/// Each side of the kernel is summed from its end inwards, in the direction in which the weights
/// grow. This keeps the sums, and thus their rounding errors, small for as long as possible. The
/// weights next to the position are the largest. A `Float` kernel may have a core around the
/// position, in which weights and sums are `Double`.
struct SincDot<Real: SincReal> {
  /// The weights of the kernel, for 2 × `half` frames.
  let weights: UnsafePointer<Real>
  /// The weights of the core. Only valid if `outer` is less than `half`.
  let core: UnsafePointer<Double>
  /// Number of frames on either side of the position that the kernel covers.
  let half: Int
  /// Number of frames on either side that are outside the core; a multiple of `Real.blockCount`.
  let outer: Int

  /// The samples of a channel in the frames that the kernel covers.
  let samples: SampleLines<Real>

  /// The same kernel, applied to other samples.
  @inline(__always)
  func over(_ samples: SampleLines<Real>) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples)
  }

  @inline(__always)
  var sum: Double { sums(with: self).0 }

  /// The values of this scalar product and of `other`, whose kernel has the same length. Computing
  /// both together hides latency. If both have the same kernel, the weights are loaded only once.
  @inline(__always)
  func sums(with other: SincDot) -> (Double, Double) {
    var (one, two) = (SincSum<Real>(), SincSum<Real>())
    let (samples, others) = (samples.base, other.samples.base)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      one.add(samples, near, weights.block(near), far, weights.block(far))
      two.add(others, near, other.weights.block(near), far, other.weights.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    return over(samples).totals(one, two, other.over(others))
  }

  /// The scalar products of this kernel with four sets of samples. The weights are loaded only
  /// once.
  @inline(__always)
  func sums(
    _ second: SampleLines<Real>, _ third: SampleLines<Real>, _ fourth: SampleLines<Real>
  ) -> (Double, Double, Double, Double) {
    var (one, two) = (SincSum<Real>(), SincSum<Real>())
    var (three, four) = (SincSum<Real>(), SincSum<Real>())
    let (samples, second, third, fourth) = (samples.base, second.base, third.base, fourth.base)
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
    let front = over(samples).totals(one, two, over(second))
    let back = over(third).totals(three, four, over(fourth))
    return (front.0, front.1, back.0, back.1)
  }

  /// The totals of this product and of `other`, from the sums `one` and `two` outside their cores.
  @inline(__always)
  private func totals(
    _ one: SincSum<Real>, _ two: SincSum<Real>, _ other: SincDot
  ) -> (Double, Double) {
    if outer == half { return Real.totals(one.left, one.right, two.left, two.right) }
    return Double.totals(
      withCore(Real.sum(one.left, one.right)), other.withCore(Real.sum(two.left, two.right)))
  }

  /// `outerSum` plus the products in the core.
  @inline(__always)
  private func withCore(_ outerSum: SIMD4<Double>) -> SIMD4<Double> {
    var sum = outerSum
    let inner = samples.fromBlock(outer)
    var tap = 0
    while tap < SincQuality.core {
      sum += core.block(tap) * inner.four(tap)
      tap &+= 4
    }
    return sum
  }
}

/// Partial sums of a scalar product, one for each side of the kernel.
private struct SincSum<Real: SincReal> {
  var left = Real.zeros
  var right = Real.zeros

  /// Adds the products of one block on each side.
  @inline(__always)
  mutating func add(
    _ samples: SampleLines<Real>, _ near: Int, _ leftWeights: Real.Block, _ far: Int,
    _ rightWeights: Real.Block
  ) {
    left = Real.adding(left, leftWeights, samples.block(near))
    right = Real.adding(right, rightWeights, samples.block(far))
  }
}
