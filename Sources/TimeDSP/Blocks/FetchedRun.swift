// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A pointer to a run on the heap. A run has several owners one after another: the state of
/// upstream, the planner, and the block cache.
typealias RunPointer = UnsafeMutablePointer<FetchedRun>

/// Number of frames by which a run may be longer than planned. Timestamps are rounded, for example
/// to 1 ms in Matroska.
private let slackFrames: Int64 = 1024

/// Gaps of 1/32 s or more between timestamps are missing audio. Shorter gaps are due to rounding.
private let holeDivisor: UInt32 = 32

/// A run: the frames that are kept of the audio that upstream sends after one seek. Part of a run
/// becomes a block; the other frames are compared with the neighbouring blocks.
///
/// Timestamps only locate the first kept frame, the frame at which the run joins its neighbour, and
/// the end of the run. Frames in between are counted. Neighbouring runs receive the same buffers,
/// so they agree on these positions even if timestamps are rounded.
struct FetchedRun {
  // With a raw value, `==` compares integers. Without it, the enum would be `Hashable`, and Swift's
  // hashing code would have to be linked into the plugin.
  enum State: UInt8 {
    /// More frames are needed.
    case open
    /// All wanted frames have arrived.
    case complete
    /// The stream has ended. The run may contain fewer frames than wanted.
    case ended
    /// Memory could not be allocated.
    case noMemory
  }

  /// The planned run, and the block that it contains.
  var fetch: Fetch
  /// The boundary at which the block of this run joins a block of the cache; `unknownFrame` if the
  /// cache was empty.
  var joinFrame: Int64
  /// Maximum number of frames that are kept.
  var maxFrames: Int
  var state = State.open
  /// Whether the run follows the previous run without a seek.
  var isContinued = false
  /// Whether this run repeats a run that upstream ended too early.
  var isRetry = false
  /// The format of the first buffer; until that buffer arrives, a format without a rate.
  var format = TimeBlocksFormat()
  /// The timestamp of the first buffer minus its stream time, in the unit of the caller. If this
  /// differs between two runs, a seek has reached a different stream.
  var offset: Int64 = 0
  /// The kept frames, one plane after another.
  var memory: UnsafeMutablePointer<UInt8>?
  /// The size of a plane in frames. It becomes 0, and no frames are kept, if a run with an unknown
  /// end becomes longer than `maxFrames`.
  var capacityFrames = 0
  /// The number of kept frames.
  var frames = 0
  /// The first kept frame; `unknownFrame` if there is none.
  var firstFrame = unknownFrame
  /// The frame number after the last frame that arrived, whether kept or not; `unknownFrame` if no
  /// frame has arrived.
  var nextFrame = unknownFrame
  /// The index of `joinFrame` in the run; `unknownFrame` if that frame has not arrived.
  var foundJoin = unknownFrame
  /// Whether frames before the run have arrived, so that the seek has not landed too late.
  var hasSkipped = false
  /// Whether buffers have been dropped because their position in the stream was unknown.
  var hasUnknownPositions = false

  init(_ fetch: Fetch, join: Int64, atMost frames: Int) {
    self.fetch = fetch
    joinFrame = join
    maxFrames = frames
  }
}

/// Consecutive frames to be added to a run. `planes` is `nil` for a gap, which is filled with
/// silence.
private struct RunSpan {
  /// Frame number of the first frame.
  let at: Int64
  let frames: Int
  let planes: UnsafePointer<UnsafeRawPointer?>?
  /// Index of the first frame in the planes.
  let first: Int
}

extension FetchedRun {
  /// Allocates a run. Throws if memory cannot be allocated.
  static func make(
    _ fetch: Fetch, join: Int64, atMost frames: Int
  ) throws(TimeDSPStatus) -> RunPointer {
    try allocated(FetchedRun(fetch, join: join, atMost: frames))
  }

  /// Copies the run and its frames. Throws if memory cannot be allocated.
  func copied() throws(TimeDSPStatus) -> RunPointer {
    var copy = self
    guard let memory else { return try allocated(copy) }
    guard let frames = timedsp_allocate_block(max(Int(format.planes) &* planeBytes, 1)) else {
      throw TIMEDSP_NO_MEMORY
    }
    timedsp_copy(frames, memory, Int(format.planes) &* planeBytes)
    copy.memory = frames.assumingMemoryBound(to: UInt8.self)
    do throws(TimeDSPStatus) {
      return try allocated(copy)
    } catch {
      timedsp_deallocate(frames)
      throw error
    }
  }

  static func free(_ run: RunPointer?) {
    guard let run else { return }
    timedsp_deallocate(run.pointee.memory)
    timedsp_deallocate(run)
  }

  /// Distance between planes in bytes.
  var planeBytes: Int { capacityFrames &* Int(format.stride_bytes) }

  /// The address of the frame at `index` of the run, in the first plane; `nil` before frames have
  /// arrived.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == .ended }

  /// Whether the seek for the run is to the beginning of the stream.
  var isFromZero: Bool { fetch.seekHalfFrames == 0 }

  /// The index in the run at which its block joins a block of the cache.
  var joinIndex: Int {
    if foundJoin != unknownFrame { return Int(truncatingIfNeeded: foundJoin) }
    return isAtEnd ? frames : 0
  }

  /// Whether the first frames of the run may have been in buffers that were dropped because their
  /// position was unknown. The result is valid only for a complete run.
  var lacksBeginning: Bool {
    hasUnknownPositions && (frames == 0 || firstFrame > fetch.keepFirstFrame)
  }

  /// Whether upstream has ended before `joinFrame`, although it has already sent the audio after
  /// that frame for the neighbouring run.
  var hasBrokenOff: Bool {
    isAtEnd && joinFrame != unknownFrame && joinFrame != fetch.firstFrame
      && foundJoin == unknownFrame
  }
}

extension FetchedRun {
  /// Adds the frames of `buffer` from index `first` on. On return, `first` is the index after the
  /// last frame that was consumed. A gap of 1/32 s or more before the buffer is filled with
  /// silence.
  mutating func add(
    _ buffer: TimeRunBuffer, _ format: TimeBlocksFormat, from first: inout Int
  ) {
    if frames == 0 { offset = buffer.offset }
    guard first < buffer.frames, makeRoom(format) else { return }
    if isPositionUnknown(of: buffer) {
      hasUnknownPositions = true
      return
    }
    let at = position(of: buffer, first)
    fillHole(upTo: at)
    guard state == .open, let planes = buffer.planes else { return }
    let span = RunSpan(at: at, frames: buffer.frames &- first, planes: planes, first: first)
    first = first &+ add(span)
  }

  mutating func end() {
    state = .ended
  }

  /// Makes the run continue at `frame`, where the previous run ended, without a seek. Returns
  /// `false` if the block of this run does not begin at `frame`.
  mutating func goOn(at frame: Int64) -> Bool {
    guard frame == fetch.firstFrame else { return false }
    isContinued = true
    fetch.keepFirstFrame = fetch.firstFrame
    nextFrame = frame
    return true
  }

  private mutating func makeRoom(_ format: TimeBlocksFormat) -> Bool {
    if memory != nil { return true }
    self.format = format
    capacityFrames = maxFrames
    if fetch.keepEndFrame != unknownFrame {
      let wanted = fetch.keepEndFrame &- fetch.keepFirstFrame &+ slackFrames
      capacityFrames = min(maxFrames, Int(truncatingIfNeeded: wanted))
    }
    let frameBytes = Int(format.planes) &* Int(format.stride_bytes)
    let (bytes, isTooMuch) = max(capacityFrames, 1).multipliedReportingOverflow(by: frameBytes)
    memory = isTooMuch ? nil : timedsp_allocate_block(bytes)?.assumingMemoryBound(to: UInt8.self)
    if memory == nil { state = .noMemory }
    return memory != nil
  }

  /// Whether the position of `buffer` is unknown. The first buffer after a seek, without a
  /// timestamp, may begin at the seek target or one packet earlier.
  private func isPositionUnknown(of buffer: TimeRunBuffer) -> Bool {
    buffer.is_timed == 0 && !isFromZero && nextFrame == unknownFrame
  }

  /// The frame number of frame `first` of `buffer`. A buffer without a timestamp follows the frames
  /// that have arrived. If no frames have arrived, it begins with the segment.
  private func position(of buffer: TimeRunBuffer, _ first: Int) -> Int64 {
    if buffer.is_timed == 0, nextFrame != unknownFrame { return nextFrame }
    if buffer.is_placed == 0 {
      return nextFrame == unknownFrame ? fetch.keepFirstFrame : nextFrame
    }
    return buffer.frame &+ Int64(truncatingIfNeeded: first)
  }

  private mutating func fillHole(upTo frame: Int64) {
    guard nextFrame != unknownFrame else { return }
    let hole = frame &- nextFrame
    guard hole >= Int64(format.rate / holeDivisor) else { return }
    _ = add(
      RunSpan(at: nextFrame, frames: Int(truncatingIfNeeded: hole), planes: nil, first: 0))
  }
}

extension FetchedRun {
  /// Keeps the wanted frames of `span`. Returns how many frames of the span have been consumed,
  /// whether they were kept or not.
  private mutating func add(_ span: RunSpan) -> Int {
    let end = framesUpToEnd(span)
    let skip = min(framesBefore(span), end)
    var count = end &- skip
    nextFrame = span.at &+ Int64(truncatingIfNeeded: end)
    if skip > 0 { hasSkipped = true }
    if count == 0 { return end }
    if count > capacityFrames &- frames {
      if fetch.keepEndFrame == unknownFrame {
        capacityFrames = 0
        frames = 0
        return end
      }
      count = capacityFrames &- frames
      nextFrame = span.at &+ Int64(truncatingIfNeeded: skip &+ count)
      state = .complete
    }
    if frames == 0 { firstFrame = span.at &+ Int64(truncatingIfNeeded: skip) }
    noteJoin(span, skip, count)
    copy(span, skip, count)
    return skip &+ count
  }

  /// The number of frames of `span` before the end of the run. The run becomes complete if the span
  /// reaches this end.
  private mutating func framesUpToEnd(_ span: RunSpan) -> Int {
    if fetch.keepEndFrame == unknownFrame { return span.frames }
    let wanted = fetch.keepEndFrame &- span.at
    if wanted > Int64(truncatingIfNeeded: span.frames) { return span.frames }
    state = .complete
    return max(Int(truncatingIfNeeded: wanted), 0)
  }

  /// The number of frames of `span` before the beginning of the run.
  private func framesBefore(_ span: RunSpan) -> Int {
    let before = fetch.keepFirstFrame &- span.at
    if frames > 0 || isContinued || before <= 0 { return 0 }
    return min(Int(truncatingIfNeeded: before), span.frames)
  }

  private mutating func noteJoin(_ span: RunSpan, _ skip: Int, _ count: Int) {
    let ahead = joinFrame &- span.at
    if joinFrame == unknownFrame || foundJoin != unknownFrame
      || ahead >= Int64(truncatingIfNeeded: skip &+ count)
    {
      return
    }
    let before = max(ahead &- Int64(truncatingIfNeeded: skip), 0)
    foundJoin = Int64(truncatingIfNeeded: frames) &+ before
  }

  private mutating func copy(_ span: RunSpan, _ skip: Int, _ count: Int) {
    guard let end = address(of: frames) else { return }
    let stride = Int(format.stride_bytes)
    for plane in upTo(Int(format.planes)) {
      let to = end + plane &* planeBytes
      if let from = span.planes?[plane] {
        timedsp_copy(to, from + (span.first &+ skip) &* stride, count &* stride)
      } else {
        fillSilence(to, bytes: count &* stride)
      }
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
