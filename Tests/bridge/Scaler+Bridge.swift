// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP
import CoreBridge

// The C functions of the scaler, which `corebridge.h` documents.

@c @implementation
public func core_scaled_length(_ frames: UInt64, _ factor: Double) -> UInt64 {
  (try? Scaler.length(of: frames, scaledBy: factor)) ?? 0
}

@c @implementation
public func core_scaler_new(
  _ config: UnsafePointer<TimeDSPConfig>!, _ factor: Double,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  scaler.pointee = nil
  return status { () throws(TimeDSPStatus) in
    let settings = try ScalerSettings(config.pointee)
    let positions = ReadCursor(try Fraction(checked: factor))
    scaler.pointee = OpaquePointer(try allocated(Scaler(settings, positions)))
  }
}

@c @implementation
public func core_scaler_new_endpoints(
  _ config: UnsafePointer<TimeDSPConfig>!, _ count: UInt64, _ length: UInt64,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  scaler.pointee = nil
  return status { () throws(TimeDSPStatus) in
    let settings = try ScalerSettings(config.pointee)
    let positions = try ReadCursor(count: count, length: length, settings)
    scaler.pointee = OpaquePointer(try allocated(Scaler(settings, positions)))
  }
}

@c @implementation
public func core_scaler_free(_ scaler: OpaquePointer!) {
  guard let scaler else { return }
  UnsafeMutablePointer<Scaler>(scaler).free()
}

@c @implementation
public func core_scaler_move(
  _ scaler: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let (fraction, _) = (try Fraction(checked: factor), try streamLength(inFrames))
    try require(value(scaler).pointee.isStream, else: TIMEDSP_BAD_FACTOR)
    value(scaler).pointee.ramp(to: fraction, within: inFrames)
  }
}

@c @implementation
public func core_scaler_continue(_ scaler: OpaquePointer!, _ other: OpaquePointer!) {
  value(scaler).pointee.adopt(value(other).pointee)
}

@c @implementation
public func core_scaler_position(
  _ scaler: OpaquePointer!, _ fraction: UnsafeMutablePointer<Double>!
) -> UInt64 {
  let position = value(scaler).pointee.position
  fraction.pointee = position.fraction
  return UInt64(truncatingIfNeeded: position.frame)
}

@c @implementation
public func core_scaler_max_output(
  _ scaler: OpaquePointer!, _ inFrames: UInt64, _ outFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let frames = try streamLength(inFrames)
    try require(frames <= maxFrames &- value(scaler).pointee.received, else: TIMEDSP_BAD_LENGTH)
    outFrames.pointee = value(scaler).pointee.framesDue(frames)
    _ = try streamLength(outFrames.pointee)
  }
}

@c @implementation
public func core_scaler_process(
  _ scaler: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ framesConsumed: UnsafeMutablePointer<Int>!, _ framesProduced: UnsafeMutablePointer<Int>!
) -> TimeDSPStatus {
  (framesConsumed.pointee, framesProduced.pointee) = (0, 0)
  return status { () throws(TimeDSPStatus) in
    let shape = value(scaler).pointee.shape
    try checkPlanes(input, frames: inFrames, shape)
    try checkPlanes(output, frames: outCapacity, shape)
    try require(!value(scaler).pointee.hasEnded, else: TIMEDSP_FINISHED)
    var cursor = FrameCursor(input, inFrames)
    var sink = FrameSink(planes: output, capacity: outCapacity)
    value(scaler).pointee.process(&cursor, into: &sink)
    (framesConsumed.pointee, framesProduced.pointee) = (cursor.first, sink.made)
  }
}

@c @implementation
public func core_scaler_finish(
  _ scaler: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int, _ framesProduced: UnsafeMutablePointer<Int>!
) -> TimeDSPStatus {
  framesProduced.pointee = 0
  return status { () throws(TimeDSPStatus) in
    try checkPlanes(output, frames: outCapacity, value(scaler).pointee.shape)
    var sink = FrameSink(planes: output, capacity: outCapacity)
    value(scaler).pointee.finish(into: &sink)
    framesProduced.pointee = sink.made
  }
}

private func value(_ scaler: OpaquePointer) -> UnsafeMutablePointer<Scaler> {
  UnsafeMutablePointer(scaler)
}
