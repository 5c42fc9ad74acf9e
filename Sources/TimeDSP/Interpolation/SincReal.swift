// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// We multiply kernels and samples in this type: `Float` or `Double`.
///
/// Sums are in vectors. A product's lane depends only on its index in the kernel, so results depend
/// neither on the number of channels nor on how many products we compute at a time.
protocol SincReal: BitwiseCopyable {
  /// Its `blockCount` lanes divide `SincQuality.block`.
  associatedtype Block: BitwiseCopyable

  static var blockCount: Int { get }
  static var zeros: Block { get }
  static func block(_ number: (Int) -> Self) -> Block

  var exact: Double { get }
  init(_ value: Double)

  /// sum + a × b, rounded twice: without a fused multiply-add.
  static func adding(_ sum: Block, _ a: Block, _ b: Block) -> Block
  /// The sum of all lanes of a and b, and the sum of all lanes of c and d. We always add in the
  /// same order: a + b, then the halves of the vector, then the last two numbers.
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
  /// No alignment is needed.
  @inline(__always)
  func block(_ index: Int) -> Pointee.Block {
    UnsafeRawPointer(self + index).read(Pointee.Block.self)
  }
}

/// Products and sums have 24 bits. If you sum from the ends of a kernel inwards, that's about as
/// inexact as rounding the result to `Float`.
extension Float: SincReal {
  static var blockCount: Int { 8 }
  static var zeros: SIMD8<Float> { .zero }

  @inline(__always)
  static func block(_ number: (Int) -> Float) -> SIMD8<Float> {
    SIMD8(
      number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
  }

  @inline(__always)
  static func adding(_ sum: SIMD8<Float>, _ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
    sum + a * b
  }

  @inline(__always)
  static func sum(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD4<Double> {
    wide(folded(a, b))
  }

  /// All lanes of both blocks, as four partial sums in single precision.
  @inline(__always)
  private static func folded(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD4<Float> {
    // we move halves as integers, because the compiler processes shuffled sums of floats lane by
    // lane
    let sum = unsafeBitCast(a + b, to: SIMD4<UInt64>.self)
    return unsafeBitCast(sum.lowHalf, to: SIMD4<Float>.self)
      + unsafeBitCast(sum.highHalf, to: SIMD4<Float>.self)
  }

  @inline(__always)
  static func totals(
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>
  ) -> (Double, Double) {
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
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>,
    by weights: CubicWeights
  ) -> SIMD8<Float> {
    (a * Float(weights.before) + d * Float(weights.after))
      + (b * Float(weights.first) + c * Float(weights.second))
  }
}

extension Double: SincReal {
  static var blockCount: Int { 4 }
  static var zeros: SIMD4<Double> { .zero }

  @inline(__always)
  static func block(_ number: (Int) -> Double) -> SIMD4<Double> {
    SIMD4(number(0), number(1), number(2), number(3))
  }

  @inline(__always)
  static func adding(
    _ sum: SIMD4<Double>, _ a: SIMD4<Double>, _ b: SIMD4<Double>
  ) -> SIMD4<Double> {
    sum + a * b
  }

  @inline(__always)
  static func sum(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> { a + b }

  @inline(__always)
  static func totals(
    _ a: SIMD4<Double>, _ b: SIMD4<Double>, _ c: SIMD4<Double>, _ d: SIMD4<Double>
  ) -> (Double, Double) {
    totals(a + b, c + d)
  }

  @inline(__always)
  static func totals(_ one: SIMD4<Double>, _ other: SIMD4<Double>) -> (Double, Double) {
    // in the order of `SincReal.totals`
    let pairs = halves(one, other)
    let sums =
      unsafeBitCast(pairs.evenHalf, to: SIMD2<Double>.self)
      + unsafeBitCast(pairs.oddHalf, to: SIMD2<Double>.self)
    return (sums[0], sums[1])
  }

  @inline(__always)
  static func totals(
    ofLanes a: SIMD4<Double>, _ b: SIMD4<Double>, _ c: SIMD4<Double>, _ d: SIMD4<Double>
  ) -> SIMD4<Double> {
    // In the order of `SincReal.totals`. a goes with c, and b with d, so that the results are in
    // the order a, b, c, d.
    let (first, second) = (halves(a, c), halves(b, d))
    let evens = SIMD4(first[0], second[0], first[2], second[2])
    let odds = SIMD4(first[1], second[1], first[3], second[3])
    return unsafeBitCast(evens, to: SIMD4<Double>.self)
      + unsafeBitCast(odds, to: SIMD4<Double>.self)
  }

  /// The lower half plus the upper half of `one`, then the same of `other`. It's the bits of the
  /// numbers, because the compiler would shuffle sums lane by lane.
  @inline(__always)
  private static func halves(_ one: SIMD4<Double>, _ other: SIMD4<Double>) -> SIMD4<UInt64> {
    let first = unsafeBitCast(one, to: SIMD4<UInt64>.self)
    let second = unsafeBitCast(other, to: SIMD4<UInt64>.self)
    let lows = SIMD4(lowHalf: first.lowHalf, highHalf: second.lowHalf)
    let highs = SIMD4(lowHalf: first.highHalf, highHalf: second.highHalf)
    return unsafeBitCast(
      unsafeBitCast(lows, to: SIMD4<Double>.self) + unsafeBitCast(highs, to: SIMD4<Double>.self),
      to: SIMD4<UInt64>.self)
  }

  @inline(__always)
  static func four(_ numbers: UnsafePointer<Double>) -> SIMD4<Double> { numbers.block(0) }

  @inline(__always)
  static func weighed(
    _ a: SIMD4<Double>, _ b: SIMD4<Double>, _ c: SIMD4<Double>, _ d: SIMD4<Double>,
    by weights: CubicWeights
  ) -> SIMD4<Double> {
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
