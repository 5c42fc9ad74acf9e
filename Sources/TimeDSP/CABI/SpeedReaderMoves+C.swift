// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// See `timespeed.h` for all functions in this file.
@c @implementation
public func timespeed_new(
  _ settings: UnsafePointer<TimeSpeedSettings>!, _ other: OpaquePointer!,
  _ reader: UnsafeMutablePointer<OpaquePointer?>!, _ state: UnsafeMutablePointer<TimeSpeedState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let settings, let reader, let state else { throw TIMEDSP_NULL_POINTER }
    reader.pointee = nil
    var made = try SpeedReader(settings.pointee.audio, fadeFrames: settings.pointee.fade_frames)
    if let other { made.adopt(UnsafeMutablePointer<SpeedReader>(other).pointee) }
    made.describe(0, to: &state.pointee)
    reader.pointee = OpaquePointer(try allocated(made))
  }
}

@c @implementation
public func timespeed_free(_ reader: OpaquePointer!) { SpeedReader.free(reader) }

@c @implementation
public func timespeed_limit(_ reader: OpaquePointer!, _ start: Int64, _ end: Int64) {
  guard let reader else { return }
  UnsafeMutablePointer<SpeedReader>(reader).pointee.limit(from: start, to: end)
}

@inline(__always)
private func moved(
  _ reader: OpaquePointer?, _ state: UnsafeMutablePointer<TimeSpeedState>?,
  _ move: (inout SpeedReader) throws(TimeDSPStatus) -> Void
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let reader = try SpeedReader.value(of: reader)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    try move(&reader.pointee)
    reader.pointee.describe(0, to: &state.pointee)
  }
}

@c @implementation
public func timespeed_start(
  _ reader: OpaquePointer!, _ frame: Int64, _ speed: Double,
  _ state: UnsafeMutablePointer<TimeSpeedState>!
) -> TimeDSPStatus {
  moved(reader, state) { (reader: inout SpeedReader) throws(TimeDSPStatus) in
    try reader.start(at: frame, speed: speed)
  }
}

@c @implementation
public func timespeed_ramp(
  _ reader: OpaquePointer!, _ speed: Double, _ frames: UInt64,
  _ state: UnsafeMutablePointer<TimeSpeedState>!
) -> TimeDSPStatus {
  moved(reader, state) { (reader: inout SpeedReader) throws(TimeDSPStatus) in
    try reader.ramp(to: speed, within: frames)
  }
}

@c @implementation
public func timespeed_scrub(
  _ reader: OpaquePointer!, _ frame: Int64, _ frames: UInt64, _ speed: Double,
  _ state: UnsafeMutablePointer<TimeSpeedState>!
) -> TimeDSPStatus {
  moved(reader, state) { (reader: inout SpeedReader) throws(TimeDSPStatus) in
    try reader.scrub(to: frame, within: frames, speed: speed)
  }
}

@c @implementation
public func timespeed_needs(
  _ reader: OpaquePointer!, _ frames: Int, _ first: UnsafeMutablePointer<Int64>!,
  _ end: UnsafeMutablePointer<Int64>!
) {
  guard let reader, let first, let end else { return }
  let needs = UnsafeMutablePointer<SpeedReader>(reader).pointee.needs(frames)
  (first.pointee, end.pointee) = needs
}
