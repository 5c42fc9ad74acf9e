// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The end of the last frame that plays between `startNs` and `stopNs`. A stop between two frames
/// comes from a duration that was rounded, or from a seek: the frame into which it falls plays to
/// its end, and so does the frame into which the start falls. A stop 1 ns after the end of a frame
/// is that end, rounded up. `stopNs` itself if it is `noTime` or not after the start, and at a
/// `rate` of 0.
func lastFrameEndNs(from startNs: UInt64, to stopNs: UInt64, rate: UInt32) -> UInt64 {
  guard stopNs != noTime, startNs < stopNs, rate > 0 else { return stopNs }
  return endOfLastFrameNs(from: startNs, to: stopNs, rate: rate)
}

/// The end of the last frame of which a part lies in `startNs ..< stopNs`, at
/// least `stopNs`. A start on no frame counts as one inside of a frame.
///
/// `startNs` is below `stopNs` and `rate` is 1 or more.
private func endOfLastFrameNs(from startNs: UInt64, to stopNs: UInt64, rate: UInt32) -> UInt64 {
  // A stop that was rounded up to its nanosecond is no frame more.
  var frames = framesCovering(stopNs &- startNs &- 1, rate: rate)
  if !isOnFrame(startNs, rate: rate) { frames &+= 1 }
  let (endNs, overflows) = startNs.addingReportingOverflow(
    timeNs(ofHalfFrames: frames &<< 1, rate: rate))
  return overflows ? stopNs : max(stopNs, endNs)
}

/// `ceil (wayNs × rate / 10^9)`, up to the most frames of a stream.
func framesCovering(_ wayNs: UInt64, rate: UInt32) -> UInt64 {
  let most = UInt64(truncatingIfNeeded: mostFrames)
  let product = wayNs.multipliedFullWidth(by: UInt64(rate))
  let (low, carries) = product.low.addingReportingOverflow(secondNs &- 1)
  let high = product.high &+ (carries ? 1 : 0)
  return high < secondNs ? min(secondNs.dividing(high: high, low: low), most) : most
}

/// Whether a frame begins at `timeNs`, within 1 ns, if one does at 0.
private func isOnFrame(_ timeNs: UInt64, rate: UInt32) -> Bool {
  let nearest = UInt64(truncatingIfNeeded: frame(atNs: timeNs, rate: rate))
  let frameNs = TimeDSPCore.timeNs(ofHalfFrames: nearest &<< 1, rate: rate)
  return max(frameNs, timeNs) &- min(frameNs, timeNs) <= 1
}
