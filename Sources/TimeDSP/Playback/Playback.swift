// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a stream block by block: takes in what happens, and says what to do about
/// it. See `timeplay.h`.
struct Playback: ~Copyable {
  enum State {
    /// Nothing is sent before a seek.
    case stopped
    /// A seek has been taken, and nothing has been fetched for it.
    case serving
    /// … something has, so that nobody else is sending any more.
    case served
    /// … but it has failed.
    case servedInVain
    case playing
    /// So many frames of the segment that has just been sent.
    case sending(Int64)
    /// There is no further pass.
    case ending
  }

  var cursor: Cursor
  var output = OutputSegment()
  var state = State.stopped
  /// What went wrong, until it is told.
  var failure: Report?
  /// The newest seek that has not been served.
  var waitingSeek: TimePlaySeek?
  /// A seek that came behind it and goes on where it leads.
  var waitingResume: TimePlaySeek?
  /// The direction to turn to.
  var waitingTurn: TimeDSPDirection?
  /// The action of which the outcome is to come.
  var open = TIMEPLAY_WAIT
  /// Of what is heard next, while nothing has been sent.
  private(set) var soughtNs = unknownTime

  init(convert: TimePlayConvert) throws(TimeDSPStatus) {
    cursor = try Cursor(convert: convert)
  }
}

// What goes in.
extension Playback {
  mutating func configure(_ settings: TimePlaySettings) {
    cursor.planner.settings = settings
  }

  mutating func open(_ format: TimePlayFormat, baseNs: UInt64, firstFrame: Int64) -> FetchedRun? {
    cursor.open(format)
    output.open(baseNs)
    state = .stopped
    failure = nil
    waitingSeek = nil
    waitingResume = nil
    waitingTurn = nil
    guard firstFrame != unknownFrame else { return nil }
    do throws(TimeDSPStatus) {
      return try cursor.planner.awaitStart(at: firstFrame)
    } catch {
      return nil
    }
  }

  mutating func close() {
    state = .stopped
    cursor.planner.clear()
  }

  mutating func seek(_ seek: TimePlaySeek) {
    waitingTurn = nil
    if seek.kind == TIMEPLAY_SEEK_RESUME, waitingSeek != nil {
      waitingResume = seek
      return
    }
    // Somebody else has sought before, and nothing is known of that place yet.
    let format = waitingSeek?.format
    waitingSeek = seek
    waitingResume = nil
    if let format, format.rate > 0, seek.format.rate == 0 { waitingSeek?.format = format }
    soughtNs = seek.direction == TIMEDSP_BACKWARD ? seek.stop_ns : seek.start_ns
    if seek.last_frame != unknownFrame {
      soughtNs = timeNs(of: seek.last_frame, rate: cursor.planner.limits.rate)
    }
  }

  /// Whether a seek waits to be served.
  var hasSeek: Bool { waitingSeek != nil }

  mutating func turn(_ direction: TimeDSPDirection) {
    waitingTurn = direction
  }

  mutating func arrive(_ arrival: TimePlayArrival) {
    let before = cursor.planner.arrival.run
    cursor.planner.arrival = arrival
    if arrival.run == nil {
      cursor.planner.arrival.run = before
    } else {
      TimePlayRun.free(before)
    }
  }

  /// The outcome of the action that was asked for last.
  mutating func done(_ outcome: TimePlayOutcome) {
    switch open {
    case TIMEPLAY_ASK_DURATION:
      cursor.planner.setEstimate(outcome.duration_ns)
    case TIMEPLAY_FETCH where outcome.ok == 0:
      cursor.planner.isInFlight = false
      let isFollowed = cursor.planner.arrival.followed != 0
      failure = Report(code: isFollowed ? TIMEPLAY_IS_FOLLOWED : TIMEPLAY_SEEK_REFUSED)
    case TIMEPLAY_SEGMENT:
      output.isOpen = outcome.open != 0
    case TIMEPLAY_FRAMES:
      if waitingSeek == nil { soughtNs = unknownTime }  // else it is that of the next one
      if outcome.ok == 0 { state = .stopped }
    default: break
    }
    open = TIMEPLAY_WAIT
  }

  /// Of the stream, as far as it has been seen.
  var durationNs: UInt64 {
    let end = cursor.planner.limits.end_frame
    let isForeign = (waitingSeek?.format.rate ?? 0) > 0
    return end == unknownFrame || isForeign
      ? unknownTime : timeNs(of: end, rate: cursor.planner.limits.rate)
  }

  var stats: TimePlayStats { cursor.planner.stats }
}
