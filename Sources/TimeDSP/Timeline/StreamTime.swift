// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Frames to nanoseconds and back. Products need up to 117 bits, and results that don't fit are
// clamped.

let secondNs: UInt64 = 1_000_000_000

/// The number of frames that cover `wayNs`: `ceil (wayNs × rate / 10^9)`, at most `maxFrames`.
func framesCovering(_ wayNs: UInt64, rate: UInt32) -> UInt64 {
  let most = UInt64(truncatingIfNeeded: maxFrames)
  let product = wayNs.multipliedFullWidth(by: UInt64(rate))
  let (low, carries) = product.low.addingReportingOverflow(secondNs &- 1)
  let high = product.high &+ (carries ? 1 : 0)
  return high < secondNs ? min(secondNs.dividing(high: high, low: low), most) : most
}
