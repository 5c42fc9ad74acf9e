// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The address of each plane.
package typealias InputPlanes = UnsafePointer<UnsafeRawPointer?>
package typealias OutputPlanes = UnsafePointer<UnsafeMutableRawPointer?>

/// A stream's format, and how its frames are laid out in memory.
struct AudioShape: Equatable {
  let format: TimeDSPFormat
  let channels: Int
  /// 1 if interleaved, otherwise one per channel.
  let planes: Int
  /// In one plane.
  let samplesPerFrame: Int
  /// In one plane.
  let frameBytes: Int

  /// Throws for an unknown format or layout, or if there are too many channels or none.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    guard let sampleBytes = config.format.sampleBytes,
      config.layout == TIMEDSP_INTERLEAVED || config.layout == TIMEDSP_PLANAR
    else { throw TIMEDSP_BAD_FORMAT }
    guard config.channels >= 1, config.channels <= UInt32(TIMEDSP_MAX_CHANNELS) else {
      throw TIMEDSP_BAD_CHANNELS
    }
    channels = Int(truncatingIfNeeded: config.channels)
    let isPlanar = config.layout == TIMEDSP_PLANAR
    format = config.format
    planes = isPlanar ? channels : 1
    samplesPerFrame = isPlanar ? 1 : channels
    frameBytes = samplesPerFrame &* sampleBytes
  }

  /// True if samples need double precision.
  var isWide: Bool { format == TIMEDSP_S32 || format == TIMEDSP_F64 }

  func plane(of channel: Int) -> Int { planes == 1 ? 0 : channel }
  /// The offset of the channel's sample within a frame of its plane.
  func sampleOffset(of channel: Int) -> Int { planes == 1 ? channel : 0 }
}

extension AudioShape {
  /// Calls `body` for the first `frames` frames of `input`, with the index of each and the channel's
  /// sample as a number. Full scale is 1.
  @inline(__always)
  func read(_ channel: Int, of input: FrameCursor, _ frames: Int, _ body: (Int, Double) -> Void) {
    guard let plane = input.planes?[plane(of: channel)] else { return }
    let first = plane + input.first &* frameBytes
    switch format {
    case TIMEDSP_S16: read(Int16.self, channel, first, frames, body)
    case TIMEDSP_S32: read(Int32.self, channel, first, frames, body)
    case TIMEDSP_F32: read(Float.self, channel, first, frames, body)
    default: read(Double.self, channel, first, frames, body)
    }
  }

  @inline(__always)
  private func read<S: Sample>(
    _: S.Type, _ channel: Int, _ first: UnsafeRawPointer, _ frames: Int,
    _ body: (Int, Double) -> Void
  ) {
    let samples = first.assumingMemoryBound(to: S.self) + sampleOffset(of: channel)
    for frame in upTo(frames) {
      body(frame, samples[frame &* samplesPerFrame].exact * (1 / S.fullScale))
    }
  }

  /// Writes the channel's samples in `frames` frames of `planes`, starting at frame `made`. They're
  /// given as numbers, for the index of each and the number that's there so far. Full scale is 1.
  @inline(__always)
  func write(
    _ channel: Int, to planes: OutputPlanes?, made: Int, _ frames: Int,
    _ number: (Int, Double) -> Double
  ) {
    guard let plane = planes?[plane(of: channel)] else { return }
    let first = plane + made &* frameBytes
    switch format {
    case TIMEDSP_S16: write(Int16.self, channel, first, frames, number)
    case TIMEDSP_S32: write(Int32.self, channel, first, frames, number)
    case TIMEDSP_F32: write(Float.self, channel, first, frames, number)
    default: write(Double.self, channel, first, frames, number)
    }
  }

  @inline(__always)
  private func write<S: Sample>(
    _: S.Type, _ channel: Int, _ first: UnsafeMutableRawPointer, _ frames: Int,
    _ number: (Int, Double) -> Double
  ) {
    let samples = first.assumingMemoryBound(to: S.self) + sampleOffset(of: channel)
    for frame in upTo(frames) {
      let old = samples[frame &* samplesPerFrame].exact * (1 / S.fullScale)
      samples[frame &* samplesPerFrame] = S(nearest: number(frame, old) * S.fullScale)
    }
  }

  /// Copies `frames` frames, starting with frames `from` and `to` of the planes. They may overlap.
  func copy(
    _ frames: Int, of source: InputPlanes, from: Int,
    into target: OutputPlanes, at to: Int
  ) {
    for plane in upTo(planes) {
      if let source = source[plane], let target = target[plane] {
        timedsp_copy(target + to &* frameBytes, source + from &* frameBytes, frames &* frameBytes)
      }
    }
  }

  /// Silences `frames` frames, starting with frame `start` of the planes.
  func clear(_ frames: Int, of target: OutputPlanes, from start: Int) {
    for plane in upTo(planes) {
      if let target = target[plane] {
        timedsp_clear(target + start &* frameBytes, frames &* frameBytes)
      }
    }
  }
}

/// Memory for frames.
struct FrameMemory {
  /// The address of each plane.
  private let addresses: Row<UnsafeMutableRawPointer?>

  /// Uninitialized, with room for `frames` frames.
  init(_ shape: AudioShape, _ frames: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    addresses = try memory.row(shape.planes)
    for plane in upTo(shape.planes) {
      addresses[plane] = try memory.allocate(bytes: frames &* shape.frameBytes)
    }
  }

  var writable: OutputPlanes { UnsafePointer(addresses.address(0)) }

  var readable: InputPlanes {
    UnsafeRawPointer(writable).assumingMemoryBound(to: UnsafeRawPointer?.self)
  }
}

extension TimeDSPFormat {
  /// `nil` if C code passed an unknown format.
  fileprivate var sampleBytes: Int? {
    switch self {
    case TIMEDSP_S16: 2
    case TIMEDSP_S32, TIMEDSP_F32: 4
    case TIMEDSP_F64: 8
    default: nil
    }
  }
}

/// Input frames that haven't been consumed yet.
struct FrameCursor {
  /// `nil` if there aren't any frames.
  let planes: InputPlanes?
  /// The frame of the planes to continue with.
  private(set) var first = 0
  private(set) var count: Int

  init(_ planes: InputPlanes?, _ count: Int) {
    self.planes = planes
    self.count = planes == nil ? 0 : count
  }

  mutating func consume(_ frames: Int) {
    first &+= frames
    count &-= frames
  }
}

struct FrameSource {
  let planes: InputPlanes
  /// `planes` points to this frame of the stream.
  let first: Int64
  /// The source ends just before this frame of the stream.
  let end: Int64

  /// True if we have all frames that we read around a position at frame `index` or after it.
  func has(_ window: Window, around index: Int64, isOnFrame: Bool) -> Bool {
    let after = isOnFrame ? window.afterOnFrame : window.after
    return index &- Int64(window.before) >= first && index &+ Int64(after) < end
  }
}

/// The caller's memory for output frames, and how much of it is full.
struct FrameSink {
  /// Never `nil` if `capacity` is above 0.
  let planes: OutputPlanes?
  var capacity: Int
  var made = 0

  var room: Int { capacity &- made }
}

/// The last input frames of a scaler, which later output may depend on.
///
/// We read new input in place, in the caller's memory. If a position needs both old and new frames,
/// we append the first new ones to the history, so that all frames around the position are in one
/// array.
struct History: ~Copyable {
  /// Max input frames per output frame: 1 / 0.01.
  private static let longestSpan = 100

  private let memory: Arena
  private let planes: FrameMemory
  private let shape: AudioShape
  /// `Window.before` of the widest window.
  private let before: Int
  /// In frames.
  private let capacity: Int
  private let joinRoom: Int

  private(set) var received: Int64 = 0
  /// The first frame of the stream that we still have.
  private var first: Int64 = 0
  /// We keep all frames starting with this one, however the input was split into buffers. We may
  /// still have earlier ones too, because we only drop frames when we need room.
  private var kept: Int64 = 0
  /// We've stored every frame starting with this one. Earlier input may have been passed through
  /// without being stored.
  private var known: Int64 = 0
  private var joined = 0

  /// Another scaler may adopt the stream, and will need up to `past` frames before and after a
  /// position. Throws if we run out of memory.
  init(_ shape: AudioShape, _ window: Window, past: Int) throws(TimeDSPStatus) {
    self.shape = shape
    before = window.before
    joinRoom = window.before &+ window.after
    // the input of one output frame, the frames before it, the appended frames, and some spare
    // room, so that we don't have to move frames in every call
    capacity =
      max(Self.longestSpan, window.after, past) &+ 1 &+ max(before, past) &+ joinRoom &+ before
    var memory = Arena()
    planes = try FrameMemory(shape, capacity, &memory)
    self.memory = memory
  }

  var bytes: Int { memory.bytes }

  var source: FrameSource {
    FrameSource(planes: planes.readable, first: first, end: received &+ Int64(joined))
  }

  mutating func reset() {
    (received, first, known, joined) = (0, 0, 0, 0)
    kept = 0 &- Int64(before)
  }

  /// How many frames before `position` we've stored without a break. `nil` if we have all frames that
  /// the widest window reads, or if the others are before the stream.
  func knownFrames(before position: Int64) -> Int64? {
    known == 0 || position &- known >= Int64(before) ? nil : position &- known
  }
}

extension History {
  /// Appends as many frames of `input` as positions in the history might need with this `window`,
  /// and returns how many. At the beginning of a stream, we put copies of the first frame before
  /// it.
  mutating func join(_ input: FrameCursor, _ frames: Int, _ window: Window) -> Int {
    guard let source = input.planes, frames > 0 else { return 0 }
    if received == 0 {
      first = 0 &- Int64(before)
      copy(source, from: input.first, frames: 1, to: 0)
      spread(0, over: before)
    }
    joined = min(frames, window.before &+ window.after)
    copy(source, from: input.first, frames: joined, to: index(of: received))
    return joined
  }

  /// Repeats the last frame, for the part of `window` after the end of the input.
  mutating func repeatLast(_ window: Window) {
    guard received > 0, joined < window.after else { return }
    joined = window.after
    spread(index(of: received) &- 1, over: joined &+ 1)
  }

  /// Repeats the frame at index `start`. Each pass doubles the number of copies.
  private func spread(_ start: Int, over count: Int) {
    var done = 1
    while done < count {
      let more = min(done, count &- done)
      copy(planes.readable, from: start, frames: more, to: start &+ done)
      done &+= more
    }
  }

  /// Consumes the first `consumed` frames of `input`, and drops anything more than `past` frames
  /// before `position`. We always keep the last frame and at least `past` frames before it, because
  /// we read copies of the last frame after the end of the input.
  mutating func settle(_ input: FrameCursor, consumed: Int, neededFrom position: Int64, past: Int) {
    let kept = max(before, past)
    keep(input, consumed: consumed, past: kept, before: position, room: capacity &- joinRoom)
  }

  mutating func pass(_ input: FrameCursor, past: Int) {
    let end = received &+ Int64(input.count)
    let start = end &- Int64(past)
    keep(input, consumed: input.count, past: past, before: end, room: 4 &* past)
    if start > 0 { known = max(known, start) }
  }

  private mutating func keep(
    _ input: FrameCursor, consumed: Int, past: Int, before position: Int64, room: Int
  ) {
    let end = received &+ Int64(consumed)
    let heldEnd = source.end
    let start = min(position, end &- 1) &- Int64(past)
    joined = 0
    guard end > 0 else { return }
    kept = max(kept, start)
    if start < heldEnd {
      // we only drop frames if we need room
      let isRoomy = Int(truncatingIfNeeded: end &- first) <= room
      if isRoomy || start <= first {
        append(input, from: heldEnd, to: end)
        return
      }
      let held = min(heldEnd, end)
      copy(
        planes.readable, from: index(of: start), frames: Int(truncatingIfNeeded: held &- start),
        to: 0)
    }
    first = start
    append(input, from: max(start, heldEnd), to: end)
  }

  /// The first frame of `input` is frame `received` of the stream.
  private mutating func append(_ input: FrameCursor, from start: Int64, to end: Int64) {
    if let source = input.planes, start < end {
      copy(
        source, from: input.first &+ Int(truncatingIfNeeded: start &- received),
        frames: Int(truncatingIfNeeded: end &- start), to: index(of: start))
    }
    received = end
  }

  /// Continues the stream of `other`, which must have the same format. Copies the frames before
  /// `position` that we might need, but only those that `other` is sure to have however its input
  /// was split into buffers.
  mutating func adopt(_ other: borrowing History, at position: Int64, past: Int) {
    reset()
    received = other.received
    let needed = position &- Int64(max(before, past))
    let held = max(other.first, other.kept)
    first = min(max(held, needed), received)
    kept = first
    known = held > 0 ? max(other.known, held) : other.known
    guard received > 0 else { return reset() }
    copy(
      other.planes.readable, from: Int(truncatingIfNeeded: first &- other.first),
      frames: Int(truncatingIfNeeded: received &- first), to: 0)
  }

  /// If frames are missing after `start`, we fill in copies of the first frame.
  mutating func reachBack(to start: Int64) {
    guard received > 0, start < first else { return }
    let missing = Int(truncatingIfNeeded: first &- start)
    copy(planes.readable, from: 0, frames: Int(truncatingIfNeeded: received &- first), to: missing)
    first = start
    copy(planes.readable, from: missing, frames: 1, to: 0)
    spread(0, over: missing)
  }

  private func index(of frame: Int64) -> Int { Int(truncatingIfNeeded: frame &- first) }

  private func copy(_ source: InputPlanes, from: Int, frames: Int, to: Int) {
    shape.copy(frames, of: source, from: from, into: planes.writable, at: to)
  }
}
