// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A decode on the heap. One after another, it belongs to the state of upstream, the planner, and
/// the cache.
typealias DecodePointer = UnsafeMutablePointer<Decode>

/// A decode may be longer than planned by this much. Timestamps are rounded, e.g. to 1 ms in
/// Matroska.
private let slackFrames: Int64 = 1024

/// Between timestamps, a gap of 1/32 s or more is missing audio. A shorter one is rounding.
private let holeDivisor: UInt32 = 32

/// What we keep of the audio that upstream sends after one seek. Part of it becomes a block. We
/// compare the rest with the neighbouring blocks.
///
/// Timestamps only tell us the first kept frame, the frame at which the decode joins its neighbour,
/// and the end of the decode. In between, we count. Neighbouring decodes get the same buffers, so
/// they agree on these positions even if timestamps are rounded.
struct Decode {
  // With a raw value, `==` compares integers. Without one, the enum would be `Hashable`, and we'd
  // have to link Swift's hashing code into the plugin.
  enum State: UInt8 {
    /// It needs more frames.
    case open
    /// It has all wanted frames.
    case complete
    /// The stream has ended, so wanted frames may be missing.
    case ended
    case noMemory
  }

  var fetch: Fetch
  /// Where this decode's block joins the cache, or `unknownFrame` if that was empty.
  var joinFrame: Int64
  var maxFrames: Int
  var state = State.open
  /// It follows the previous decode without a seek.
  var isContinued = false
  /// It repeats a decode that upstream ended too early.
  var isRetry = false
  /// From the first buffer. Until that arrives, it has no rate.
  var format = TimeBlocksFormat()
  /// The first buffer's timestamp minus its stream time, in the caller's unit. If it differs
  /// between two decodes, a seek has reached a different stream.
  var offset: Int64 = 0
  /// The kept frames, plane after plane.
  var memory: UnsafeMutablePointer<UInt8>?
  /// What fits into a plane. If a decode with an unknown end becomes longer than `maxFrames`, this
  /// is 0, and we keep nothing.
  private var capacityFrames = 0
  var frames = 0
  /// The first kept frame, or `unknownFrame` if there's none.
  var firstFrame = unknownFrame
  /// The number after the last frame that arrived, kept or not. `unknownFrame` until one arrives.
  var nextFrame = unknownFrame
  /// The index of `joinFrame` in the decode, or `unknownFrame` until it arrives.
  var foundJoin = unknownFrame
  /// Frames before the decode have arrived, so the seek hasn't landed too late.
  var hasSkipped = false
  /// Buffers have been dropped, because we didn't know their position in the stream.
  private var hasUnknownPositions = false

  init(_ fetch: Fetch, join: Int64, atMost frames: Int) {
    self.fetch = fetch
    joinFrame = join
    maxFrames = frames
  }
}

/// Consecutive frames to add. In a gap, `planes` is `nil`, and they're silent.
private struct DecodeSpan {
  /// The first frame's number.
  let at: Int64
  let frames: Int
  let planes: UnsafePointer<UnsafeRawPointer?>?
  /// The first frame's index in the planes.
  let first: Int
}

extension Decode {
  static func make(
    _ fetch: Fetch, join: Int64, atMost frames: Int
  ) throws(TimeDSPStatus) -> DecodePointer {
    try allocated(Decode(fetch, join: join, atMost: frames))
  }

  func copied() throws(TimeDSPStatus) -> DecodePointer {
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

  static func free(_ decode: DecodePointer?) {
    guard let decode else { return }
    timedsp_deallocate(decode.pointee.memory)
    timedsp_deallocate(decode)
  }

  /// From one plane to the next.
  var planeBytes: Int { capacityFrames &* Int(format.stride_bytes) }

  /// In the first plane. `nil` before frames have arrived.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == .ended }

  var isFromZero: Bool { fetch.seekHalfFrames == 0 }

  var joinIndex: Int {
    if foundJoin != unknownFrame { return Int(truncatingIfNeeded: foundJoin) }
    return isAtEnd ? frames : 0
  }

  /// The first frames may have been in buffers that we dropped, because we didn't know their
  /// position. Ask only once the decode is complete.
  var lacksBeginning: Bool {
    hasUnknownPositions && (frames == 0 || firstFrame > fetch.keepFirstFrame)
  }

  /// Upstream ended before `joinFrame`. It must have more audio, because the decode next to this
  /// one has it.
  var hasBrokenOff: Bool {
    isAtEnd && joinFrame != unknownFrame && joinFrame != fetch.firstFrame
      && foundJoin == unknownFrame
  }
}

extension Decode {
  /// Adds the frames of `buffer` from index `first` on, and moves `first` behind what it has
  /// consumed. Silence fills a gap of 1/32 s or more before the buffer.
  mutating func add(
    _ buffer: TimeDecodeBuffer, _ format: TimeBlocksFormat, from first: inout Int
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
    let span = DecodeSpan(at: at, frames: buffer.frames &- first, planes: planes, first: first)
    first = first &+ add(span)
  }

  mutating func end() {
    state = .ended
  }

  /// The previous decode ended at `frame`, and this one continues there without a seek. Returns
  /// `false` if its block doesn't begin there.
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
      let limit = Int64(truncatingIfNeeded: maxFrames)
      capacityFrames = Int(truncatingIfNeeded: min(max(wanted, 0), limit))
    }
    let frameBytes = Int(format.planes) &* Int(format.stride_bytes)
    let (bytes, isTooMuch) = max(capacityFrames, 1).multipliedReportingOverflow(by: frameBytes)
    memory = isTooMuch ? nil : timedsp_allocate_block(bytes)?.assumingMemoryBound(to: UInt8.self)
    if memory == nil { state = .noMemory }
    return memory != nil
  }

  /// After a seek, the first buffer without a timestamp may begin at the seek target or one packet
  /// earlier.
  private func isPositionUnknown(of buffer: TimeDecodeBuffer) -> Bool {
    buffer.is_timed == 0 && !isFromZero && nextFrame == unknownFrame
  }

  /// The number of frame `first` of `buffer`. Without a timestamp, a buffer follows what has
  /// arrived. If nothing has, it begins with the segment.
  private func position(of buffer: TimeDecodeBuffer, _ first: Int) -> Int64 {
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
      DecodeSpan(
        at: nextFrame, frames: Int(truncatingIfNeeded: min(hole, Int64(Int32.max))), planes: nil,
        first: 0))
  }
}

extension Decode {
  /// Keeps what we want of `span`. Returns how many frames have been consumed, kept or not.
  private mutating func add(_ span: DecodeSpan) -> Int {
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

  /// What `span` has before the end of the decode. If it reaches that, the decode is complete.
  private mutating func framesUpToEnd(_ span: DecodeSpan) -> Int {
    if fetch.keepEndFrame == unknownFrame { return span.frames }
    let wanted = fetch.keepEndFrame &- span.at
    if wanted > Int64(truncatingIfNeeded: span.frames) { return span.frames }
    state = .complete
    return max(Int(truncatingIfNeeded: wanted), 0)
  }

  private func framesBefore(_ span: DecodeSpan) -> Int {
    let before = fetch.keepFirstFrame &- span.at
    if frames > 0 || isContinued || before <= 0 { return 0 }
    // Int has 32 bits in a browser
    return Int(truncatingIfNeeded: min(before, Int64(truncatingIfNeeded: span.frames)))
  }

  private mutating func noteJoin(_ span: DecodeSpan, _ skip: Int, _ count: Int) {
    let ahead = joinFrame &- span.at
    if joinFrame == unknownFrame || foundJoin != unknownFrame
      || ahead >= Int64(truncatingIfNeeded: skip &+ count)
    {
      return
    }
    let before = max(ahead &- Int64(truncatingIfNeeded: skip), 0)
    foundJoin = Int64(truncatingIfNeeded: frames) &+ before
  }

  private mutating func copy(_ span: DecodeSpan, _ skip: Int, _ count: Int) {
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
