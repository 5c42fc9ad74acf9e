// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// The memory of a stretcher. See `timestretch.h`.
@c @implementation
public func timestretch_memory_bytes(
  _ config: UnsafePointer<TimeStretchConfig>!, _ bytes: UnsafeMutablePointer<Int>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let config, let bytes else { throw TIMEDSP_NULL_POINTER }
    let layout = try StretchLayout(config.pointee)
    bytes.pointee = layout.bytes
  }
}

/// Makes a stretcher in memory. See `timestretch.h`.
@c @implementation
public func timestretch_init(
  _ config: UnsafePointer<TimeStretchConfig>!, _ factor: Double,
  _ memory: UnsafeMutableRawPointer!, _ bytes: Int,
  _ stretcher: UnsafeMutablePointer<OpaquePointer?>!
) -> TimeDSPStatus {
  stretcher?.pointee = nil
  return status { () throws(TimeDSPStatus) in
    guard let config, let memory, let stretcher else { throw TIMEDSP_NULL_POINTER }
    let layout = try StretchLayout(config.pointee)
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    let isAligned = UInt(bitPattern: memory) & 63 == 0
    // a size_t above Int.max arrives as a negative number
    try require(isAligned && (bytes >= layout.bytes || bytes < 0), else: TIMEDSP_NO_MEMORY)
    stretcher.pointee = OpaquePointer(layout.place(in: memory, fraction))
  }
}

/// Starts again with a new stream. See `timestretch.h`.
@c @implementation
public func timestretch_reset(_ stretcher: OpaquePointer!) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try Stretcher.value(of: stretcher).pointee.reset()
  }
}

/// Changes the factor. See `timestretch.h`.
@c @implementation
public func timestretch_set_factor(
  _ stretcher: OpaquePointer!, _ factor: Double
) -> TimeDSPStatus {
  timestretch_ramp_factor(stretcher, factor, 0)
}

/// Starts a ramp of the factor. See `timestretch.h`.
@c @implementation
public func timestretch_ramp_factor(
  _ stretcher: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.value(of: stretcher)
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    let frames = try streamLength(inFrames)
    try require(stretcher.pointee.length == nil, else: TIMEDSP_FINISHED)
    stretcher.pointee.map.bend(
      at: stretcher.pointee.received, to: fraction, within: frames)
  }
}

/// Output position of the next input frame. See `timestretch.h`.
@c @implementation
public func timestretch_position(
  _ stretcher: OpaquePointer!, _ inFrame: UnsafeMutablePointer<UInt64>!,
  _ outFrame: UnsafeMutablePointer<UInt64>!, _ outFraction: UnsafeMutablePointer<Double>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.value(of: stretcher)
    guard let inFrame, let outFrame, let outFraction else { throw TIMEDSP_NULL_POINTER }
    let received = stretcher.pointee.received
    let (whole, fraction) = stretcher.pointee.map.place(of: received)
    inFrame.pointee = UInt64(truncatingIfNeeded: received)
    outFrame.pointee = UInt64(truncatingIfNeeded: whole)
    outFraction.pointee = fraction
  }
}

/// The latency. See `timestretch.h`.
@c @implementation
public func timestretch_latency(_ stretcher: OpaquePointer!) -> UInt32 {
  guard let stretcher else { return 0 }
  let latency = UnsafeMutablePointer<Stretcher>(stretcher).pointee.latency
  return UInt32(truncatingIfNeeded: latency)
}

/// An upper bound of the output. See `timestretch.h`.
@c @implementation
public func timestretch_max_output(
  _ stretcher: OpaquePointer!, _ inFrames: UInt64, _ outFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.value(of: stretcher)
    guard let outFrames else { throw TIMEDSP_NULL_POINTER }
    let frames = try streamLength(inFrames)
    try require(frames <= mostFrames &- stretcher.pointee.received, else: TIMEDSP_BAD_LENGTH)
    outFrames.pointee = UInt64(truncatingIfNeeded: stretcher.pointee.framesDue(frames))
  }
}

/// Stretches the next part of a stream. See `timestretch.h`.
@c @implementation
public func timestretch_process(
  _ stretcher: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ progress: UnsafeMutablePointer<TimeStretchProgress>!
) -> TimeDSPStatus {
  progress?.pointee = TimeStretchProgress(frames_used: 0, frames_made: 0)
  return status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.value(of: stretcher)
    guard let progress else { throw TIMEDSP_NULL_POINTER }
    try stretcher.pointee.check(input, inFrames, output, outCapacity)
    try require(stretcher.pointee.length == nil, else: TIMEDSP_FINISHED)
    var sink = FrameSink(planes: output, capacity: outCapacity)
    let used = stretcher.pointee.process(input, frames: inFrames, into: &sink)
    progress.pointee = TimeStretchProgress(frames_used: used, frames_made: sink.made)
  }
}

/// Ends a stream. See `timestretch.h`.
@c @implementation
public func timestretch_finish(
  _ stretcher: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int, _ progress: UnsafeMutablePointer<TimeStretchProgress>!
) -> TimeDSPStatus {
  progress?.pointee = TimeStretchProgress(frames_used: 0, frames_made: 0)
  return status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.value(of: stretcher)
    guard let progress else { throw TIMEDSP_NULL_POINTER }
    try stretcher.pointee.check(nil, 0, output, outCapacity)
    var sink = FrameSink(planes: output, capacity: outCapacity)
    stretcher.pointee.finish(into: &sink)
    progress.pointee = TimeStretchProgress(frames_used: 0, frames_made: sink.made)
  }
}

/// Frames that are ready. See `timestretch.h`.
@c @implementation
public func timestretch_ready(_ stretcher: OpaquePointer!) -> Int {
  guard let stretcher else { return 0 }
  return UnsafeMutablePointer<Stretcher>(stretcher).pointee.ready
}

/// Whether the output equals the input from here on. See `timestretch.h`.
@c @implementation
public func timestretch_is_identity(_ stretcher: OpaquePointer!) -> Int32 {
  guard let stretcher else { return 0 }
  return UnsafeMutablePointer<Stretcher>(stretcher).pointee.isIdentity ? 1 : 0
}
