// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Products of times and factors need up to 128 bits. We only round once, half up, so every CPU gets
// the same nanosecond.

/// We clamp results to this, in ns.
let latestTime = UInt64(Int64.max)

/// An unknown time, GStreamer's `GST_CLOCK_TIME_NONE`.
let noTime = UInt64.max

/// Like `scaled(_:by:)`, but `noTime` stays `noTime`, and factor 1 doesn't change anything.
func scaledTime(_ time: UInt64, by factor: Double) -> UInt64 {
  time == noTime || factor == 1 ? time : scaled(time, by: factor)
}

/// `time × rise / run`, rounded half up, at most `latestTime`, for `run` in 1 ..< 2^63.
func scaled(_ time: UInt64, _ rise: UInt64, by run: UInt64) -> UInt64 {
  let product = time.multipliedFullWidth(by: rise)
  let (low, carries) = product.low.addingReportingOverflow(run &>> 1)
  let high = product.high &+ (carries ? 1 : 0)
  guard high < run else { return latestTime }
  return min(run.dividing(high: high, low: low), latestTime)
}

/// `time × factor`, rounded half up, at most `latestTime`. It's 0 unless `factor` is above 0.
///
/// We take a scaling factor as the simplest fraction that converts to the same `Double`, so 5 × 0.7
/// is exactly 3.5. Any other number is taken literally, to the last bit.
func scaled(_ time: UInt64, by factor: Double) -> UInt64 {
  if let fraction = Fraction(factor: factor) {
    return scaled(time, fraction.numerator, by: fraction.denominator)
  }
  guard factor >= .leastNormalMagnitude, time > 0 else { return 0 }
  // factor = significand / 2^places
  let significand = factor.significandBitPattern | 1 &<< 52
  let places = 1023 &+ 52 &- Int(truncatingIfNeeded: factor.bitPattern &>> 52)
  if places < -10 { return latestTime }
  if places < 0 { return scaled(time, significand &<< UInt64(-places), by: 1) }
  if places <= 62 { return scaled(time, significand, by: 1 &<< UInt64(places)) }
  // the quotient is below 2^55, and the part we cut off doesn't affect the rounding
  let whole = time.multiplied(by: significand, dividedBy: 1 &<< 62)
  let rest = places &- 62
  return rest > 56 ? 0 : (whole &+ 1 &<< UInt64(rest &- 1)) &>> UInt64(rest)
}

// This converts nanoseconds to frames. The product needs more than 64 bits, and we clamp results
// that don't fit.

let secondNs: UInt64 = 1_000_000_000

/// How many frames it takes to cover `wayNs`: `ceil (wayNs × rate / 10^9)`, at most `maxFrames`.
func framesCovering(_ wayNs: UInt64, rate: UInt32) -> UInt64 {
  let most = UInt64(truncatingIfNeeded: maxFrames)
  let product = wayNs.multipliedFullWidth(by: UInt64(rate))
  let (low, carries) = product.low.addingReportingOverflow(secondNs &- 1)
  let high = product.high &+ (carries ? 1 : 0)
  return high < secondNs ? min(secondNs.dividing(high: high, low: low), most) : most
}
