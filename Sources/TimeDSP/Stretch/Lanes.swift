// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Eight numbers at once. The CPU's vector width changes no result, because every lane is computed
/// in the same way, and hot loops never sum lanes.
typealias Lanes = SIMD8<Float>

extension UnsafeMutablePointer where Pointee == Float {
  /// From `index` on. No alignment is needed.
  @inline(__always)
  func lanes(_ index: Int) -> Lanes { UnsafeMutableRawPointer(self + index).read(Lanes.self) }

  @inline(__always)
  func put(_ lanes: Lanes, _ index: Int) { UnsafeMutableRawPointer(self + index).write(lanes) }

  @inline(__always)
  func four(_ index: Int) -> SIMD4<Float> {
    UnsafeMutableRawPointer(self + index).read(SIMD4<Float>.self)
  }

  @inline(__always)
  func put(_ four: SIMD4<Float>, _ index: Int) {
    UnsafeMutableRawPointer(self + index).write(four)
  }

  /// `count` is rounded up to a multiple of eight.
  func scale(by factor: Float, _ count: Int) {
    for index in upTo(count, by: 8) {
      put(lanes(index) * factor, index)
    }
  }

  func fill(_ value: Float, _ count: Int) {
    for index in upTo(count) {
      self[index] = value
    }
  }
}

extension UnsafeMutablePointer where Pointee == UInt32 {
  func clear(_ count: Int) {
    for index in upTo(count) {
      self[index] = 0
    }
  }

  @inline(__always)
  func lanes(_ index: Int) -> SIMD8<UInt32> {
    UnsafeMutableRawPointer(self + index).read(SIMD8<UInt32>.self)
  }

  @inline(__always)
  func put(_ lanes: SIMD8<UInt32>, _ index: Int) {
    UnsafeMutableRawPointer(self + index).write(lanes)
  }
}

extension UnsafeMutablePointer where Pointee == UInt8 {
  /// Eight numbers from `index` on, each 0 or 1, become masks: all bits set for 1, and 0 for 0.
  @inline(__always)
  func marks(_ index: Int) -> SIMD8<UInt32> {
    let bytes = UnsafeMutableRawPointer(self + index).read(SIMD8<UInt8>.self)
    return SIMD8<UInt32>.zero &- SIMD8<UInt32>(truncatingIfNeeded: bytes)
  }
}

extension Lanes {
  @inline(__always)
  var bits: SIMD8<UInt32> { unsafeBitCast(self, to: SIMD8<UInt32>.self) }

  @inline(__always)
  init(bits: SIMD8<UInt32>) { self = unsafeBitCast(bits, to: Lanes.self) }

  @inline(__always)
  var magnitudes: Lanes { Lanes(bits: bits & 0x7fff_ffff) }

  /// 0 replaces each number whose square would be subnormal, because CPUs are slow with those.
  @inline(__always)
  var squarable: Lanes {
    let under = Lanes(bits: magnitudes.bits &- Float(0x1p-63).bitPattern)
    return Lanes(bits: bits & ~under.signs)
  }

  /// We move the lanes as integers. If we moved floats, the compiler would compute the sums before
  /// them lane by lane.
  @inline(__always)
  var reversed: Lanes {
    let b = bits
    return Lanes(bits: SIMD8<UInt32>(b[7], b[6], b[5], b[4], b[3], b[2], b[1], b[0]))
  }

  @inline(__always)
  func interleaved(_ other: Lanes) -> SIMD16<Float> {
    let (a, b) = (bits, other.bits)
    var both = SIMD16<UInt32>()
    both.evenHalf = a
    both.oddHalf = b
    return unsafeBitCast(both, to: SIMD16<Float>.self)
  }
}

/// Complex numbers, with real and imaginary parts in separate arrays.
struct Spectrum {
  let re: UnsafeMutablePointer<Float>
  let im: UnsafeMutablePointer<Float>
}

struct ComplexLanes {
  var re: Lanes
  var im: Lanes

  @inline(__always)
  init(_ re: Lanes, _ im: Lanes) {
    self.re = re
    self.im = im
  }

  @inline(__always)
  init(_ numbers: Spectrum, _ index: Int) {
    self.init(numbers.re.lanes(index), numbers.im.lanes(index))
  }

  @inline(__always)
  func store(_ numbers: Spectrum, _ index: Int) {
    numbers.re.put(re, index)
    numbers.im.put(im, index)
  }

  @inline(__always)
  static func + (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re + b.re, a.im + b.im)
  }

  @inline(__always)
  static func - (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re - b.re, a.im - b.im)
  }

  @inline(__always)
  static func * (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
  }

  /// a × conj b.
  @inline(__always)
  func timesConjugate(_ b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(re * b.re + im * b.im, im * b.re - re * b.im)
  }

  /// i × self.
  @inline(__always)
  var rotated: ComplexLanes { ComplexLanes(Lanes.zero - im, re) }

  @inline(__always)
  var squarable: ComplexLanes { ComplexLanes(re.squarable, im.squarable) }

  /// |self|².
  @inline(__always)
  var power: Lanes { re * re + im * im }
}
