// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A signed 128-bit fixed-point number of ticks (`TickPosition`). `high` counts ticks, and `low`
/// counts 2^-64 of a tick.
struct Wide {
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

  /// The number nearest to `value`, which is clamped to ±2^62.
  init(_ value: Double) {
    let magnitude = min(value.magnitude, 0x1p62)
    let whole = timedsp_whole_part(magnitude)
    let rest = (magnitude - Double(whole)) * 0x1p63
    let low = UInt64(truncatingIfNeeded: timedsp_whole_part(rest)) &<< 1
    self.init(high: whole, low: low)
    if value < 0 { self = negated }
  }

  var negated: Wide {
    Wide(high: ~high, low: ~low).adding(Wide(high: 0, low: 1))
  }

  /// Half of this number, rounded down.
  var halved: Wide {
    Wide(high: high &>> 1, low: low &>> 1 | UInt64(truncatingIfNeeded: high) &<< 63)
  }
}
