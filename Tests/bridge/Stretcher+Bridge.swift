// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP
import CoreBridge

// The C functions of the stretcher, which `corebridge.h` documents.

@c @implementation
public func core_stretcher_bytes(
  _ audio: UnsafePointer<TimeDSPConfig>!, _ rate: UInt32, _ window: TimeStretchWindow
) -> Int {
  guard let shape = try? AudioShape(audio.pointee) else { return 0 }
  return StretchLayout(shape, window, rate: rate).bytes
}

@c @implementation
public func core_stretcher_place(
  _ audio: UnsafePointer<TimeDSPConfig>!, _ rate: UInt32, _ window: TimeStretchWindow,
  _ factor: Double, _ memory: UnsafeMutableRawPointer!
) -> OpaquePointer! {
  guard let shape = try? AudioShape(audio.pointee), let fraction = Fraction(factor: factor) else {
    return nil
  }
  return OpaquePointer(StretchLayout(shape, window, rate: rate).makeStretcher(in: memory, fraction))
}

@c @implementation
public func core_stretcher_reset(_ stretcher: OpaquePointer!) { value(stretcher).pointee.reset() }

@c @implementation
public func core_stretcher_move(
  _ stretcher: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = value(stretcher)
    stretcher.pointee.map.bend(
      at: stretcher.pointee.received, to: try Fraction(checked: factor),
      within: try streamLength(inFrames))
  }
}

@c @implementation
public func core_stretcher_position(
  _ stretcher: OpaquePointer!, _ inFrame: UnsafeMutablePointer<UInt64>!,
  _ fraction: UnsafeMutablePointer<Double>!
) -> UInt64 {
  let stretcher = value(stretcher)
  let position = stretcher.pointee.map.output(at: stretcher.pointee.received)
  inFrame.pointee = UInt64(truncatingIfNeeded: stretcher.pointee.received)
  fraction.pointee = position.fraction
  return UInt64(truncatingIfNeeded: position.whole)
}

@c @implementation
public func core_stretcher_max_output(_ stretcher: OpaquePointer!, _ inFrames: UInt64) -> UInt64 {
  UInt64(
    truncatingIfNeeded: value(stretcher).pointee.framesDue(Int64(truncatingIfNeeded: inFrames)))
}

@c @implementation
public func core_stretcher_process(
  _ stretcher: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ framesConsumed: UnsafeMutablePointer<Int>!
) -> Int {
  var sink = FrameSink(planes: output, capacity: outCapacity)
  framesConsumed.pointee = value(stretcher).pointee.process(input, frames: inFrames, into: &sink)
  return sink.made
}

@c @implementation
public func core_stretcher_finish(
  _ stretcher: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int
) -> Int {
  var sink = FrameSink(planes: output, capacity: outCapacity)
  value(stretcher).pointee.finish(into: &sink)
  return sink.made
}

private func value(_ stretcher: OpaquePointer) -> UnsafeMutablePointer<Stretcher> {
  UnsafeMutablePointer(stretcher)
}
