// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Scales the next part of a stream. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_process(
  _ scaler: OpaquePointer!,
  _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ framesUsed: UnsafeMutablePointer<Int>!, _ framesMade: UnsafeMutablePointer<Int>!
) -> TimeDSPStatus {
  framesUsed?.pointee = 0
  framesMade?.pointee = 0
  return status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    guard let framesUsed, let framesMade else { throw TIMEDSP_NULL_POINTER }
    (framesUsed.pointee, framesMade.pointee) = try scaler.pointee.process(
      input, frames: inFrames, into: output, capacity: outCapacity)
  }
}

/// Records frames that were passed through. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_pass(
  _ scaler: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    try scaler.pointee.check(input, inFrames, nil, 0)
    try require(!scaler.pointee.hasEnded, else: TIMEDSP_FINISHED)
    guard inFrames > 0, let input else { return }
    try require(scaler.pointee.pass(input, frames: inFrames), else: TIMEDSP_BAD_FACTOR)
  }
}

/// Ends a stream. See `timedsp.h`.
@c @implementation
public func timedsp_scaler_finish(
  _ scaler: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int, _ framesMade: UnsafeMutablePointer<Int>!
) -> TimeDSPStatus {
  framesMade?.pointee = 0
  return status { () throws(TimeDSPStatus) in
    let scaler = try Scaler.value(of: scaler)
    guard let framesMade else { throw TIMEDSP_NULL_POINTER }
    framesMade.pointee = try scaler.pointee.finish(into: output, capacity: outCapacity)
  }
}

/// Scales a whole array. See `timedsp.h`.
@c @implementation
public func timedsp_scale_to_length(
  _ config: UnsafePointer<TimeDSPConfig>!,
  _ input: UnsafePointer<UnsafeRawPointer?>!, _ count: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int, _ length: Int
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let config else { throw TIMEDSP_NULL_POINTER }
    try Scaler.fit(
      config.pointee, input, count: count, into: output, capacity: outCapacity, length: length)
  }
}
