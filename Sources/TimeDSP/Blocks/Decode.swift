// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A decode on the heap. It's owned first by the upstream state, then by the planner, and then by
/// the cache.
typealias DecodePointer = UnsafeMutablePointer<Decode>

/// How much longer than planned a decode may be, because timestamps are rounded, e.g. to 1 ms in
/// Matroska.
private let slackFrames: Int64 = 1024

/// If there's a gap of 1/32 s or more between timestamps, audio is missing. A shorter one is just
/// rounding.
private let holeDivisor: UInt32 = 32

/// The part we keep of the audio that upstream sends after a seek. Part of it becomes a block, and
/// we compare the rest with the neighbouring blocks.
///
/// We only use timestamps to find the first frame we keep, the frame where the decode joins its
/// neighbour, and the end of the decode. We count in between. Neighbouring decodes get the same
/// buffers, so they agree on these positions even if timestamps are rounded.
struct Decode {
  // The raw value makes `==` compare integers. If it didn't have one, the enum would be `Hashable`,
  // and we'd have to link Swift's hashing code into the plugin.
  enum State: UInt8 {
    /// It needs more frames.
    case open
    /// It has all the frames we want.
    case complete
    /// The stream has ended, so some of the frames we want may be missing.
    case ended
    case noMemory
    /// The format has changed.
    case mixed
  }

  var fetch: Fetch
  /// Where this decode's block joins the cache, or `unknownFrame` if the cache was empty.
  var joinFrame: Int64
  var maxFrames: Int
  var state = State.open
  /// It continues the previous decode without a seek.
  var isContinued = false
  /// It repeats a decode that upstream ended too early.
  var isRetry = false
  /// Taken from the first buffer. The rate is 0 until that arrives.
  var format = TimeBlocksFormat()
  /// The first buffer's timestamp minus its stream time, in the caller's unit. If it isn't the same
  /// in two decodes, a seek has reached a different stream.
  var offset: Int64 = 0
  /// The frames that we've kept, plane by plane.
  var memory: UnsafeMutablePointer<UInt8>?
  /// How many frames fit in a plane. If a decode with an unknown end grows past `maxFrames`, we set
  /// this to 0 and don't keep anything.
  private var capacityFrames = 0
  var frames = 0
  /// The first frame we've kept, or `unknownFrame` if there isn't one.
  var firstFrame = unknownFrame
  /// The number of the frame after the last one that arrived, whether we kept it or not.
  /// `unknownFrame` until one arrives.
  var nextFrame = unknownFrame
  /// The index of `joinFrame` in the decode, or `unknownFrame` until it arrives.
  var foundJoin = unknownFrame
  /// We got frames from before the decode, so the seek didn't land too late.
  var hasSkipped = false
  /// We've dropped buffers because we didn't know where in the stream they were.
  private var hasUnknownPositions = false

  init(_ fetch: Fetch, join: Int64, atMost frames: Int) {
    self.fetch = fetch
    joinFrame = join
    maxFrames = frames
  }
}

/// Consecutive frames to add. `planes` is `nil` in a gap, which we fill with silence.
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

  /// The distance from one plane to the next.
  var planeBytes: Int { capacityFrames &* Int(format.stride_bytes) }

  /// The address in the first plane. `nil` until frames have arrived.
  func address(of index: Int) -> UnsafeMutableRawPointer? {
    memory.map { UnsafeMutableRawPointer($0) + index &* Int(format.stride_bytes) }
  }

  var isAtEnd: Bool { state == .ended }

  var isFromZero: Bool { fetch.seekHalfFrames == 0 }

  var joinIndex: Int {
    if foundJoin != unknownFrame { return Int(truncatingIfNeeded: foundJoin) }
    return isAtEnd ? frames : 0
  }

  /// The first frames may have been in buffers that we dropped because we didn't know where they
  /// were. You should only ask once the decode is complete.
  var lacksBeginning: Bool {
    hasUnknownPositions && (frames == 0 || firstFrame > fetch.keepFirstFrame)
  }

  /// Upstream ended before `joinFrame`, although it must have more audio, because we got it in the
  /// neighbouring decode.
  var hasBrokenOff: Bool {
    isAtEnd && joinFrame != unknownFrame && joinFrame != fetch.firstFrame
      && foundJoin == unknownFrame
  }
}

extension Decode {
  /// Adds the frames of `buffer`, starting at index `first`, and moves `first` past those it has
  /// consumed. If there's a gap of 1/32 s or more before the buffer, we fill it with silence.
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
    if memory != nil {
      if format.id != self.format.id { state = .mixed }
      return state != .mixed
    }
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

  /// If the first buffer after a seek doesn't have a timestamp, it may begin at the seek target or
  /// one packet earlier.
  private func isPositionUnknown(of buffer: TimeDecodeBuffer) -> Bool {
    buffer.is_timed == 0 && !isFromZero && nextFrame == unknownFrame
  }

  /// The number of frame `first` of `buffer`. If a buffer doesn't have a timestamp, it follows what
  /// has already arrived. If nothing has, it starts at the beginning of the segment.
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
  /// Keeps what we want of `span`. Returns how many frames we've consumed, whether we kept them or
  /// not.
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

  /// How many frames of `span` are before the end of the decode. If it gets that far, the decode is
  /// complete.
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
    // Int is 32 bits in a browser
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
    withUnsafeBytes(of: &silence) { pattern in
      guard let pattern = pattern.baseAddress else { return }
      var offset = 0
      while offset &+ sample <= bytes {
        timedsp_copy(to + offset, pattern, sample)
        offset &+= sample
      }
    }
  }
}
