// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The dot product of a kernel and the samples around a position, which gives an output sample.
///
/// We sum each side of the kernel from its end inwards, because the weights grow in that direction.
/// This keeps the sums, and hence their rounding errors, small for as long as possible. The weights
/// next to the position are the largest. A `Float` kernel may have a core there, with weights and
/// sums in `Double`.
struct SincDot<Real: SincReal> {
  let weights: UnsafePointer<Real>
  /// Weights, which are only valid if `outer` is less than `half`.
  let core: UnsafePointer<Double>
  /// How many frames the kernel covers on either side of the position.
  let half: Int
  /// Frames on either side that are outside the core, which is a multiple of `Real.blockCount`.
  let outer: Int

  let samples: SampleLines<Real>

  @inline(__always)
  func over(_ samples: SampleLines<Real>) -> SincDot {
    SincDot(weights: weights, core: core, half: half, outer: outer, samples: samples)
  }

  @inline(__always)
  var total: Double { totals(with: self).0 }

  /// Both kernels have the same length. Computing them together hides latency. If it's the same
  /// kernel, we only load the weights once.
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

  /// Applies the kernel to four sets of samples, so that we only load the weights once.
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

/// The sums for one side of the kernel.
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

/// The type in which we multiply kernels and samples: `Float` or `Double`.
///
/// We keep the sums in vectors. The lane of a product only depends on its index in the kernel, so
/// the results don't depend on the number of channels, or on how many products we compute at a
/// time.
protocol SincReal: BitwiseCopyable {
  /// It has `blockCount` lanes, which divides `SincQuality.block`.
  associatedtype Block: BitwiseCopyable

  static var blockCount: Int { get }
  static var zeros: Block { get }
  static func block(_ number: (Int) -> Self) -> Block

  var exact: Double { get }
  init(_ value: Double)

  /// sum + a × b, rounded twice, so not a fused multiply-add.
  static func adding(_ sum: Block, _ a: Block, _ b: Block) -> Block
  /// The sum of all lanes of a and b, and the sum of all lanes of c and d. The order is always the
  /// same: first a + b, then the two halves of the vector, then the last two numbers.
  static func totals(_ a: Block, _ b: Block, _ c: Block, _ d: Block) -> (Double, Double)
  /// All lanes of both blocks, as four partial sums.
  static func sum(_ a: Block, _ b: Block) -> SIMD4<Double>
  static func four(_ numbers: UnsafePointer<Self>) -> SIMD4<Double>
  /// a × w0 + b × w1 + c × w2 + d × w3.
  static func weighed(
    _ a: Block, _ b: Block, _ c: Block, _ d: Block, by weights: CubicWeights
  ) -> Block
}

extension UnsafePointer where Pointee: SincReal {
  /// The address needn't be aligned.
  @inline(__always)
  func block(_ index: Int) -> Pointee.Block {
    UnsafeRawPointer(self + index).loadUnaligned(as: Pointee.Block.self)
  }
}

/// Products and sums have 24 bits. If you sum from the ends of a kernel inwards, the error is about
/// the same as if you round the result to `Float`.
extension Float: SincReal {
  typealias Block = SIMD8<Float>

  static var blockCount: Int { 8 }
  static var zeros: Block { .zero }

  @inline(__always)
  static func block(_ number: (Int) -> Float) -> Block {
    SIMD8(
      number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
  }

  @inline(__always)
  static func adding(_ sum: Block, _ a: Block, _ b: Block) -> Block {
    sum + a * b
  }

  @inline(__always)
  static func sum(_ a: Block, _ b: Block) -> SIMD4<Double> {
    wide(folded(a, b))
  }

  /// All lanes of both blocks, as four partial sums in single precision.
  @inline(__always)
  private static func folded(_ a: Block, _ b: Block) -> SIMD4<Float> {
    // we shuffle the halves as integers, because if we shuffled floats, the compiler would sum them
    // lane by lane
    let sum = unsafeBitCast(a + b, to: SIMD4<UInt64>.self)
    return unsafeBitCast(sum.lowHalf, to: SIMD4<Float>.self)
      + unsafeBitCast(sum.highHalf, to: SIMD4<Float>.self)
  }

  @inline(__always)
  static func totals(_ a: Block, _ b: Block, _ c: Block, _ d: Block) -> (Double, Double) {
    // in the order of `SincReal.totals`
    let first = unsafeBitCast(folded(a, b), to: SIMD2<UInt64>.self)
    let second = unsafeBitCast(folded(c, d), to: SIMD2<UInt64>.self)
    let lows = unsafeBitCast(SIMD2(first[0], second[0]), to: SIMD4<Float>.self)
    let highs = unsafeBitCast(SIMD2(first[1], second[1]), to: SIMD4<Float>.self)
    let pairs = lows + highs
    let sums = pairs.evenHalf + pairs.oddHalf
    return (Double(sums[0]), Double(sums[1]))
  }

  @inline(__always)
  static func four(_ numbers: UnsafePointer<Float>) -> SIMD4<Double> {
    var wide = SIMD4<Double>.zero
    withUnsafeMutableBytes(of: &wide) { wide in
      guard let wide = wide.baseAddress else { return }
      timedsp_widen(numbers, wide.assumingMemoryBound(to: Double.self))
    }
    return wide
  }

  @inline(__always)
  private static func wide(_ narrow: SIMD4<Float>) -> SIMD4<Double> {
    var narrow = narrow
    return withUnsafeMutableBytes(of: &narrow) { narrow in
      guard let narrow = narrow.baseAddress else { return .zero }
      return four(narrow.assumingMemoryBound(to: Float.self))
    }
  }

  @inline(__always)
  static func weighed(
    _ a: Block, _ b: Block, _ c: Block, _ d: Block,
    by weights: CubicWeights
  ) -> Block {
    (a * Float(weights.before) + d * Float(weights.after))
      + (b * Float(weights.first) + c * Float(weights.second))
  }
}

extension Double: SincReal {
  typealias Block = SIMD4<Double>

  static var blockCount: Int { 4 }
  static var zeros: SIMD4<Double> { .zero }

  @inline(__always)
  static func block(_ number: (Int) -> Double) -> Block {
    SIMD4(number(0), number(1), number(2), number(3))
  }

  @inline(__always)
  static func adding(_ sum: Block, _ a: Block, _ b: Block) -> Block {
    sum + a * b
  }

  @inline(__always)
  static func sum(_ a: Block, _ b: Block) -> Block { a + b }

  @inline(__always)
  static func totals(_ a: Block, _ b: Block, _ c: Block, _ d: Block) -> (Double, Double) {
    totals(a + b, c + d)
  }

  @inline(__always)
  static func totals(_ one: Block, _ other: Block) -> (Double, Double) {
    // in the order of `SincReal.totals`
    let pairs = halves(one, other)
    let sums =
      unsafeBitCast(pairs.evenHalf, to: SIMD2<Double>.self)
      + unsafeBitCast(pairs.oddHalf, to: SIMD2<Double>.self)
    return (sums[0], sums[1])
  }

  @inline(__always)
  static func totals(ofLanes a: SIMD4<Double>, _ b: Block, _ c: Block, _ d: Block) -> Block {
    // In the order of `SincReal.totals`. We pair a with c and b with d, so that the results come
    // out as a, b, c, d.
    let (first, second) = (halves(a, c), halves(b, d))
    let evens = SIMD4(first[0], second[0], first[2], second[2])
    let odds = SIMD4(first[1], second[1], first[3], second[3])
    return unsafeBitCast(evens, to: SIMD4<Double>.self)
      + unsafeBitCast(odds, to: SIMD4<Double>.self)
  }

  /// The lower half plus the upper half of `one`, then the same for `other`. We return the bits of
  /// the numbers, because the compiler would shuffle floats lane by lane.
  @inline(__always)
  private static func halves(_ one: Block, _ other: Block) -> SIMD4<UInt64> {
    let first = unsafeBitCast(one, to: SIMD4<UInt64>.self)
    let second = unsafeBitCast(other, to: SIMD4<UInt64>.self)
    let lows = SIMD4(lowHalf: first.lowHalf, highHalf: second.lowHalf)
    let highs = SIMD4(lowHalf: first.highHalf, highHalf: second.highHalf)
    return unsafeBitCast(
      unsafeBitCast(lows, to: SIMD4<Double>.self) + unsafeBitCast(highs, to: SIMD4<Double>.self),
      to: SIMD4<UInt64>.self)
  }

  @inline(__always)
  static func four(_ numbers: UnsafePointer<Double>) -> Block { numbers.block(0) }

  @inline(__always)
  static func weighed(
    _ a: Block, _ b: Block, _ c: Block, _ d: Block,
    by weights: CubicWeights
  ) -> Block {
    (a * weights.before + d * weights.after) + (b * weights.first + c * weights.second)
  }
}

/// Lagrange's weights of four points at -1, 0, 1 and 2, for a position between 0 and 1.
struct CubicWeights {
  let before: Double
  let first: Double
  let second: Double
  let after: Double

  @inline(__always)
  init(at x: Double) {
    let (y, z, u) = (x + 1, x - 1, x - 2)
    before = -x * z * u / 6
    first = y * z * u / 2
    second = -x * y * u / 2
    after = x * y * z / 6
  }
}
