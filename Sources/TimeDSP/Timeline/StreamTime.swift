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

/// The duration of `frames` frames in ns, rounded up: `ceil (frames × 10^9 / rate)`. Returns
/// `UInt64.max` if it does not fit. `rate` must be at least 1.
func timeNsCovering(_ frames: UInt64, rate: UInt32) -> UInt64 {
  let (high, low) = frames.multipliedFullWidth(by: secondNs)
  let (sum, carries) = low.addingReportingOverflow(UInt64(rate) &- 1)
  let top = high &+ (carries ? 1 : 0)
  guard top < UInt64(rate) else { return .max }
  return UInt64(rate).dividing(high: top, low: sum)
}

/// The duration of `frames` frames in ns, rounded half up: `frames × 10^9 / rate`. Returns
/// `UInt64.max` if it does not fit. `frames` must not be negative, and may have a fraction. `rate`
/// must be at least 1.
func timeNs(ofFrames frames: Double, rate: UInt32) -> UInt64 {
  let whole = timedsp_whole_part(frames)
  let (high, low) = UInt64(truncatingIfNeeded: whole).multipliedFullWidth(by: secondNs)
  let divisor = UInt64(rate)
  guard high < divisor else { return .max }
  let wholeNs = divisor.dividing(high: high, low: low)
  // the whole frames have been divided exactly, with a remainder below 2^32
  let left = Double(low &- wholeNs &* divisor)
  let rest = (left + (frames - Double(whole)) * Double(secondNs)) / Double(rate)
  return wholeNs &+ UInt64(truncatingIfNeeded: timedsp_whole_part(rest + 0.5))
}
