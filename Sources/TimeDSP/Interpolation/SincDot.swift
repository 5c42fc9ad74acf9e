// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The scalar product of a kernel and the samples around a position: an output sample.
///
/// We sum each side of the kernel from its end inwards, as the weights grow. This keeps the sums,
/// and so their rounding errors, small for as long as possible. The weights next to the position
/// are the largest. There, a `Float` kernel may have a core, in which weights and sums are
/// `Double`.
struct SincDot<Real: SincReal> {
  let weights: UnsafePointer<Real>
  /// Weights, valid only if `outer` is less than `half`.
  let core: UnsafePointer<Double>
  /// The kernel covers this many frames on either side of the position.
  let half: Int
  /// Frames on either side that are outside the core, a multiple of `Real.blockCount`.
  let outer: Int

  let samples: SampleLines<Real>

  @inline(__always)
  func over(_ samples: SampleLines<Real>) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples)
  }

  /// From here on, eight products together take less time than four and four (measured with AVX2).
  /// While we sum the right side, the sums of the left side are in memory. With a short kernel,
  /// that costs more than it saves.
  @inline(__always)
  var hasLongKernel: Bool { half >= 64 }

  @inline(__always)
  var total: Double { totals(with: self).0 }

  /// Both kernels have the same length. Together, they hide latency. If it's the same kernel, we
  /// load the weights only once.
  @inline(__always)
  func totals(with other: SincDot) -> (Double, Double) {
    var (left, right) = (Real.zeros, Real.zeros)
    var (otherLeft, otherRight) = (Real.zeros, Real.zeros)
    let (samples, others) = (samples.base, other.samples.base)
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      left = Real.adding(left, weights.block(near), samples.block(near))
      right = Real.adding(right, weights.block(far), samples.block(far))
      otherLeft = Real.adding(otherLeft, other.weights.block(near), others.block(near))
      otherRight = Real.adding(otherRight, other.weights.block(far), others.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    if outer == half { return Real.totals(left, right, otherLeft, otherRight) }
    return Double.totals(
      withCore(Real.sum(left, right)), other.withCore(Real.sum(otherLeft, otherRight)))
  }

  /// With four sets of samples, we load the weights only once.
  @inline(__always)
  func totals(over samples: FourSamples<Real>) -> FourTotals {
    var (left, right) = (FourSums<Real>(), FourSums<Real>())
    let samples = samples.base
    var near = 0
    var far = 2 &* half &- Real.blockCount
    while near < outer {
      left.add(samples, near, weights.block(near))
      right.add(samples, far, weights.block(far))
      near &+= Real.blockCount
      far &-= Real.blockCount
    }
    return totals(left, right, samples)
  }

  /// With eight sets of samples, we load the weights only once, and the totals of eight products
  /// hide each other's latency. Each side of the kernel has its own loop, because 16 sums don't fit
  /// into the registers. Only faster for long kernels (`hasLongKernel`).
  @inline(__always)
  func totals(
    over front: FourSamples<Real>, and back: FourSamples<Real>
  ) -> (FourTotals, FourTotals) {
    let (front, back) = (front.base, back.base)
    var (frontLeft, backLeft) = (FourSums<Real>(), FourSums<Real>())
    for near in upTo(outer, by: Real.blockCount) {
      let block = weights.block(near)
      frontLeft.add(front, near, block)
      backLeft.add(back, near, block)
    }
    var (frontRight, backRight) = (FourSums<Real>(), FourSums<Real>())
    var far = 2 &* half
    while far > 2 &* half &- outer {
      far &-= Real.blockCount
      let block = weights.block(far)
      frontRight.add(front, far, block)
      backRight.add(back, far, block)
    }
    return (totals(frontLeft, frontRight, front), totals(backLeft, backRight, back))
  }

  @inline(__always)
  private func totals(
    _ left: FourSums<Real>, _ right: FourSums<Real>, _ samples: FourSamples<Real>
  ) -> FourTotals {
    if outer == half {
      let (one, two) = Real.totals(left.one, right.one, left.two, right.two)
      let (three, four) = Real.totals(left.three, right.three, left.four, right.four)
      return (one, two, three, four)
    }
    let totals = Double.totals(
      ofLanes: over(samples.one).withCore(Real.sum(left.one, right.one)),
      over(samples.two).withCore(Real.sum(left.two, right.two)),
      over(samples.three).withCore(Real.sum(left.three, right.three)),
      over(samples.four).withCore(Real.sum(left.four, right.four)))
    return (totals[0], totals[1], totals[2], totals[3])
  }

  /// Adds the products in the core.
  @inline(__always)
  private func withCore(_ outerSum: SIMD4<Double>) -> SIMD4<Double> {
    var sum = outerSum
    let inner = samples.fromBlock(outer)
    for tap in upTo(SincQuality.core, by: 4) {
      sum += core.block(tap) * inner.four(tap)
    }
    return sum
  }
}

typealias FourTotals = (Double, Double, Double, Double)

struct FourSamples<Real: SincReal> {
  let one: SampleLines<Real>
  let two: SampleLines<Real>
  let three: SampleLines<Real>
  let four: SampleLines<Real>

  /// The same samples, for a loop that reads many blocks (`SampleLines.base`).
  @inline(__always)
  var base: FourSamples {
    FourSamples(one: one.base, two: two.base, three: three.base, four: four.base)
  }
}

/// For one side of the kernel.
private struct FourSums<Real: SincReal> {
  var one = Real.zeros
  var two = Real.zeros
  var three = Real.zeros
  var four = Real.zeros

  /// The block begins at index `tap`.
  @inline(__always)
  mutating func add(_ samples: FourSamples<Real>, _ tap: Int, _ weights: Real.Block) {
    one = Real.adding(one, weights, samples.one.block(tap))
    two = Real.adding(two, weights, samples.two.block(tap))
    three = Real.adding(three, weights, samples.three.block(tap))
    four = Real.adding(four, weights, samples.four.block(tap))
  }
}
