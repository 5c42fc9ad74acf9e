// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The end of the last frame that is played if a segment plays from `startNs` to `stopNs`.
///
/// A stop inside a frame is caused by a rounded duration or by a seek. The frames that contain the
/// start and the stop are played completely, except that a stop 1 ns after the end of a frame is
/// treated as this end, rounded.
///
/// Returns `stopNs` if it is `noTime` or not after `startNs`, or if `rate` is 0.
func lastFrameEndNs(from startNs: UInt64, to stopNs: UInt64, rate: UInt32) -> UInt64 {
  guard stopNs != noTime, startNs < stopNs, rate > 0 else { return stopNs }
  return endOfLastFrameNs(from: startNs, to: stopNs, rate: rate)
}

/// The end of the last frame that overlaps `startNs ..< stopNs`; at least `stopNs`. Frames are
/// counted from `startNs`; if `startNs` is not on a frame boundary, one more frame is counted.
///
/// `startNs` must be below `stopNs`, and `rate` at least 1.
private func endOfLastFrameNs(from startNs: UInt64, to stopNs: UInt64, rate: UInt32) -> UInt64 {
  // the subtraction of 1 ns keeps a stop that was rounded up from adding a frame
  var frames = framesCovering(stopNs &- startNs &- 1, rate: rate)
  if !isOnFrame(startNs, rate: rate) { frames &+= 1 }
  let (endNs, overflows) = startNs.addingReportingOverflow(
    timeNs(ofHalfFrames: frames &<< 1, rate: rate))
  return overflows ? stopNs : max(stopNs, endNs)
}

/// The number of frames that cover `wayNs`: `ceil (wayNs × rate / 10^9)`, at most `mostFrames`.
func framesCovering(_ wayNs: UInt64, rate: UInt32) -> UInt64 {
  let most = UInt64(truncatingIfNeeded: mostFrames)
  let product = wayNs.multipliedFullWidth(by: UInt64(rate))
  let (low, carries) = product.low.addingReportingOverflow(secondNs &- 1)
  let high = product.high &+ (carries ? 1 : 0)
  return high < secondNs ? min(secondNs.dividing(high: high, low: low), most) : most
}

/// Whether a frame boundary is within 1 ns of `timeNs`. The first frame begins at 0.
private func isOnFrame(_ timeNs: UInt64, rate: UInt32) -> Bool {
  let nearest = UInt64(truncatingIfNeeded: frame(atNs: timeNs, rate: rate))
  let frameNs = TimeDSPCore.timeNs(ofHalfFrames: nearest &<< 1, rate: rate)
  return max(frameNs, timeNs) &- min(frameNs, timeNs) <= 1
}
