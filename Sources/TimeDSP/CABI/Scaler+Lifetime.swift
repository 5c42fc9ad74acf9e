// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Makes a scaler for a stream of unknown length. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_new(
  _ config: UnsafePointer<TimeDSPConfig>!, _ factor: Double,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  scaler?.pointee = nil
  return status { () throws(TimeDSPStatus) in
    guard let config, let scaler else { throw TIMEDSP_NULL_POINTER }
    scaler.pointee = OpaquePointer(try placed(Scaler(config.pointee, factor: factor)))
  }
}

/// Makes a scaler that fits a number of frames to a length. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_new_endpoints(
  _ config: UnsafePointer<TimeDSPConfig>!, _ count: UInt64, _ length: UInt64,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  scaler?.pointee = nil
  return status { () throws(TimeDSPStatus) in
    guard let config, let scaler else { throw TIMEDSP_NULL_POINTER }
    let settings = try ScalerSettings(config.pointee)
    scaler.pointee = OpaquePointer(try placed(Scaler(settings, count: count, length: length)))
  }
}

/// Frees a scaler. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_free(_ scaler: OpaquePointer!) {
  Scaler.free(scaler)
}

extension Scaler {
  /// A scaler that fits `count` frames to `length` frames.
  init(_ settings: ScalerSettings, count: UInt64, length: UInt64) throws(TimeDSPStatus) {
    let positions = try EndpointPositions(count: count, length: length, settings)
    try self.init(settings, .endpoints(positions))
  }
}

extension EndpointPositions {
  /// Settings that fit `count` frames to `length` frames; throws if either is more than a stream
  /// may have, or if there are no frames to fit.
  init(
    count: UInt64, length: UInt64, _ settings: ScalerSettings
  ) throws(TimeDSPStatus) {
    try require(count > 0 || length == 0, else: TIMEDSP_BAD_LENGTH)
    self.init(
      count: try streamLength(count), length: try streamLength(length),
      smooth: settings.interpolation == TIMEDSP_SMOOTH)
  }
}

/// `frames`, unless a stream may not have so many.
func streamLength(_ frames: UInt64) throws(TimeDSPStatus) -> Int64 {
  try require(frames <= UInt64(truncatingIfNeeded: mostFrames), else: TIMEDSP_BAD_LENGTH)
  return Int64(truncatingIfNeeded: frames)
}
