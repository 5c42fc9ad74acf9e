// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A signed 64.64 fixed-point number: `high` counts units, and `low` counts 2^-64 of a unit.
struct Wide: Equatable, BitwiseCopyable {
  var high: Int64
  var low: UInt64

  /// Wraps around on overflow.
  func adding(_ other: Wide) -> Wide {
    let (low, carries) = low.addingReportingOverflow(other.low)
    return Wide(high: high &+ other.high &+ (carries ? 1 : 0), low: low)
  }

  /// Always below 1. We have to limit it, because `Double` might round it up to 1.
  var fraction: Double { min(Double(low) * 0x1p-64, 1.0.nextDown) }

  var value: Double { Double(high) + Double(low) * 0x1p-64 }

  func precedes(_ other: Wide) -> Bool { high == other.high ? low < other.low : high < other.high }

  var negated: Wide {
    Wide(high: ~high, low: ~low).adding(Wide(high: 0, low: 1))
  }

  /// Half of it, rounded down.
  var halved: Wide {
    Wide(high: high &>> 1, low: low &>> 1 | UInt64(truncatingIfNeeded: high) &<< 63)
  }

  /// Wraps around on overflow.
  func subtracting(_ other: Wide) -> Wide { adding(other.negated) }

  /// Wraps around on overflow.
  func times(_ count: UInt64) -> Wide {
    let product = low.multipliedFullWidth(by: count)
    let whole = UInt64(truncatingIfNeeded: high) &* count &+ product.high
    return Wide(high: Int64(truncatingIfNeeded: whole), low: product.low)
  }

  /// Times `part` × 2^-64, rounded down by less than 2^-63.
  func times(part: UInt64) -> Wide {
    let product = UInt64(truncatingIfNeeded: high).multipliedFullWidth(by: part)
    // if `high` is negative, its bits represent a number that's 2^64 too large
    let excess = high < 0 ? part : 0
    return Wide(high: Int64(truncatingIfNeeded: product.high &- excess), low: product.low)
      .adding(Wide(high: 0, low: low.multipliedFullWidth(by: part).high))
  }

  /// Divides by 1 ..< 2^63, and rounds towards 0.
  func divided(by count: UInt64) -> Wide {
    if high < 0 { return negated.divided(by: count).negated }
    let whole = UInt64(truncatingIfNeeded: high).quotient(by: count)
    let rest = UInt64(truncatingIfNeeded: high) &- whole &* count
    return Wide(high: Int64(truncatingIfNeeded: whole), low: count.dividing(high: rest, low: low))
  }
}

extension Wide {
  /// `fraction` must be in 0 ..< 1.
  init(whole: Int64, fraction: Double) {
    let low = UInt64(truncatingIfNeeded: timedsp_whole_part(fraction * 0x1p63)) &<< 1
    self.init(high: whole, low: low)
  }

  /// The nearest number, with `value` clamped to ±2^62.
  init(_ value: Double) {
    let magnitude = min(value.magnitude, 0x1p62)
    let whole = timedsp_whole_part(magnitude)
    self.init(whole: whole, fraction: magnitude - Double(whole))
    if value < 0 { self = negated }
  }
}
