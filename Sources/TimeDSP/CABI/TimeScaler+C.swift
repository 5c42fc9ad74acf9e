// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// See `timescale.h` for all functions in this file.
@c @implementation
public func timescaler_process(
  _ scaler: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ frames: Int,
  _ silent: Int32, _ output: UnsafePointer<UnsafeMutableRawPointer?>!, _ capacity: Int,
  _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.value(of: scaler)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    let wasGap = silent != 0 && chain.pointee.framesBeforeGap == 0
    let done = try chain.pointee.process(
      input, frames: frames, into: output, capacity: capacity)
    if silent == 0 { chain.pointee.noteSound() }
    chain.pointee.describe(done, isGap: wasGap, to: &state.pointee)
  }
}

@c @implementation
public func timescaler_drain(
  _ scaler: OpaquePointer!, _ output: UnsafePointer<UnsafeMutableRawPointer?>!,
  _ capacity: Int, _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.value(of: scaler)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    let done = try chain.pointee.drain(into: output, capacity: capacity)
    chain.pointee.describe(
      done, isGap: chain.pointee.framesBeforeGap == 0, to: &state.pointee)
  }
}

extension Chain: HeldByC {
  func describe(_ done: ChainProgress, isGap: Bool, to state: inout TimeScalerState) {
    let (input, output) = rampPosition
    state = TimeScalerState(
      frames_consumed: done.used, frames_produced: done.made, has_more: done.hasMore ? 1 : 0,
      is_gap: isGap ? 1 : 0, may_pass: mayPass ? 1 : 0, latency_frames: latency,
      frames_before_gap: framesBeforeGap,
      received_frames: UInt64(truncatingIfNeeded: received), input_frames: input,
      output_frames: max(output - Double(made), 0))
  }
}
