// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

private func value(of session: OpaquePointer?) -> UnsafeMutablePointer<ScaleSession>? {
  session.map { UnsafeMutablePointer($0) }
}

/// Makes a session. See `timescale.h`.
@c @implementation
public func timescale_new() -> OpaquePointer! {
  do throws(TimeDSPStatus) {
    let session = try ScaleSession()
    return OpaquePointer(try allocated(session))
  } catch {
    return nil
  }
}

/// Frees a session. See `timescale.h`.
@c @implementation
public func timescale_free(_ session: OpaquePointer!) {
  ScaleSession.free(session)
}

/// Applies settings. See `timescale.h`.
@c @implementation
public func timescale_configure(
  _ session: OpaquePointer!, _ settings: UnsafePointer<TimeScaleSettings>!
) {
  guard let settings else { return }
  value(of: session)?.pointee.configure(settings.pointee)
}

/// Applies an instant rate change. See `timescale.h`.
@c @implementation
public func timescale_rate(_ session: OpaquePointer!, _ multiplier: Double) -> Int32 {
  value(of: session)?.pointee.changeRate(multiplier) == true ? 1 : 0
}

/// Converts the times of a seek to input times. See `timescale.h`.
@c @implementation
public func timescale_seek(_ session: OpaquePointer!, _ seek: UnsafeMutablePointer<TimeScaleSeek>!)
{
  if let seek {
    value(of: session)?.pointee.seek(&seek.pointee)
  } else {
    value(of: session)?.pointee.refuseSeek()
  }
}

/// Converts a stream time of the input to a stream time of the output. See `timescale.h`.
@c @implementation
public func timescale_to_output(_ session: OpaquePointer!, _ inNs: UInt64) -> UInt64 {
  value(of: session)?.pointee.outputTime(inNs) ?? inNs
}

/// Whether the settings leave the audio unchanged. See `timescale.h`.
@c @implementation
public func timescale_is_identity(_ session: OpaquePointer!) -> Int32 {
  value(of: session)?.pointee.isIdentity == false ? 0 : 1
}

/// Sets the format. See `timescale.h`.
@c @implementation
public func timescale_format(
  _ session: OpaquePointer!, _ audio: UnsafePointer<TimeDSPConfig>!, _ rate: UInt32
) {
  guard let audio else { return }
  value(of: session)?.pointee.setFormat(audio.pointee, rate: rate)
}

/// Discards the stream. See `timescale.h`.
@c @implementation
public func timescale_flush(_ session: OpaquePointer!, _ everything: Int32) {
  value(of: session)?.pointee.flush(everything: everything != 0)
}

/// Passes an input to a session, and returns the first action. See `timescale.h`.
@c @implementation
public func timescale_receive(
  _ session: OpaquePointer!, _ input: UnsafePointer<TimeScaleInput>!, _ controlled: Int32
) -> UnsafeMutablePointer<TimeScaleAction>! {
  guard let session = value(of: session), let input else { return nil }
  switch input.pointee.kind {
  case TIMESCALE_BUFFER:
    session.pointee.receive(input.pointee.buffer)
  case TIMESCALE_GAP:
    session.pointee.receiveGap(input.pointee.buffer.pts_ns, input.pointee.buffer.duration_ns)
  case TIMESCALE_SEGMENT:
    if let segment = input.pointee.segment { session.pointee.begin(segment.pointee) }
  default:
    session.pointee.end()
  }
  return session.pointee.next(isControlled: controlled != 0)
}

/// Receives the outcome of an action, and returns the next action. See `timescale.h`.
@c @implementation
public func timescale_done(
  _ session: OpaquePointer!, _ controlled: Int32
) -> UnsafeMutablePointer<TimeScaleAction>! {
  guard let session = value(of: session) else { return nil }
  session.pointee.done()
  return session.pointee.next(isControlled: controlled != 0)
}

/// Creates or changes a chain. See `timescale.h`.
@c @implementation
public func timescale_prepare(_ action: UnsafeMutablePointer<TimeScaleAction>!) {
  guard let action, let work = action.pointee.work else { return }
  action.pointee.status = status { () throws(TimeDSPStatus) in
    try UnsafeMutablePointer<ScaleWork>(work).pointee.prepare()
  }
}
