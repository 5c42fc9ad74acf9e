// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Adds a buffer to a run. See `timeplay.h`.
@c @implementation
public func timeplay_run_add(
  _ run: OpaquePointer!, _ buffer: UnsafePointer<TimePlayBuffer>!,
  _ format: UnsafePointer<TimePlayFormat>!, _ first: UnsafeMutablePointer<Int>!
) -> Int32 {
  guard let run, let buffer, let format, let first else { return 0 }
  let wantsMore = RunPointer(run).pointee.add(
    buffer.pointee, format.pointee, from: &first.pointee)
  return wantsMore ? 1 : 0
}

/// Whether the seek for a run is to the beginning of the stream. See `timeplay.h`.
@c @implementation
public func timeplay_run_is_from_zero(_ run: OpaquePointer!) -> Int32 {
  guard let run else { return 0 }
  return RunPointer(run).pointee.isFromZero ? 1 : 0
}

/// Makes a playback. See `timeplay.h`.
@c @implementation
public func timeplay_new(_ convert: TimePlayConvert!, _ element: UInt32) -> OpaquePointer! {
  guard let convert else { return nil }
  do throws(TimeDSPStatus) {
    return OpaquePointer(try allocated(PlaySession(convert: convert, element: element)))
  } catch {
    return nil
  }
}

/// Frees a playback. See `timeplay.h`.
@c @implementation
public func timeplay_free(_ playback: OpaquePointer!) {
  PlaySession.free(playback)
}

/// Starts the element. See `timeplay.h`.
@c @implementation
public func timeplay_open(_ playback: OpaquePointer!) {
  value(of: playback)?.pointee.openElement()
}

/// Stops the element. See `timeplay.h`.
@c @implementation
public func timeplay_close(_ playback: OpaquePointer!) {
  value(of: playback)?.pointee.close()
}

/// Frees everything that is stored for a stream. See `timeplay.h`.
@c @implementation
public func timeplay_clear(_ playback: OpaquePointer!) {
  value(of: playback)?.pointee.clear()
}

/// Applies settings. See `timeplay.h`.
@c @implementation
public func timeplay_configure(
  _ playback: OpaquePointer!, _ settings: UnsafePointer<TimePlaySettings>!
) {
  guard let settings else { return }
  value(of: playback)?.pointee.configure(settings.pointee)
}

/// Chooses how an arrival is handled. See `timeplay.h`.
@c @implementation
public func timeplay_arrive(
  _ playback: OpaquePointer!, _ arrival: UnsafePointer<TimePlayArrival>!
) -> TimePlayWay {
  guard let arrival, let playback = value(of: playback) else { return TIMEPLAY_PASSES }
  return playback.pointee.arrive(arrival.pointee)
}

/// Begins playback. See `timeplay.h`.
@c @implementation
public func timeplay_start(
  _ playback: OpaquePointer!, _ start: UnsafePointer<TimePlayStart>!,
  _ seek: UnsafePointer<TimePlaySeek>!
) -> TimePlayAnswer {
  guard let start, let playback = value(of: playback) else { return TIMEPLAY_REFUSED }
  return playback.pointee.start(start.pointee, by: seek?.pointee)
}

/// Reports whether the thread for playback could be started. See `timeplay.h`.
@c @implementation
public func timeplay_started(_ playback: OpaquePointer!, _ ok: Int32) {
  value(of: playback)?.pointee.started(ok != 0)
}

/// Receives a seek from the application. See `timeplay.h`.
@c @implementation
public func timeplay_seek(
  _ playback: OpaquePointer!, _ seek: UnsafeMutablePointer<TimePlaySeek>!
) -> TimePlayAnswer {
  guard let seek, let playback = value(of: playback) else { return TIMEPLAY_REFUSED }
  return playback.pointee.seek(&seek.pointee)
}

/// Whether a stream that upstream plays backwards has a plausible end. See `timeplay.h`.
@c @implementation
public func timeplay_is_plausible_end(
  _ startNs: UInt64, _ stopNs: UInt64, _ reachedNs: UInt64
) -> Int32 {
  let reached = reachedNs == unknownTime ? startNs : reachedNs
  let apart = max(reached, stopNs) &- min(reached, stopNs)
  return apart <= secondNs / 2 ? 1 : 0
}

/// Records that upstream has returned from a forwarded seek. See `timeplay.h`.
@c @implementation
public func timeplay_seek_past(_ playback: OpaquePointer!, _ seqnum: UInt32) {
  value(of: playback)?.pointee.past.answer(seqnum)
}

/// Ends the flush of a seek. See `timeplay.h`.
@c @implementation
public func timeplay_end_flush(_ playback: OpaquePointer!) -> Int32 {
  value(of: playback)?.pointee.endFlush() == true ? 1 : 0
}

/// Receives an event from upstream. See `timeplay.h`.
@c @implementation
public func timeplay_event(
  _ playback: OpaquePointer!, _ event: UnsafePointer<TimePlayEvent>!
) -> TimePlayRoute {
  guard let event, let playback = value(of: playback) else { return TIMEPLAY_PASS }
  return playback.pointee.event(event.pointee)
}

/// Decides what to do with a buffer. See `timeplay.h`.
@c @implementation
public func timeplay_receive(
  _ playback: OpaquePointer!, _ run: UnsafeMutablePointer<OpaquePointer?>!
) -> TimePlayReception {
  guard let playback = value(of: playback) else { return TIMEPLAY_BUFFER_PASSES }
  let reception = playback.pointee.receive()
  let filled = reception == TIMEPLAY_BUFFER_FILLS ? playback.pointee.upstream.run : nil
  run?.pointee = filled.map { OpaquePointer($0) }
  return reception
}

/// Records that the current run needs no more frames. See `timeplay.h`.
@c @implementation
public func timeplay_filled(_ playback: OpaquePointer!, _ ok: Int32) {
  value(of: playback)?.pointee.filled(isUnderstood: ok != 0)
}

/// Returns the next action. See `timeplay.h`.
@c @implementation
public func timeplay_next(
  _ playback: OpaquePointer!, _ action: UnsafeMutablePointer<TimePlayAction>!
) {
  guard let action, let playback = value(of: playback) else { return }
  action.pointee = playback.pointee.next()
}

/// Receives the outcome of an action. See `timeplay.h`.
@c @implementation
public func timeplay_done(
  _ playback: OpaquePointer!, _ outcome: UnsafePointer<TimePlayOutcome>!
) {
  guard let outcome else { return }
  value(of: playback)?.pointee.done(outcome.pointee)
}

/// Returns the phase of a playback. See `timeplay.h`.
@c @implementation
public func timeplay_phase(_ playback: OpaquePointer!) -> TimePlayPhase {
  value(of: playback)?.pointee.phase ?? TIMEPLAY_PASSING
}

/// Returns a snapshot of a playback. See `timeplay.h`.
@c @implementation
public func timeplay_state(
  _ playback: OpaquePointer!, _ state: UnsafeMutablePointer<TimePlayState>!
) {
  guard let state else { return }
  state.pointee = value(of: playback)?.pointee.snapshot ?? .nothing
}

/// Returns the statistics. See `timeplay.h`.
@c @implementation
public func timeplay_stats(
  _ playback: OpaquePointer!, _ stats: UnsafeMutablePointer<TimePlayStats>!
) {
  guard let stats, let playback = value(of: playback) else { return }
  stats.pointee = playback.pointee.stats
}

/// The session that a C pointer refers to.
private func value(of pointer: OpaquePointer?) -> UnsafeMutablePointer<PlaySession>? {
  UnsafeMutablePointer(pointer)
}
