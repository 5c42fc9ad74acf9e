// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A signed 64.64 fixed-point number: `high` counts units, and `low` counts 2^-64 of a unit.
struct Wide: Equatable, BitwiseCopyable {
  var high: Int64
  var low: UInt64

  init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The sum, without its overflow.
  @inline(__always)
  func adding(_ other: Wide) -> Wide {
    let (low, carries) = low.addingReportingOverflow(other.low)
    return Wide(high: high &+ other.high &+ (carries ? 1 : 0), low: low)
  }

  /// `whole` + `fraction`, which must be in 0 ..< 1.
  init(whole: Int64, fraction: Double) {
    let low = UInt64(truncatingIfNeeded: timedsp_whole_part(fraction * 0x1p63)) &<< 1
    self.init(high: whole, low: low)
  }

  /// The number nearest to `value`, which is clamped to ±2^62.
  init(_ value: Double) {
    let magnitude = min(value.magnitude, 0x1p62)
    let whole = timedsp_whole_part(magnitude)
    self.init(whole: whole, fraction: magnitude - Double(whole))
    if value < 0 { self = negated }
  }

  /// The distance from `high`, below 1. Without the limit, `Double` would round it to 1.
  var fraction: Double { min(Double(low) * 0x1p-64, 1.0.nextDown) }

  var value: Double { Double(high) + Double(low) * 0x1p-64 }

  /// Whether this number is below `other`.
  func precedes(_ other: Wide) -> Bool { high == other.high ? low < other.low : high < other.high }

  var negated: Wide {
    Wide(high: ~high, low: ~low).adding(Wide(high: 0, low: 1))
  }

  /// Half of this number, rounded down.
  var halved: Wide {
    Wide(high: high &>> 1, low: low &>> 1 | UInt64(truncatingIfNeeded: high) &<< 63)
  }
}
