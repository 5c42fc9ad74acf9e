// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension FixedWidthInteger {
  /// `self / divisor` without a trap. The compiler emits one for `/`, even if `divisor` can't be 0.
  func quotient(by divisor: Self) -> Self {
    dividedReportingOverflow(by: divisor).partialValue
  }

  /// `self % divisor` without a trap.
  func remainder(by divisor: Self) -> Self {
    remainderReportingOverflow(dividingBy: divisor).partialValue
  }
}

extension UInt64 {
  /// `floor (self × factor / divisor)`, with an exact 128-bit product. The same conditions apply as
  /// for `dividing(high:low:)`.
  func multiplied(by factor: UInt64, dividedBy divisor: UInt64) -> UInt64 {
    let product = multipliedFullWidth(by: factor)
    return divisor.dividing(high: product.high, low: product.low)
  }

  /// `floor ((high × 2^64 + low) / self)`. `self` must be in 1 ..< 2^63, and `high` below `self`.
  ///
  /// If the dividend fits in 64 bits, we let the CPU divide. Otherwise, we do binary long division,
  /// because the 128-bit division in Swift's library can trap, and needs the compiler's runtime.
  func dividing(high: UInt64, low: UInt64) -> UInt64 {
    if high == 0 { return low.quotient(by: self) }
    var remainder = high
    var quotient = low
    for _ in upTo(64) {
      remainder = remainder &<< 1 | quotient &>> 63
      quotient = quotient &<< 1
      if remainder >= self {
        remainder &-= self
        quotient |= 1
      }
    }
    return quotient
  }
}
