// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Conversions between frames and nanoseconds. Products need up to 117 bits. Results that do not fit
// are clamped.

let secondNs: UInt64 = 1_000_000_000

/// The number of the frame nearest to `timeNs`, rounded half up, at most `mostFrames`; 0 if `rate`
/// is 0.
func frame(atNs timeNs: UInt64, rate: UInt32) -> Int64 {
  var (high, low) = timeNs.multipliedFullWidth(by: UInt64(rate))
  let (rounded, carries) = low.addingReportingOverflow(secondNs &>> 1)
  low = rounded
  high &+= carries ? 1 : 0
  guard high < secondNs else { return mostFrames }
  let frame = secondNs.dividing(high: high, low: low)
  return Int64(truncatingIfNeeded: min(frame, UInt64(truncatingIfNeeded: mostFrames)))
}

/// The time in ns at half-frame `halves`: `floor (halves × 10^9 / (2 × rate))`. Returns
/// `UInt64.max` if the time does not fit. `rate` must be at least 1.
func timeNs(ofHalfFrames halves: UInt64, rate: UInt32) -> UInt64 {
  let (high, low) = halves.multipliedFullWidth(by: secondNs)
  let divisor = UInt64(rate) &<< 1
  guard high < divisor else { return .max }
  return divisor.dividing(high: high, low: low)
}

/// The number of frames that cover `wayNs`: `ceil (wayNs × rate / 10^9)`, at most `mostFrames`.
func framesCovering(_ wayNs: UInt64, rate: UInt32) -> UInt64 {
  let most = UInt64(truncatingIfNeeded: mostFrames)
  let product = wayNs.multipliedFullWidth(by: UInt64(rate))
  let (low, carries) = product.low.addingReportingOverflow(secondNs &- 1)
  let high = product.high &+ (carries ? 1 : 0)
  return high < secondNs ? min(secondNs.dividing(high: high, low: low), most) : most
}
