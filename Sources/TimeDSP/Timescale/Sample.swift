// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// One number of one channel, as it lies in memory.
protocol Sample: BitwiseCopyable {
  /// What kernels are multiplied in: a precision that all of its bits and the
  /// rounding of the result leave room for.
  associatedtype Real: SincReal

  /// The same number in the precision of all arithmetic; exact.
  var exact: Double { get }

  /// The sample nearest to `value`: integers are rounded half to even and
  /// clipped, floating point is rounded by the hardware.
  init(nearest value: Double)
}

extension Int16: Sample {
  typealias Real = Float

  @inline(__always)
  var exact: Double { Double(self) }

  @inline(__always)
  init(nearest value: Double) {
    self.init(truncatingIfNeeded: value.wholeNumberBits(from: -32_768, to: 32_767))
  }
}

extension Int32: Sample {
  typealias Real = Double

  @inline(__always)
  var exact: Double { Double(self) }

  @inline(__always)
  init(nearest value: Double) {
    self.init(truncatingIfNeeded: value.wholeNumberBits(from: -2_147_483_648, to: 2_147_483_647))
  }
}

extension Float: Sample {
  typealias Real = Float

  @inline(__always)
  var exact: Double { Double(self) }

  @inline(__always)
  init(nearest value: Double) { self.init(value) }
}

extension Double: Sample {
  typealias Real = Double

  @inline(__always)
  var exact: Double { self }

  @inline(__always)
  init(nearest value: Double) { self = value }

  /// The whole number nearest to a number that is not NaN, ties to even, held
  /// to `low ... high`; two's complement in the low 51 bits.
  ///
  /// At 1.5 × 2^52 doubles are 1 apart, so adding that makes the hardware
  /// round, and leaves the whole number in the lowest bits of the sum: there
  /// is no call of libm, and no conversion that could trap.
  @inline(__always)
  fileprivate func wholeNumberBits(from low: Double, to high: Double) -> UInt64 {
    let notAbove = self < high ? self : high
    let clipped = notAbove > low ? notAbove : low
    return (clipped + 0x1.8p52).bitPattern
  }
}
