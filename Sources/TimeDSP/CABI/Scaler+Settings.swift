// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// The length of scaled audio. See `timedsp.h`.
@c @implementation
public func timedsp_scaled_length(
  _ frames: UInt64, _ factor: Double, _ scaled: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let scaled else { throw TIMEDSP_NULL_POINTER }
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    _ = try streamLength(frames)
    let length = try streamLength(fraction.scaled(frames))
    scaled.pointee = UInt64(truncatingIfNeeded: length)
  }
}

/// Starts anew with the same settings. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_reset(_ scaler: OpaquePointer!) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try Scaler.behind(scaler).pointee.reset()
  }
}

/// Changes the factor. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_set_factor(
  _ scaler: OpaquePointer!, _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.behind(scaler)
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    try require(scaler.pointee.setFactor(fraction), else: TIMEDSP_BAD_FACTOR)
  }
}

/// A bound of the frames to come. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_max_output(
  _ scaler: OpaquePointer!, _ inFrames: UInt64,
  _ outFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.behind(scaler)
    guard let outFrames else { throw TIMEDSP_NULL_POINTER }
    let frames = try streamLength(inFrames)
    let received = scaler.pointee.received
    try require(frames <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    let due = try streamLength(scaler.pointee.framesDue(frames))
    outFrames.pointee = UInt64(truncatingIfNeeded: due)
  }
}

/// The latency of the interpolation. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_lookahead(_ scaler: OpaquePointer!) -> UInt32 {
  guard let scaler else { return 0 }
  let interpolation = UnsafeMutablePointer<Scaler>(scaler).pointee.interpolation
  return UInt32(truncatingIfNeeded: interpolation.after)
}
