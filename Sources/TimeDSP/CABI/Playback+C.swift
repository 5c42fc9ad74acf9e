// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Frees a run. See `timeplay.h`.
@c @implementation
public func timeplay_run_free(_ run: UnsafeMutablePointer<TimePlayRun>!) {
  TimePlayRun.free(run)
}

/// Adds what has arrived to a run. See `timeplay.h`.
@c @implementation
public func timeplay_run_add(
  _ run: UnsafeMutablePointer<TimePlayRun>!, _ buffer: UnsafePointer<TimePlayBuffer>!,
  _ format: UnsafePointer<TimePlayFormat>!, _ first: UnsafeMutablePointer<Int>!
) {
  guard let run, let buffer, let format, let first else { return }
  run.pointee.add(buffer.pointee, format.pointee, from: &first.pointee)
}

/// Nothing more will come. See `timeplay.h`.
@c @implementation
public func timeplay_run_end(_ run: UnsafeMutablePointer<TimePlayRun>!) {
  run?.pointee.end()
}

/// Lets a run go on where the last one ended. See `timeplay.h`.
@c @implementation
public func timeplay_run_continue(
  _ run: UnsafeMutablePointer<TimePlayRun>!, _ nextFrame: Int64
) -> Int32 {
  run?.pointee.goOn(at: nextFrame) == true ? 1 : 0
}

/// Makes a playback. See `timeplay.h`.
@c @implementation
public func timeplay_new(_ convert: TimePlayConvert!) -> OpaquePointer! {
  guard let convert else { return nil }
  do throws(TimeDSPStatus) {
    return OpaquePointer(try placed(Playback(convert: convert)))
  } catch {
    return nil
  }
}

/// Frees a playback. See `timeplay.h`.
@c @implementation
public func timeplay_free(_ playback: OpaquePointer!) {
  guard let memory = behind(playback) else { return }
  memory.deinitialize(count: 1)
  timedsp_deallocate(memory)
}

/// Says how to play. See `timeplay.h`.
@c @implementation
public func timeplay_configure(
  _ playback: OpaquePointer!, _ settings: UnsafePointer<TimePlaySettings>!
) {
  guard let settings else { return }
  behind(playback)?.pointee.configure(settings.pointee)
}

/// Begins with a stream. See `timeplay.h`.
@c @implementation
public func timeplay_open(
  _ playback: OpaquePointer!, _ format: UnsafePointer<TimePlayFormat>!, _ baseNs: UInt64,
  _ firstFrame: Int64
) -> UnsafeMutablePointer<TimePlayRun>! {
  guard let format else { return nil }
  return behind(playback)?.pointee.open(format.pointee, baseNs: baseNs, firstFrame: firstFrame)
}

/// Frees what is kept of a stream. See `timeplay.h`.
@c @implementation
public func timeplay_close(_ playback: OpaquePointer!) {
  behind(playback)?.pointee.close()
}

/// Somebody wants to hear another place. See `timeplay.h`.
@c @implementation
public func timeplay_seek(_ playback: OpaquePointer!, _ seek: UnsafePointer<TimePlaySeek>!) {
  guard let seek else { return }
  behind(playback)?.pointee.seek(seek.pointee)
}

/// Whether one waits. See `timeplay.h`.
@c @implementation
public func timeplay_has_seek(_ playback: OpaquePointer!) -> Int32 {
  behind(playback)?.pointee.hasSeek == true ? 1 : 0
}

/// Turns. See `timeplay.h`.
@c @implementation
public func timeplay_turn(_ playback: OpaquePointer!, _ direction: TimeDSPDirection) {
  behind(playback)?.pointee.turn(direction)
}

/// Takes what upstream has done. See `timeplay.h`.
@c @implementation
public func timeplay_arrive(
  _ playback: OpaquePointer!, _ arrival: UnsafePointer<TimePlayArrival>!
) {
  guard let arrival else { return }
  behind(playback)?.pointee.arrive(arrival.pointee)
}

/// Says what to do next. See `timeplay.h`.
@c @implementation
public func timeplay_next(
  _ playback: OpaquePointer!, _ action: UnsafeMutablePointer<TimePlayAction>!
) {
  guard let action, let playback = behind(playback) else { return }
  action.pointee = playback.pointee.next()
}

/// Takes what came of it. See `timeplay.h`.
@c @implementation
public func timeplay_done(
  _ playback: OpaquePointer!, _ outcome: UnsafePointer<TimePlayOutcome>!
) {
  guard let outcome else { return }
  behind(playback)?.pointee.done(outcome.pointee)
}

/// Where play is. See `timeplay.h`.
@c @implementation
public func timeplay_position(_ playback: OpaquePointer!) -> UInt64 {
  behind(playback)?.pointee.soughtNs ?? unknownTime
}

/// How long the stream is. See `timeplay.h`.
@c @implementation
public func timeplay_duration(_ playback: OpaquePointer!) -> UInt64 {
  behind(playback)?.pointee.durationNs ?? unknownTime
}

/// What has been counted. See `timeplay.h`.
@c @implementation
public func timeplay_stats(
  _ playback: OpaquePointer!, _ stats: UnsafeMutablePointer<TimePlayStats>!
) {
  guard let stats, let playback = behind(playback) else { return }
  stats.pointee = playback.pointee.stats
}

/// The playback behind a C pointer.
private func behind(_ pointer: OpaquePointer?) -> UnsafeMutablePointer<Playback>? {
  UnsafeMutablePointer(pointer)
}
