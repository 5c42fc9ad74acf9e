// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

extension ChainSettings {
  init(_ settings: TimeScalerSettings) {
    self.init(
      audio: settings.audio, rate: settings.rate, factor: settings.factor,
      pitch: settings.pitch, followsCurve: settings.follows_curve != 0)
  }
}

/// Makes a scaler with `make`, and hands it to the caller with its state.
@inline(__always)
private func hand(
  _ settings: UnsafePointer<TimeScalerSettings>?,
  to scaler: UnsafeMutablePointer<OpaquePointer?>?, _ state: UnsafeMutablePointer<TimeScalerState>?,
  _ make: (ChainSettings) throws(TimeDSPStatus) -> Chain
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let settings, let scaler, let state else { throw TIMEDSP_NULL_POINTER }
    scaler.pointee = nil
    let made = try make(ChainSettings(settings.pointee))
    made.describe(ChainProgress(), isGap: false, to: &state.pointee)
    scaler.pointee = OpaquePointer(try allocated(made))
  }
}

/// See `timescale.h` for this function and the ones below.
@c @implementation
public func timescaler_new(
  _ settings: UnsafePointer<TimeScalerSettings>!,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!, _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  hand(settings, to: scaler, state) { (wanted) throws(TimeDSPStatus) in try Chain.made(for: wanted)
  }
}

@c @implementation
public func timescaler_new_endpoints(
  _ settings: UnsafePointer<TimeScalerSettings>!, _ frames: UInt64,
  _ scaler: UnsafeMutablePointer<OpaquePointer?>!, _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  hand(settings, to: scaler, state) { (wanted) throws(TimeDSPStatus) in
    let length = try Scaler.length(of: frames, scaledBy: wanted.factor)
    return try Chain.fitting(wanted.audio, count: frames, length: length)
  }
}

@c @implementation
public func timescaler_free(_ scaler: OpaquePointer!) { Chain.free(scaler) }

@c @implementation
public func timescaler_configure(
  _ scaler: OpaquePointer!, _ settings: UnsafePointer<TimeScalerSettings>!,
  _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.value(of: scaler)
    guard let settings, let state else { throw TIMEDSP_NULL_POINTER }
    try chain.pointee.reconfigure(ChainSettings(settings.pointee))
    chain.pointee.describe(ChainProgress(), isGap: false, to: &state.pointee)
  }
}

@c @implementation
public func timescaler_ramp(
  _ scaler: OpaquePointer!, _ factor: Double, _ pitch: UnsafePointer<TimePitch>!,
  _ frames: UnsafeMutablePointer<UInt64>!, _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.value(of: scaler)
    guard let pitch, let frames, let state else { throw TIMEDSP_NULL_POINTER }
    frames.pointee = try chain.pointee.ramp(
      to: factor, pitch: pitch.pointee, within: frames.pointee)
    chain.pointee.describe(ChainProgress(), isGap: false, to: &state.pointee)
    let (input, output) = chain.pointee.lastRamp
    state.pointee.input_frames = input
    state.pointee.output_frames = max(output - Double(chain.pointee.made), 0)
  }
}

@c @implementation
public func timescaler_room(_ scaler: OpaquePointer!, _ frames: Int) -> Int {
  guard let scaler else { return 0 }
  return UnsafeMutablePointer<Chain>(scaler).pointee.room(
    for: Int64(truncatingIfNeeded: frames))
}

@c @implementation
public func timescaler_due(_ scaler: OpaquePointer!, _ frames: UInt64) -> UInt64 {
  guard let scaler else { return 0 }
  return (try? UnsafeMutablePointer<Chain>(scaler).pointee.framesDue(after: frames)) ?? 0
}

@c @implementation
public func timescaler_pass(
  _ scaler: OpaquePointer!, _ input: UnsafePointer<UnsafeRawPointer?>!, _ frames: Int,
  _ silent: Int32, _ state: UnsafeMutablePointer<TimeScalerState>!
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let chain = try Chain.value(of: scaler)
    guard let state else { throw TIMEDSP_NULL_POINTER }
    do throws(TimeDSPStatus) { try chain.pointee.pass(checked: input, frames: frames) } catch {
      chain.pointee.describe(ChainProgress(), isGap: false, to: &state.pointee)
      throw error
    }
    if silent == 0 { chain.pointee.noteSound() }
    // cheaper than `describe`: the next output frame is the next input frame
    state.pointee.received_frames = UInt64(truncatingIfNeeded: chain.pointee.received)
    state.pointee.input_frames = Double(chain.pointee.received)
    state.pointee.output_frames = 0
    state.pointee.has_more = 0
  }
}

@c @implementation
public func timedsp_factor_fraction(
  _ factor: Double, _ numerator: UnsafeMutablePointer<UInt64>!,
  _ denominator: UnsafeMutablePointer<UInt64>!
) {
  guard let numerator, let denominator else { return }
  let fraction = Fraction(nearest: factor)
  (numerator.pointee, denominator.pointee) = (fraction.numerator, fraction.denominator)
}
