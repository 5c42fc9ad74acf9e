// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A sample as it's stored in memory.
protocol Sample: BitwiseCopyable {
  static var fullScale: Double { get }

  /// As a `Double`, which all interpolations except sinc use for their calculations.
  var exact: Double { get }

  /// Integers are rounded half to even and clipped. Floating-point numbers are rounded by the
  /// hardware.
  init(nearest value: Double)

  associatedtype Four: BitwiseCopyable

  static func four(_ a: Self, _ b: Self, _ c: Self, _ d: Self) -> Four
  static func first(of samples: Four) -> Self
  static func exact(_ samples: Four) -> SIMD4<Double>
  /// If a weight is 0, the position is exactly on a frame, and we return the sample there from
  /// `met`, unchanged.
  static func nearest(_ values: SIMD4<Double>, _ met: Four, at weights: SIMD4<Double>) -> Four
}

extension Sample where Self: SIMDScalar, Four == SIMD4<Self> {
  @inline(__always)
  static func four(_ a: Self, _ b: Self, _ c: Self, _ d: Self) -> SIMD4<Self> { SIMD4(a, b, c, d) }

  @inline(__always)
  static func first(of samples: SIMD4<Self>) -> Self { samples[0] }
}

extension Sample where Self: SIMDScalar & FixedWidthInteger, Four == SIMD4<Self> {
  static var fullScale: Double { 0 - Double(Self.min) }

  @inline(__always)
  var exact: Double { Double(self) }

  @inline(__always)
  init(nearest value: Double) {
    self.init(
      truncatingIfNeeded: value.wholeNumberBits(from: Double(Self.min), to: Double(Self.max)))
  }

  @inline(__always)
  static func exact(_ samples: SIMD4<Self>) -> SIMD4<Double> { SIMD4(samples) }

  /// We don't need `met`, because arithmetic doesn't change an integer if the weight is 0.
  @inline(__always)
  static func nearest(
    _ values: SIMD4<Double>, _ met: SIMD4<Self>, at weights: SIMD4<Double>
  ) -> SIMD4<Self> {
    SIMD4(truncatingIfNeeded: values.wholeNumberBits(from: Double(Self.min), to: Double(Self.max)))
  }
}

extension Int16: Sample {}
extension Int32: Sample {}

extension Float: Sample {
  static var fullScale: Double { 1 }

  @inline(__always)
  var exact: Double { Double(self) }

  @inline(__always)
  init(nearest value: Double) { self.init(value) }

  @inline(__always)
  static func exact(_ samples: SIMD4<Float>) -> SIMD4<Double> { SIMD4(samples) }

  @inline(__always)
  static func nearest(
    _ values: SIMD4<Double>, _ met: SIMD4<Float>, at weights: SIMD4<Double>
  ) -> SIMD4<Float> {
    let marks = SIMD4<Int64>.zero.replacing(with: -1, where: weights .== 0)
    return SIMD4(values).replacing(with: met, where: SIMD4<Int32>(truncatingIfNeeded: marks) .!= 0)
  }
}

extension Double: Sample {
  static var fullScale: Double { 1 }

  @inline(__always)
  var exact: Double { self }

  @inline(__always)
  init(nearest value: Double) { self = value }

  @inline(__always)
  static func exact(_ samples: SIMD4<Double>) -> SIMD4<Double> { samples }

  @inline(__always)
  static func nearest(
    _ values: SIMD4<Double>, _ met: SIMD4<Double>, at weights: SIMD4<Double>
  ) -> SIMD4<Double> {
    values.replacing(with: met, where: weights .== 0)
  }

  /// The nearest integer, ties to even, clamped to `low ... high`, in the low 51 bits in two's
  /// complement. The number mustn't be NaN.
  ///
  /// Near 1.5 × 2^52, `Double` values are 1 apart, so adding that number rounds, and leaves the
  /// integer in the lowest bits of the sum. That way we don't have to call libm, or use a
  /// conversion that could trap.
  @inline(__always)
  fileprivate func wholeNumberBits(from low: Double, to high: Double) -> UInt64 {
    let notAbove = self < high ? self : high
    let clipped = notAbove > low ? notAbove : low
    return (clipped + 0x1.8p52).bitPattern
  }
}

extension SIMD4<Double> {
  /// `Double.wholeNumberBits` for four numbers.
  @inline(__always)
  fileprivate func wholeNumberBits(from low: Double, to high: Double) -> SIMD4<Int64> {
    let notAbove = replacing(with: high, where: .!(self .< high))
    let clipped = notAbove.replacing(with: low, where: .!(notAbove .> low))
    return unsafeBitCast(clipped + 0x1.8p52, to: SIMD4<Int64>.self)
  }
}

/// The input frames that kernels cover, numbered like the offsets of `ReadPoints`.
struct SampleSpan {
  let start: Int
  let end: Int

  var count: Int { end &- start }

  func joined(with other: SampleSpan) -> SampleSpan {
    SampleSpan(start: min(start, other.start), end: max(end, other.end))
  }
}

extension SampleSpan {
  /// The frames covered by a kernel at `offset`, with `half` frames on either side.
  init(_ offset: Int, _ half: Int) {
    self.init(start: offset &- half &+ 1, end: offset &+ half &+ 1)
  }
}
