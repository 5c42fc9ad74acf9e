// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Performs the actions of a playback, as the element does, and records the output.
final class PlaybackOwner {
  let stream: PlaybackStream
  let playback: OpaquePointer
  var settings = TimePlaySettings()

  /// The frames of the stream that have been output, in order.
  private(set) var heard: [Int64] = []
  private(set) var reports: [TimePlayReport] = []
  /// For each early end, the frame and the number of seconds that the message reports.
  private(set) var words: [String] = []
  /// The last action.
  private(set) var action = TimePlayAction()
  private(set) var segment = TimePlayAction()
  /// Each buffer, with the segment before it.
  private(set) var buffers: [(segment: TimePlayAction, frames: TimePlayAction)] = []
  /// The flags of seeks, as in GStreamer.
  var flags: UInt32 = 1  // 1 means flushing
  /// Whether fetches are refused.
  var refuses = false
  /// Whether a refused fetch is reported as a fetch during a flush.
  var isBeingFlushed = false
  /// Whether audio is delivered only when the playback waits for it.
  var isSlow = false
  /// Running time at which playback begins.
  private let base: UInt64

  init(_ stream: PlaybackStream, fromNs base: UInt64 = 0) throws {
    self.stream = stream
    self.base = base
    let made = timeplay_new(convert, 0)
    playback = try #require(made)
    settings.max_block_ns = 4_000_000_000
    settings.preroll_ns = .max
    settings.max_memory_bytes = 64 << 20
    settings.loop_stop_ns = .max
    timeplay_open(playback)
    timeplay_configure(playback, &settings)
  }

  deinit { timeplay_free(playback) }

  func ns(_ frame: Int64) -> UInt64 {
    // rounded up, so that the time is never inside the frame before
    frame == -1
      ? .max : (UInt64(frame) * 1_000_000_000 + UInt64(stream.rate) - 1) / UInt64(stream.rate)
  }

  /// Begins playback with a seek to the range from frame `start` to frame `stop`.
  func start(
    _ direction: TimeDSPDirection, _ start: Int64, _ stop: Int64, rate: Double = 1
  ) {
    settings.direction = direction
    timeplay_configure(playback, &settings)
    var begin = TimePlayStart()
    begin.format = stream.format
    begin.segment.rate = 1
    begin.segment.stop_ns = .max
    begin.duration_ns = stream.durationNs
    begin.base_ns = base
    begin.last_frame = -1
    var seek = seek(direction, rate)
    set(&seek, start, stop)
    #expect(timeplay_start(playback, &begin, &seek) == TIMEPLAY_STARTED)
    timeplay_started(playback, 1)
    #expect(timeplay_end_flush(playback) == 1)
  }

  /// Begins playback with the buffers that follow a seek to `frame`. That seek is the first event
  /// of the stream.
  func start(_ direction: TimeDSPDirection, behindSeekTo frame: Int64) {
    var seek = TimePlaySeek()
    (seek.rate, seek.seqnum) = (1, 7)
    (seek.start_type, seek.start_ns) = (TIMEPLAY_SETS, Int64(bitPattern: ns(frame)))
    seek.duration_ns = .max
    #expect(timeplay_seek(playback, &seek) == TIMEPLAY_GOES_PAST)
    // set after the seek, so that the seek is not translated for reverse playback
    settings.direction = direction
    timeplay_configure(playback, &settings)
    stream.seek(toNs: ns(frame))
    PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: playback, seqnum: seek.seqnum)
    PlaybackDoor(playback).arrive(TIMEPLAY_ARRIVING_SEGMENT)
    timeplay_seek_past(playback, seek.seqnum)
    start(from: frame, seqnum: seek.seqnum)
  }

  /// Begins reverse playback with the buffers that follow a seek to `frame`. The playback
  /// translates that seek into a seek to the range from the beginning to `frame`.
  func start(at frame: Int64) {
    var seek = TimePlaySeek()
    (seek.rate, seek.seqnum, seek.flags) = (1, 7, 1)
    (seek.start_type, seek.start_ns) = (TIMEPLAY_SETS, Int64(bitPattern: ns(frame)))
    #expect(timeplay_seek(playback, &seek) == TIMEPLAY_GOES_PAST)
    #expect(seek.start_ns == 0)
    stream.seek(toNs: 0)
    stream.stop = frame
    PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: playback, seqnum: seek.seqnum)
    PlaybackDoor(playback).arrive(TIMEPLAY_ARRIVING_SEGMENT)
    timeplay_seek_past(playback, seek.seqnum)
    start(from: 0, to: frame, seqnum: seek.seqnum)
  }

  /// Begins playback with a segment from frame `start` to frame `stop`.
  func start(from start: Int64, to stop: Int64 = -1, seqnum: UInt32) {
    var begin = TimePlayStart()
    begin.format = stream.format
    begin.segment.rate = 1
    begin.segment.start_ns = ns(start)
    begin.segment.stop_ns = ns(stop)
    begin.seqnum = seqnum
    begin.duration_ns = stream.durationNs
    begin.last_frame = -1
    #expect(timeplay_start(playback, &begin, nil) == TIMEPLAY_STARTED)
    timeplay_started(playback, 1)
  }

  /// Seeks to the range from frame `start` to frame `stop`.
  func seek(_ direction: TimeDSPDirection, _ start: Int64, _ stop: Int64, rate: Double = 1) {
    settings.direction = direction
    timeplay_configure(playback, &settings)
    var seek = seek(direction, rate)
    set(&seek, start, stop)
    #expect(timeplay_seek(playback, &seek) == TIMEPLAY_ACCEPTED)
    #expect(timeplay_end_flush(playback) == 1)
  }

  /// Seeks without a target: only the direction changes.
  func resume(_ direction: TimeDSPDirection, rate: Double = 1) {
    settings.direction = direction
    timeplay_configure(playback, &settings)
    var seek = seek(direction, rate)
    #expect(timeplay_seek(playback, &seek) == TIMEPLAY_ACCEPTED)
  }

  private func seek(_ direction: TimeDSPDirection, _ rate: Double) -> TimePlaySeek {
    var seek = TimePlaySeek()
    seek.rate = direction == TIMEDSP_BACKWARD ? -rate : rate
    seek.duration_ns = stream.durationNs
    return seek
  }

  private func set(_ seek: inout TimePlaySeek, _ start: Int64, _ stop: Int64) {
    seek.flags = flags
    (seek.start_type, seek.stop_type) = (TIMEPLAY_SETS, TIMEPLAY_SETS)
    seek.start_ns = Int64(bitPattern: ns(start))
    seek.stop_ns = Int64(bitPattern: ns(stop))
  }

  /// Sets the direction, which may be the current one.
  func turn(_ direction: TimeDSPDirection) {
    (settings.direction, settings.turns) = (direction, 1)
    timeplay_configure(playback, &settings)
    settings.turns = 0
  }

  /// Makes a second stream follow the end of the stream.
  func follow() { stream.end = TIMEPLAY_NEW_STREAM }

  /// Performs one action. Returns `false` if the playback waits for an event.
  @discardableResult
  func step() -> Bool {
    timeplay_configure(playback, &settings)
    if !isSlow { stream.send(to: playback) }
    timeplay_next(playback, &action)
    if action.kind == TIMEPLAY_WAIT, isSlow,
      timeplay_receive(playback, nil) == TIMEPLAY_BUFFER_FILLS
    {
      stream.send(to: playback)
      return true
    }
    var outcome = TimePlayOutcome()
    outcome.duration_ns = stream.durationNs
    perform(&outcome)
    timeplay_done(playback, &outcome)
    return action.kind != TIMEPLAY_WAIT
  }

  private func perform(_ outcome: inout TimePlayOutcome) {
    switch action.kind {
    case TIMEPLAY_REPORT, TIMEPLAY_FAIL:
      reports.append(action.report)
      if action.report == TIMEPLAY_ENDS_EARLY { words.append("\(action.frame), \(action.value)") }
    case TIMEPLAY_FETCH:
      #expect(action.stop_ns >= action.seek_ns)
      outcome.ok = fetch() ? 1 : 0
      outcome.flushing = isBeingFlushed ? 1 : 0
    case TIMEPLAY_SEGMENT: segment = action
    case TIMEPLAY_FRAMES:
      hear()
      outcome.flow = TIMEPLAY_FLOW_OK
    default: break
    }
  }

  private func fetch() -> Bool {
    if refuses { return false }
    stream.isSegment = action.is_last == 0 || action.flags & 1 << 3 != 0
    stream.seek(toNs: action.seek_ns)
    for kind in [TIMEPLAY_FLUSH_START, TIMEPLAY_FLUSH_STOP, TIMEPLAY_NEW_SEGMENT] {
      let route = PlaybackStream.send(kind, to: playback, inSeek: true)
      #expect(route == TIMEPLAY_DROP)
    }
    return true
  }

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

  /// Performs actions until the end, an error, or until this many frames have been output.
  func play(atMost frames: Int = .max) {
    var steps = 0
    while heard.count < frames, steps < 100_000, step() {
      steps += 1
      if action.kind == TIMEPLAY_END { return }
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
