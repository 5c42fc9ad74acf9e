// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The audio that arrives after one seek; see `timeplay.h`.
typealias FetchedRun = UnsafeMutablePointer<TimePlayRun>

/// Timestamps that are rounded (Matroska's, to 1 ms) may make a block longer than
/// planned.
private let slackFrames: Int64 = 1024

/// A hole of more than 1/32 s is none of rounding, but of missing audio.
private let holeDivisor: UInt32 = 32

/// Neighbouring frames to be added; those of a hole have no planes.
private struct RunSpan {
  /// Where the first one lies in the stream.
  let at: Int64
  let frames: Int
  let planes: UnsafePointer<UnsafeRawPointer?>?
  /// Where the first one is in the planes.
  let first: Int
}

extension TimePlayRun {
  /// A run in memory of its own; throws where that cannot be had.
  static func make(
    _ fetch: TimeDSPFetch, join: Int64, atMost frames: Int
  ) throws(TimeDSPStatus) -> FetchedRun {
    var run = TimePlayRun()
    run.fetch = fetch
    run.join_frame = join
    run.max_frames = frames
    run.first_frame = unknownFrame
    run.next_frame = unknownFrame
    run.join_index = unknownFrame
    return try placed(run)
  }

  /// A run that has no use for audio, and ends with the stream, or before `end`.
  static func makeEmpty(before end: Int64?) throws(TimeDSPStatus) -> FetchedRun {
    let (first, end) = (end ?? mostFrames, end ?? unknownFrame)
    let fetch = TimeDSPFetch(
      first_frame: first, end_frame: end, keep_first_frame: first, keep_end_frame: end,
      seek_ns: 0)
    return try make(fetch, join: unknownFrame, atMost: 1)
  }

  /// A run that holds the same; throws where there is no memory for it.
  func copied() throws(TimeDSPStatus) -> FetchedRun {
    var copy = self
    guard let memory else { return try placed(copy) }
    guard let frames = timedsp_allocate_block(max(Int(format.planes) &* planeBytes, 1)) else {
      throw TIMEDSP_NO_MEMORY
    }
    timedsp_copy(frames, memory, Int(format.planes) &* planeBytes)
    copy.memory = frames.assumingMemoryBound(to: UInt8.self)
    do throws(TimeDSPStatus) {
      return try placed(copy)
    } catch {
      timedsp_deallocate(frames)
      throw error
    }
  }

  static func free(_ run: FetchedRun?) {
    guard let run else { return }
    timedsp_deallocate(run.pointee.memory)
    timedsp_deallocate(run)
  }

  /// From plane to plane.
  var planeBytes: Int { capacity_frames &* Int(format.stride_bytes) }

  /// The address of frame `index` in the first plane; `nil` where nothing was kept.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == TIMEPLAY_RUN_ENDED }

  /// Where the run meets its neighbour, among the frames that are kept.
  var joinIndex: Int {
    if join_index != unknownFrame { return Int(truncatingIfNeeded: join_index) }
    return isAtEnd ? frames : 0
  }

  /// Whether some of what is wanted may have been among what nobody knew the place
  /// of. Only of a run that is done.
  var lacksBeginning: Bool {
    unplaced != 0 && (frames == 0 || first_frame > fetch.keep_first_frame)
  }

  /// Whether upstream gave up before what has come from there earlier.
  var hasBrokenOff: Bool {
    isAtEnd && join_frame != unknownFrame && join_frame != fetch.first_frame
      && join_index == unknownFrame
  }
}

// What comes in.
extension TimePlayRun {
  mutating func add(_ buffer: TimePlayBuffer, _ format: TimePlayFormat, from first: inout Int) {
    if frames == 0 { offset_ns = buffer.offset_ns }
    guard first < buffer.frames, makeRoom(format) else { return }
    if isUnplaced(buffer) {
      unplaced = 1
      return
    }
    let at = place(of: buffer, first)
    fillHole(upTo: at)
    guard state == TIMEPLAY_RUN_OPEN, let planes = buffer.planes else { return }
    let span = RunSpan(at: at, frames: buffer.frames &- first, planes: planes, first: first)
    first = first &+ add(span)
  }

  mutating func end() {
    state = TIMEPLAY_RUN_ENDED
  }

  /// Goes on where the run before ended, without a seek; `false`: it wants to begin
  /// elsewhere.
  mutating func goOn(at frame: Int64) -> Bool {
    guard frame == fetch.first_frame else { return false }
    origin = TIMEPLAY_RUN_CONTINUES
    fetch.keep_first_frame = fetch.first_frame
    next_frame = frame
    return true
  }

  private mutating func makeRoom(_ format: TimePlayFormat) -> Bool {
    if memory != nil { return true }
    self.format = format
    capacity_frames = max_frames
    if fetch.keep_end_frame != unknownFrame {
      let wanted = fetch.keep_end_frame &- fetch.keep_first_frame &+ slackFrames
      capacity_frames = min(max_frames, Int(truncatingIfNeeded: wanted))
    }
    let frameBytes = Int(format.planes) &* Int(format.stride_bytes)
    let (bytes, isTooMuch) = max(capacity_frames, 1).multipliedReportingOverflow(by: frameBytes)
    memory = isTooMuch ? nil : timedsp_allocate_block(bytes)?.assumingMemoryBound(to: UInt8.self)
    if memory == nil { state = TIMEPLAY_RUN_NO_MEMORY }
    return memory != nil
  }

  /// Whether nobody knows where `buffer` is: the first one after a seek may begin at
  /// the place that was sought to, or a packet before it.
  private func isUnplaced(_ buffer: TimePlayBuffer) -> Bool {
    buffer.has_timestamp == 0 && fetch.seek_ns > 0 && next_frame == unknownFrame
  }

  /// Where frame `first` of `buffer` is. Without a timestamp that is behind what has
  /// been looked at, or at the beginning of the segment.
  private func place(of buffer: TimePlayBuffer, _ first: Int) -> Int64 {
    if buffer.has_timestamp == 0, next_frame != unknownFrame { return next_frame }
    if buffer.time_sign == 0 {
      return next_frame == unknownFrame ? fetch.keep_first_frame : next_frame
    }
    let frame = frame(atNs: buffer.time_ns, rate: format.rate)
    return (buffer.time_sign < 0 ? 0 &- frame : frame) &+ Int64(truncatingIfNeeded: first)
  }

  private mutating func fillHole(upTo frame: Int64) {
    guard next_frame != unknownFrame else { return }
    let hole = frame &- next_frame
    guard hole >= Int64(format.rate / holeDivisor) else { return }
    _ = add(
      RunSpan(at: next_frame, frames: Int(truncatingIfNeeded: hole), planes: nil, first: 0))
  }
}

// What is kept of a span.
extension TimePlayRun {
  /// Keeps what is wanted of `span`, and says how many of its frames have been
  /// looked at.
  private mutating func add(_ span: RunSpan) -> Int {
    let end = framesUpToEnd(span)
    let skip = min(framesBefore(span), end)
    var count = end &- skip
    next_frame = span.at &+ Int64(truncatingIfNeeded: end)
    if skip > 0 { skipped = 1 }
    if count == 0 { return end }
    if count > capacity_frames &- frames {
      if fetch.keep_end_frame == unknownFrame {
        capacity_frames = 0
        frames = 0
        return end
      }
      count = capacity_frames &- frames
      next_frame = span.at &+ Int64(truncatingIfNeeded: skip &+ count)
      state = TIMEPLAY_RUN_COMPLETE
    }
    if frames == 0 { first_frame = span.at &+ Int64(truncatingIfNeeded: skip) }
    noteJoin(span, skip, count)
    copy(span, skip, count)
    return skip &+ count
  }

  /// Frames up to the end of what is wanted; notes where that is reached.
  private mutating func framesUpToEnd(_ span: RunSpan) -> Int {
    if fetch.keep_end_frame == unknownFrame { return span.frames }
    let wanted = fetch.keep_end_frame &- span.at
    if wanted > Int64(truncatingIfNeeded: span.frames) { return span.frames }
    state = TIMEPLAY_RUN_COMPLETE
    return max(Int(truncatingIfNeeded: wanted), 0)
  }

  /// Frames at its beginning that come before everything wanted.
  private func framesBefore(_ span: RunSpan) -> Int {
    let before = fetch.keep_first_frame &- span.at
    if frames > 0 || origin == TIMEPLAY_RUN_CONTINUES || before <= 0 { return 0 }
    return min(Int(truncatingIfNeeded: before), span.frames)
  }

  private mutating func noteJoin(_ span: RunSpan, _ skip: Int, _ count: Int) {
    let ahead = join_frame &- span.at
    if join_frame == unknownFrame || join_index != unknownFrame
      || ahead >= Int64(truncatingIfNeeded: skip &+ count)
    {
      return
    }
    let before = max(ahead &- Int64(truncatingIfNeeded: skip), 0)
    join_index = Int64(truncatingIfNeeded: frames) &+ before
  }

  private mutating func copy(_ span: RunSpan, _ skip: Int, _ count: Int) {
    guard let end = address(of: frames) else { return }
    let stride = Int(format.stride_bytes)
    var plane = 0
    while plane < Int(format.planes) {
      let to = end + plane &* planeBytes
      if let from = span.planes?[plane] {
        timedsp_copy(to, from + (span.first &+ skip) &* stride, count &* stride)
      } else {
        fillSilence(to, bytes: count &* stride)
      }
      plane &+= 1
    }
    frames = frames &+ count
  }

  private func fillSilence(_ to: UnsafeMutableRawPointer, bytes: Int) {
    let sample = min(max(Int(format.sample_bytes), 1), 8)
    var silence = format.silence
    timedsp_clear(to, bytes)
    withUnsafeBytes(of: &silence) { pattern in
      guard let pattern = pattern.baseAddress, timedsp_compare(pattern, to, min(sample, bytes)) != 0
      else { return }
      var offset = 0
      while offset &+ sample <= bytes {
        timedsp_copy(to + offset, pattern, sample)
        offset &+= sample
      }
    }
  }
}
