// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP
import CoreBridge

// The C functions of the stretcher, which `corebridge.h` documents.

/// A stretcher and its memory.
private struct HeldStretcher: HeldByC, ~Copyable {
  var stretcher: Stretcher
  /// Lengths of the input and the output. `nil` until the input ends.
  var ends: (input: Int64, output: Int64)?
  private let memory: Arena

  init(
    _ audio: TimeDSPConfig, _ window: TimeStretchWindow, rate: UInt32, factor: Double
  ) throws(TimeDSPStatus) {
    var memory = Arena()
    let stretcher = try Stretcher(
      AudioShape(audio), window, rate: rate, Fraction(checked: factor), &memory)
    self.stretcher = stretcher
    self.memory = memory
  }

  var received: Int64 { ends?.input ?? stretcher.received }
}

@c @implementation
public func core_stretcher_new(
  _ audio: UnsafePointer<TimeDSPConfig>!, _ rate: UInt32, _ window: TimeStretchWindow,
  _ factor: Double
) -> OpaquePointer! {
  guard
    let made = try? allocated(
      HeldStretcher(audio.pointee, window, rate: rate, factor: factor))
  else { return nil }
  return OpaquePointer(made)
}

@c @implementation
public func core_stretcher_free(_ stretcher: OpaquePointer!) { HeldStretcher.free(stretcher) }

@c @implementation
public func core_stretcher_move(
  _ stretcher: OpaquePointer!, _ factor: Double, _ inFrames: UInt64
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let stretcher = value(stretcher)
    stretcher.pointee.stretcher.map.bend(
      at: stretcher.pointee.stretcher.received, to: try Fraction(checked: factor),
      within: try streamLength(inFrames))
  }
}

@c @implementation
public func core_stretcher_position(
  _ stretcher: OpaquePointer!, _ inFrame: UnsafeMutablePointer<UInt64>!,
  _ fraction: UnsafeMutablePointer<Double>!
) -> UInt64 {
  let stretcher = value(stretcher)
  let position = stretcher.pointee.stretcher.map.output(at: stretcher.pointee.received)
  inFrame.pointee = UInt64(truncatingIfNeeded: stretcher.pointee.received)
  fraction.pointee = position.fraction
  return UInt64(truncatingIfNeeded: position.whole)
}

@c @implementation
public func core_stretcher_max_output(_ stretcher: OpaquePointer!, _ inFrames: UInt64) -> UInt64 {
  let held = value(stretcher)
  let left = held.pointee.ends.map { $0.output - held.pointee.stretcher.made }
  return UInt64(
    truncatingIfNeeded: left
      ?? held.pointee.stretcher.framesDue(Int64(truncatingIfNeeded: inFrames)))
}

@c @implementation
public func core_stretcher_process(
  _ stretcher: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ inFrames: Int,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ outCapacity: Int,
  _ framesConsumed: UnsafeMutablePointer<Int>!
) -> Int {
  var cursor = FrameCursor(input, inFrames)
  var sink = FrameSink(planes: output, capacity: outCapacity)
  value(stretcher).pointee.stretcher.process(&cursor, into: &sink)
  framesConsumed.pointee = cursor.first
  return sink.made
}

@c @implementation
public func core_stretcher_finish(
  _ stretcher: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ outCapacity: Int
) -> Int {
  let held = value(stretcher)
  if held.pointee.ends == nil {
    let input = held.pointee.stretcher.received
    held.pointee.ends = (input, held.pointee.stretcher.map.output(at: input).whole)
    held.pointee.stretcher.endSound(after: 0)
  }
  let left = Int((held.pointee.ends?.output ?? 0) - held.pointee.stretcher.made)
  var sink = FrameSink(planes: output, capacity: min(outCapacity, left))
  while sink.room > 0 {
    var silence = FrameCursor(
      UnsafeRawPointer(output).assumingMemoryBound(to: UnsafeRawPointer?.self), 1024)
    held.pointee.stretcher.process(&silence, into: &sink)
  }
  return sink.made
}

private func value(_ stretcher: OpaquePointer) -> UnsafeMutablePointer<HeldStretcher> {
  UnsafeMutablePointer(stretcher)
}
