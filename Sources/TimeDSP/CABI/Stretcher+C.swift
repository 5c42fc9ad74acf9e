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
    // A size_t above Int.max comes in below 0.
    try require(isAligned && (bytes >= layout.bytes || bytes < 0), else: TIMEDSP_NO_MEMORY)
    stretcher.pointee = layout.place(in: memory, fraction)
  }
}

/// Starts anew. See `timestretch.h`.
@c @implementation
public func timestretch_reset(_ stretcher: OpaquePointer!) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    try Stretcher.behind(stretcher).pointee.reset()
  }
}

/// Changes the factor. See `timestretch.h`.
@c @implementation
public func timestretch_set_factor(
  _ stretcher: OpaquePointer!, _ factor: Double
) -> TimeDSPStatus {
  timestretch_ramp_factor(stretcher, factor, 0)
}

/// Moves the factor bit by bit. See `timestretch.h`.
@c @implementation
public func timestretch_ramp_factor(
  _ stretcher: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.behind(stretcher)
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    let frames = try streamLength(inFrames)
    try require(stretcher.pointee.length == nil, else: TIMEDSP_FINISHED)
    stretcher.pointee.map.bend(
      at: stretcher.pointee.received, to: fraction, within: frames)
  }
}

/// Where the next frame of input lies. See `timestretch.h`.
@c @implementation
public func timestretch_position(
  _ stretcher: OpaquePointer!, _ inFrame: UnsafeMutablePointer<UInt64>!,
  _ outFrame: UnsafeMutablePointer<UInt64>!, _ outFraction: UnsafeMutablePointer<Double>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.behind(stretcher)
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

/// A bound of what comes. See `timestretch.h`.
@c @implementation
public func timestretch_max_output(
  _ stretcher: OpaquePointer!, _ inFrames: UInt64, _ outFrames: UnsafeMutablePointer<UInt64>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.behind(stretcher)
    guard let outFrames else { throw TIMEDSP_NULL_POINTER }
    let frames = try streamLength(inFrames)
    let received = stretcher.pointee.received
    try require(frames <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    let more = stretcher.pointee.length == nil ? frames : 0
    let all = stretcher.pointee.map.place(of: received &+ more).whole &+ 1
    outFrames.pointee = UInt64(truncatingIfNeeded: max(all &- stretcher.pointee.made, 0))
  }
}

/// Stretches the next piece of a stream. See `timestretch.h`.
@c @implementation
public func timestretch_process(
  _ stretcher: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ progress: UnsafeMutablePointer<TimeStretchProgress>!
) -> TimeDSPStatus {
  progress?.pointee = TimeStretchProgress(frames_used: 0, frames_made: 0)
  return status { () throws(TimeDSPStatus) in
    let stretcher = try Stretcher.behind(stretcher)
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
    let stretcher = try Stretcher.behind(stretcher)
    guard let progress else { throw TIMEDSP_NULL_POINTER }
    try stretcher.pointee.check(nil, 0, output, outCapacity)
    var sink = FrameSink(planes: output, capacity: outCapacity)
    stretcher.pointee.finish(into: &sink)
    progress.pointee = TimeStretchProgress(frames_used: 0, frames_made: sink.made)
  }
}

/// What a configuration asks memory for.
private struct StretchLayout {
  let shape: AudioShape
  let sizes: StretchSizes

  init(_ config: TimeStretchConfig) throws(TimeDSPStatus) {
    let plain = TimeDSPConfig(
      format: config.format, layout: config.layout, interpolation: TIMEDSP_LINEAR,
      channels: config.channels, quality: 0)
    shape = try AudioShape(plain)
    let rates = UInt32(TIMESTRETCH_MIN_RATE)...UInt32(TIMESTRETCH_MAX_RATE)
    try require(rates.contains(config.rate), else: TIMEDSP_BAD_RATE)
    try require(
      config.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue, else: TIMEDSP_BAD_WINDOW)
    sizes = StretchSizes(config.window, rate: Int(truncatingIfNeeded: config.rate))
  }

  /// Bytes of the stretcher itself, up to a line of the cache.
  private var head: Int { (MemoryLayout<Stretcher>.size &+ 63) & ~63 }

  var bytes: Int {
    var arena = Arena(nil)
    _ = Stretcher(shape, sizes, &arena, computing: false)
    return head &+ arena.bytes
  }

  func place(in memory: UnsafeMutableRawPointer, _ factor: Fraction) -> OpaquePointer {
    var arena = Arena(memory + head)
    var stretcher = Stretcher(shape, sizes, &arena, computing: true)
    stretcher.start(factor)
    let place = memory.bindMemory(to: Stretcher.self, capacity: 1)
    place.initialize(to: stretcher)
    return OpaquePointer(place)
  }
}

extension Stretcher {
  /// The stretcher behind a C pointer.
  fileprivate static func behind(
    _ pointer: OpaquePointer?
  ) throws(TimeDSPStatus) -> UnsafeMutablePointer<Stretcher> {
    guard let pointer else { throw TIMEDSP_NULL_POINTER }
    return UnsafeMutablePointer(pointer)
  }

  /// Frames of input beyond the one that is heard, when it is given out.
  fileprivate var latency: Int64 {
    let half = Double(sizes.longest &>> 1)
    let speed = max(1 / map.factor(at: received), map.factor.speed)
    return Int64(truncatingIfNeeded: sizes.ahead) &+ rounded(half * speed) &+ 1
  }

  /// Refuses planes that are not sound or share memory, and more input than a
  /// stream may have.
  fileprivate borrowing func check(
    _ input: UnsafePointer<UnsafeRawPointer?>?, _ inFrames: Int,
    _ output: UnsafePointer<UnsafeMutableRawPointer?>?, _ outCapacity: Int
  ) throws(TimeDSPStatus) {
    let input = try PlaneList(input, frames: inFrames, shape: shape)
    let output = try PlaneList(output, frames: outCapacity, shape: shape)
    try require(
      Int64(truncatingIfNeeded: inFrames) <= mostFrames &- received, else: TIMEDSP_BAD_LENGTH)
    try require(!input.overlaps(output), else: TIMEDSP_OVERLAP)
  }
}

extension Fraction {
  /// The speed that it stands for as a factor.
  fileprivate var speed: Double { Double(denominator) / Double(numerator) }
}
