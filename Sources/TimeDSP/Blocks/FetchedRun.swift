// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A run in memory of its own, whose owner changes.
typealias RunPointer = UnsafeMutablePointer<FetchedRun>

/// Timestamps that are rounded (Matroska's, to 1 ms) may make a block longer than
/// planned.
private let slackFrames: Int64 = 1024

/// Holes from 1/32 s on are missing audio; shorter ones are due to rounding.
private let holeDivisor: UInt32 = 32

/// The wanted part of the audio that arrives after one seek.
///
/// Three frames are found by the positions of the buffers that hold them: the first kept
/// frame, the frame at which the run meets its neighbour, and its end. In between, frames are
/// counted. So neighbouring runs, which see the same buffers, agree on their boundaries
/// however positions were rounded.
struct FetchedRun {
  // a raw value, since `==` of an enum without one would link the hasher into the plugin
  enum State: UInt8 {
    /// More is wanted.
    case open
    /// All wanted frames have arrived.
    case complete
    /// The stream ends after the run.
    case ended
    /// No memory could be allocated.
    case noMemory
  }

  /// The origin of a run.
  enum Origin: UInt8 {
    case seek
    /// A seek with a stop.
    case boundedSeek
    /// It continues where the last run ended.
    case continued
  }

  /// The requested block and run.
  var fetch: Fetch
  /// The frame at which the run meets its neighbour; `unknownFrame`: it has none.
  var joinFrame: Int64
  /// The most frames that are kept.
  var maxFrames: Int
  var state = State.open
  var origin = Origin.seek
  /// Upstream has ended too early once.
  var isRetry = false
  /// The format of the first buffer; before it, no format.
  var format = TimePlayFormat()
  /// How far the buffers' own positions are from those of the stream, in a unit of the source.
  var offset: Int64 = 0
  /// Plane after plane …
  var memory: UnsafeMutablePointer<UInt8>?
  /// … of this many frames each; 0: more than `maxFrames` were wanted, so none are kept.
  var capacityFrames = 0
  /// The number of kept frames.
  var frames = 0
  /// The first kept frame; `unknownFrame`: there is none.
  var firstFrame = unknownFrame
  /// The frame after the last one that arrived, kept or not; `unknownFrame`: none has.
  var nextFrame = unknownFrame
  /// The index of `joinFrame` among the kept frames; `unknownFrame`: it has not arrived.
  var foundJoin = unknownFrame
  /// Frames before the wanted ones have arrived.
  var hasSkipped = false
  /// Frames of unknown position have arrived.
  var hasUnplaced = false

  init(_ fetch: Fetch, join: Int64, atMost frames: Int) {
    self.fetch = fetch
    joinFrame = join
    maxFrames = frames
  }
}

/// A buffer of the source.
struct Arrival {
  var planes: UnsafePointer<UnsafeRawPointer?>?
  var frames: Int
  /// Position of the first frame in the stream; `nil`: it lies outside. If the buffer is not
  /// timed, the position of its segment.
  var position: Int64?
  var isTimed = true
  /// How far the buffer's own position is from that in the stream, in a unit of the source.
  var offset: Int64 = 0
}

/// Neighbouring frames to be added; the frames of a hole have no planes.
private struct RunSpan {
  /// Position of the first frame in the stream.
  let at: Int64
  let frames: Int
  let planes: UnsafePointer<UnsafeRawPointer?>?
  /// Index of the first frame in the planes.
  let first: Int
}

extension FetchedRun {
  /// A run in memory of its own; throws if there is no memory.
  static func make(
    _ fetch: Fetch, join: Int64, atMost frames: Int
  ) throws(TimeDSPStatus) -> RunPointer {
    try placed(FetchedRun(fetch, join: join, atMost: frames))
  }

  /// A run that needs no audio, and ends with the stream, or before `end`.
  static func makeEmpty(before end: Int64?) throws(TimeDSPStatus) -> RunPointer {
    let (first, end) = (end ?? mostFrames, end ?? unknownFrame)
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    return try make(fetch, join: unknownFrame, atMost: 1)
  }

  /// A copy of the run and its frames; throws if there is no memory.
  func copied() throws(TimeDSPStatus) -> RunPointer {
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

  static func free(_ run: RunPointer?) {
    guard let run else { return }
    timedsp_deallocate(run.pointee.memory)
    timedsp_deallocate(run)
  }

  /// Distance from plane to plane.
  var planeBytes: Int { capacityFrames &* Int(format.stride_bytes) }

  /// The address of frame `index` in the first plane; `nil` if there is no memory of frames.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == .ended }

  /// Whether the source was asked for the stream from its very beginning.
  var isFromZero: Bool { fetch.seekHalfFrames == 0 }

  /// Index among the kept frames at which the run meets its neighbour.
  var joinIndex: Int {
    if foundJoin != unknownFrame { return Int(truncatingIfNeeded: foundJoin) }
    return isAtEnd ? frames : 0
  }

  /// Whether buffers of unknown position may have held wanted frames. Only for a run that is done.
  var lacksBeginning: Bool {
    hasUnplaced && (frames == 0 || firstFrame > fetch.keepFirstFrame)
  }

  /// Whether upstream ended before audio that had arrived earlier.
  var hasBrokenOff: Bool {
    isAtEnd && joinFrame != unknownFrame && joinFrame != fetch.firstFrame
      && foundJoin == unknownFrame
  }
}

// Adding audio.
extension FetchedRun {
  /// Adds the frames of `buffer` from `first` on. On return, `first` is after the last frame
  /// that the run could use. A hole of 1/32 s and more is filled with silence.
  mutating func add(
    _ buffer: Arrival, _ format: TimePlayFormat, from first: inout Int
  ) {
    if frames == 0 { offset = buffer.offset }
    guard first < buffer.frames, makeRoom(format) else { return }
    if isUnplaced(buffer) {
      hasUnplaced = true
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

  /// Continues where the run before ended, without a seek; `false`: this run begins elsewhere.
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

  /// Whether the position of `buffer` is unknown: the first one after a seek may begin at the
  /// seek target, or a packet before it.
  private func isUnplaced(_ buffer: Arrival) -> Bool {
    !buffer.isTimed && !isFromZero && nextFrame == unknownFrame
  }

  /// The position of frame `first` of `buffer`. If the buffer is not timed, it follows the frames
  /// that have arrived, or is at the beginning of the segment.
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

// Keeping frames of a span.
extension FetchedRun {
  /// Keeps the wanted frames of `span`, and returns how many of its frames have been consumed.
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

  /// The number of frames up to the wanted end. The run is complete if the span reaches it.
  private mutating func framesUpToEnd(_ span: RunSpan) -> Int {
    if fetch.keepEndFrame == unknownFrame { return span.frames }
    let wanted = fetch.keepEndFrame &- span.at
    if wanted > Int64(truncatingIfNeeded: span.frames) { return span.frames }
    state = .complete
    return max(Int(truncatingIfNeeded: wanted), 0)
  }

  /// The number of frames at the beginning of `span` that lie before all wanted ones.
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
