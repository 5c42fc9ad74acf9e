// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A pointer to a run. Runs are allocated separately, because their owners change.
typealias RunPointer = UnsafeMutablePointer<FetchedRun>

/// Number of frames by which a block may be longer than planned. Timestamps are rounded, for
/// example to 1 ms in Matroska.
private let slackFrames: Int64 = 1024

/// Gaps of 1/32 s or more are missing audio. Shorter gaps are due to rounding.
private let holeDivisor: UInt32 = 32

/// The wanted part of the audio that arrives after a seek.
///
/// Buffer positions locate three frames: the first kept frame, the frame at which the run meets its
/// neighbour, and the end of the run. Frames in between are counted. Neighbouring runs receive the
/// same buffers, so they agree on their boundaries even if positions were rounded.
struct FetchedRun {
  // Without a raw value, `==` would link the hasher into the plugin.
  enum State: UInt8 {
    /// More frames are needed.
    case open
    /// All wanted frames have arrived.
    case complete
    /// The stream ended after the run.
    case ended
    /// Memory could not be allocated.
    case noMemory
  }

  /// How upstream was made to send a run.
  enum Origin: UInt8 {
    case seek
    /// A seek with a stop.
    case boundedSeek
    /// The run continues where the last run ended, without a seek.
    case continued
  }

  /// The block and run that were requested.
  var fetch: Fetch
  /// The frame at which the run meets its neighbour; `unknownFrame` if it has none.
  var joinFrame: Int64
  /// Maximum number of frames that are kept.
  var maxFrames: Int
  var state = State.open
  var origin = Origin.seek
  /// Whether this run repeats a fetch that upstream ended too early.
  var isRetry = false
  /// The format of the first buffer; no format until that buffer arrives.
  var format = TimePlayFormat()
  /// The offset of a buffer's own timestamp from its position in the stream, in a unit of the
  /// source.
  var offset: Int64 = 0
  /// The kept frames, one plane after another.
  var memory: UnsafeMutablePointer<UInt8>?
  /// The size of a plane in frames. It is 0 if the run has become longer than `maxFrames`; no
  /// frames are kept then.
  var capacityFrames = 0
  /// The number of kept frames.
  var frames = 0
  /// The first kept frame; `unknownFrame` if there is none.
  var firstFrame = unknownFrame
  /// The number of the frame after the last one that arrived, whether kept or not; `unknownFrame`
  /// if none has arrived.
  var nextFrame = unknownFrame
  /// The index of `joinFrame` among the kept frames; `unknownFrame` if that frame has not arrived.
  var foundJoin = unknownFrame
  /// Whether frames before the wanted frames have arrived.
  var hasSkipped = false
  /// Whether frames of unknown position have arrived.
  var hasUnknownPositions = false

  init(_ fetch: Fetch, join: Int64, atMost frames: Int) {
    self.fetch = fetch
    joinFrame = join
    maxFrames = frames
  }
}

/// A buffer that the source has sent.
struct Arrival {
  var planes: UnsafePointer<UnsafeRawPointer?>?
  var frames: Int
  /// Position of the first frame in the stream; `nil` if it is outside the stream. A buffer without
  /// a timestamp has the position of its segment.
  var position: Int64?
  var isTimed = true
  /// The offset of the buffer's own timestamp from its position in the stream, in a unit of the
  /// source.
  var offset: Int64 = 0
}

/// Consecutive frames to be added. The frames of a gap have no planes.
private struct RunSpan {
  /// Position of the first frame in the stream.
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

  /// An empty run before boundary `end`. It is at the end of the stream if `end` is `nil`.
  static func makeEmpty(before end: Int64?) throws(TimeDSPStatus) -> RunPointer {
    let (first, end) = (end ?? mostFrames, end ?? unknownFrame)
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    return try make(fetch, join: unknownFrame, atMost: 1)
  }

  /// A copy of the run and its frames; throws if memory cannot be allocated.
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

  /// The address of frame `index` in the first plane; `nil` if no memory for frames is allocated.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == .ended }

  /// Whether the run was requested from the beginning of the stream.
  var isFromZero: Bool { fetch.seekHalfFrames == 0 }

  /// Index of the kept frame at which the run meets its neighbour.
  var joinIndex: Int {
    if foundJoin != unknownFrame { return Int(truncatingIfNeeded: foundJoin) }
    return isAtEnd ? frames : 0
  }

  /// Whether buffers of unknown position may have contained wanted frames. The result is valid only
  /// for a complete run.
  var lacksBeginning: Bool {
    hasUnknownPositions && (frames == 0 || firstFrame > fetch.keepFirstFrame)
  }

  /// Whether upstream has ended before `joinFrame`. The audio after that frame had already arrived
  /// with the neighbouring run.
  var hasBrokenOff: Bool {
    isAtEnd && joinFrame != unknownFrame && joinFrame != fetch.firstFrame
      && foundJoin == unknownFrame
  }
}

// Addition of audio.
extension FetchedRun {
  /// Adds the frames of `buffer` from index `first` on. On return, `first` is the index after the
  /// last frame that the run has consumed. A gap of 1/32 s or more is filled with silence.
  mutating func add(
    _ buffer: Arrival, _ format: TimePlayFormat, from first: inout Int
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

  /// Continues where the previous run ended, without a seek. Returns false if this run begins
  /// elsewhere.
  mutating func goOn(at frame: Int64) -> Bool {
    guard frame == fetch.firstFrame else { return false }
    origin = .continued
    fetch.keepFirstFrame = fetch.firstFrame
    nextFrame = frame
    return true
  }

  private mutating func makeRoom(_ format: TimePlayFormat) -> Bool {
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

  /// Whether the position of `buffer` is unknown. Without a timestamp, the first buffer after a
  /// seek may begin at the seek target or one packet earlier.
  private func isPositionUnknown(of buffer: Arrival) -> Bool {
    !buffer.isTimed && !isFromZero && nextFrame == unknownFrame
  }

  /// The position of frame `first` of `buffer`. A buffer without a timestamp follows the frames
  /// that have arrived. If no frames have arrived, the buffer is at the beginning of the segment.
  private func position(of buffer: Arrival, _ first: Int) -> Int64 {
    if !buffer.isTimed, nextFrame != unknownFrame { return nextFrame }
    guard let position = buffer.position else {
      return nextFrame == unknownFrame ? fetch.keepFirstFrame : nextFrame
    }
    return position &+ Int64(truncatingIfNeeded: first)
  }

  private mutating func fillHole(upTo frame: Int64) {
    guard nextFrame != unknownFrame else { return }
    let hole = frame &- nextFrame
    guard hole >= Int64(format.rate / holeDivisor) else { return }
    _ = add(
      RunSpan(at: nextFrame, frames: Int(truncatingIfNeeded: hole), planes: nil, first: 0))
  }
}

// Storage of the frames of a span.
extension FetchedRun {
  /// Keeps the wanted frames of `span`. Returns how many frames of the span have been consumed.
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

  /// The number of frames of `span` before the wanted end. The run becomes complete if the span
  /// reaches this end.
  private mutating func framesUpToEnd(_ span: RunSpan) -> Int {
    if fetch.keepEndFrame == unknownFrame { return span.frames }
    let wanted = fetch.keepEndFrame &- span.at
    if wanted > Int64(truncatingIfNeeded: span.frames) { return span.frames }
    state = .complete
    return max(Int(truncatingIfNeeded: wanted), 0)
  }

  /// The number of frames at the beginning of `span` that are before the wanted frames.
  private func framesBefore(_ span: RunSpan) -> Int {
    let before = fetch.keepFirstFrame &- span.at
    if frames > 0 || origin == .continued || before <= 0 { return 0 }
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
