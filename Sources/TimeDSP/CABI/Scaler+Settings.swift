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
    scaled.pointee = try Scaler.length(of: frames, scaledBy: factor)
  }
}

/// Starts again with the same settings. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_reset(_ scaler: OpaquePointer!) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try Scaler.value(of: scaler).pointee.reset()
  }
}

/// Changes the factor. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_set_factor(
  _ scaler: OpaquePointer!, _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    let fraction = try Fraction(checked: factor)
    try require(scaler.pointee.setFactor(fraction), else: TIMEDSP_BAD_FACTOR)
  }
}

/// Starts a ramp of the factor. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_ramp_factor(
  _ scaler: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try Scaler.value(of: scaler).pointee.move(to: factor, within: inFrames)
  }
}

/// The length of a ramp of the factor. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_ramp_frames(
  _ scaler: OpaquePointer!, _ factor: Double, _ inFrames: UInt64,
  _ rampFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    guard let rampFrames else { throw TIMEDSP_NULL_POINTER }
    let fraction = try Fraction(checked: factor)
    _ = try streamLength(inFrames)
    rampFrames.pointee =
      inFrames == 0 ? 0 : scaler.pointee.rampFrames(to: fraction, within: inFrames)
  }
}

/// An upper bound of the output. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_max_output(
  _ scaler: OpaquePointer!, _ inFrames: UInt64,
  _ outFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    guard let outFrames else { throw TIMEDSP_NULL_POINTER }
    outFrames.pointee = try scaler.pointee.framesDue(after: inFrames)
  }
}

/// The latency of the interpolation. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_lookahead(_ scaler: OpaquePointer!) -> UInt32 {
  guard let scaler else { return 0 }
  return UInt32(truncatingIfNeeded: UnsafeMutablePointer<Scaler>(scaler).pointee.lookahead)
}

/// The memory of a scaler. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_memory_bytes(_ scaler: OpaquePointer!) -> Int {
  guard let scaler else { return 0 }
  return UnsafeMutablePointer<Scaler>(scaler).pointee.memoryBytes
}

/// Position of the next frame. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_position(
  _ scaler: OpaquePointer!, _ inFrame: UnsafeMutablePointer<UInt64>!,
  _ fraction: UnsafeMutablePointer<Double>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    guard let inFrame, let fraction else { throw TIMEDSP_NULL_POINTER }
    let position = scaler.pointee.position
    inFrame.pointee = UInt64(truncatingIfNeeded: position.frame)
    fraction.pointee = position.fraction
  }
}

/// Continues the stream of another scaler. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_continue(
  _ scaler: OpaquePointer!, _ other: OpaquePointer!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    let other = try Scaler.value(of: other)
    try require(scaler.pointee.isFresh, else: TIMEDSP_FINISHED)
    try require(scaler.pointee.isStream && other.pointee.isStream, else: TIMEDSP_BAD_FACTOR)
    try require(scaler.pointee.shape.isSame(as: other.pointee.shape), else: TIMEDSP_BAD_FORMAT)
    scaler.pointee.adopt(other.pointee)
  }
}
