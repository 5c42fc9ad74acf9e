// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Does what a playback says, as the element does, and writes down what is heard.
final class PlaybackOwner {
  let stream: PlaybackStream
  let playback: OpaquePointer
  var settings = TimePlaySettings()

  /// The frames of the stream that have been heard, in order.
  private(set) var heard: [Int64] = []
  private(set) var reports: [TimePlayReport] = []
  /// The action that was the last one.
  private(set) var action = TimePlayAction()
  private(set) var segment = TimePlayAction()
  /// Each buffer, with the segment that it belongs to.
  private(set) var buffers: [(segment: TimePlayAction, frames: TimePlayAction)] = []
  /// Fetches are refused.
  var refuses = false
  /// What upstream has done, but for runs.
  var arrival = TimePlayArrival()
  /// A run is not delivered before something is waited for.
  var isSlow = false
  private var run: UnsafeMutablePointer<TimePlayRun>?

  init(_ stream: PlaybackStream, fromNs base: UInt64 = 0) throws {
    self.stream = stream
    let made = timeplay_new(convert)
    playback = try #require(made)
    settings.max_block_ns = 4_000_000_000
    settings.preroll_ns = .max
    settings.max_memory_bytes = 64 << 20
    settings.loop_stop_ns = .max
    timeplay_configure(playback, &settings)
    var format = stream.format
    _ = timeplay_open(playback, &format, base, -1)
  }

  deinit {
    timeplay_run_free(run)
    timeplay_free(playback)
  }

  func ns(_ frame: Int64) -> UInt64 {
    // Half a frame behind it, so that no rounding loses it.
    frame == -1
      ? .max : (UInt64(frame) * 1_000_000_000 + UInt64(stream.rate) - 1) / UInt64(stream.rate)
  }

  /// Seeks to what lies between the two frames.
  func seek(
    _ direction: TimeDSPDirection, _ start: Int64, _ stop: Int64,
    _ kind: TimePlaySeekKind = TIMEPLAY_SEEK_TO, rate: Double = 1
  ) {
    bounds = (start, stop)
    var seek = TimePlaySeek()
    seek.kind = kind
    seek.direction = direction
    seek.rate = rate
    seek.start_ns = ns(start)
    seek.stop_ns = ns(stop)
    seek.duration_ns = stream.durationNs
    seek.last_frame = -1
    seek.flushing = kind == TIMEPLAY_SEEK_RESUME ? 0 : 1
    timeplay_seek(playback, &seek)
  }

  /// Changes the direction, and nothing else.
  func resume(_ direction: TimeDSPDirection, rate: Double = 1) {
    seek(direction, bounds.start, bounds.stop, TIMEPLAY_SEEK_RESUME, rate: rate)
  }

  /// Of the last seek.
  private var bounds: (start: Int64, stop: Int64) = (0, -1)

  func turn(_ direction: TimeDSPDirection) { timeplay_turn(playback, direction) }

  /// One action. `false`: there is nothing to do before something happens.
  @discardableResult
  func step() -> Bool {
    timeplay_configure(playback, &settings)
    if !isSlow { deliver() }
    timeplay_next(playback, &action)
    if action.kind == TIMEPLAY_WAIT, run != nil {
      deliver()
      return true
    }
    var outcome = TimePlayOutcome()
    outcome.duration_ns = stream.durationNs
    perform(&outcome)
    timeplay_done(playback, &outcome)
    return action.kind != TIMEPLAY_WAIT
  }

  private func deliver() {
    arrival.run = run
    run = nil
    timeplay_arrive(playback, &arrival)
    arrival.run = nil
  }

  private func perform(_ outcome: inout TimePlayOutcome) {
    switch action.kind {
    case TIMEPLAY_REPORT, TIMEPLAY_FAIL: reports.append(action.report)
    case TIMEPLAY_FETCH: outcome.ok = fetch(action.run) ? 1 : 0
    case TIMEPLAY_SEGMENT: segment = action
    case TIMEPLAY_FRAMES:
      hear()
      outcome.ok = 1
    default: break
    }
  }

  private func fetch(_ wanted: UnsafeMutablePointer<TimePlayRun>) -> Bool {
    timeplay_run_free(run)
    run = nil
    let stands = standing
    if action.may_continue == 0 || stands == nil || timeplay_run_continue(wanted, stands ?? 0) == 0
    {
      guard !refuses, action.may_seek != 0 else {
        timeplay_run_free(wanted)
        return false
      }
      stream.seek(toNs: action.seek_ns)
    }
    stream.fill(wanted)
    standing = wanted.pointee.next_frame == -1 ? nil : wanted.pointee.next_frame
    run = wanted
    return true
  }

  /// The number that upstream's next frame has; `nil`: nobody knows.
  private var standing: Int64?

  private func hear() {
    let samples = action.samples.assumingMemoryBound(to: Int32.self)
    let frames = UnsafeBufferPointer(start: samples, count: action.frames)
      .map(PlaybackStream.frame)
    heard += action.direction == TIMEDSP_BACKWARD ? frames.reversed() : frames
    buffers.append((segment, action))
  }

  func forgetHeard() {
    heard = []
    buffers = []
  }

  /// Steps until the end, an error, or until so many frames have been heard.
  func play(atMost frames: Int = .max) {
    var steps = 0
    while heard.count < frames, steps < 100_000, step() {
      steps += 1
      if action.kind == TIMEPLAY_END || action.kind == TIMEPLAY_FAIL { return }
    }
  }
}

private func convert(
  _ format: UnsafePointer<TimePlayFormat>?, _ toNumbers: Int32, _ samples: UnsafeMutableRawPointer?,
  _ planeBytes: Int, _ numbers: UnsafeMutablePointer<Double>?, _ frames: Int
) {
  guard let samples = samples?.assumingMemoryBound(to: Int32.self), let numbers else { return }
  for frame in 0..<frames {
    if toNumbers != 0 {
      numbers[frame] = Double(samples[frame]) / 0x8000_0000
    } else {
      samples[frame] = Int32(clamping: Int64((numbers[frame] * 0x8000_0000).rounded()))
    }
  }
}
