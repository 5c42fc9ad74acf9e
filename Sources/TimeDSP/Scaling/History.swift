// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The last input frames of a scaler, on which later output may depend.
///
/// New input is read directly from the caller's memory. If a position needs both old and new
/// frames, the first new frames are appended to the history, so that all frames around the position
/// can be read as one array.
struct History: ~Copyable {
  /// Maximum number of input frames per output frame: 1 / 0.01.
  private static let longestSpan = 100

  private let storage: Storage
  private let shape: AudioShape
  /// `Window.before` of the widest window.
  private let before: Int
  /// Capacity in frames.
  private let capacity: Int
  /// Maximum number of new frames that are appended by `join`.
  private let joinRoom: Int
  private let planeBytes: Int
  /// Addresses of the planes. Both the addresses and the planes are in `storage`.
  private let planes: UnsafeMutablePointer<UnsafeRawPointer?>

  /// The position of the first frame in the stream, which is 0.
  private var begun: Int64 = 0
  /// Number of input frames consumed since the stream began.
  private(set) var received: Int64 = 0
  /// The position in the stream of the first frame that is kept.
  private var first: Int64 = 0
  /// The first frame that is guaranteed to be kept, however the input was divided into buffers.
  /// Earlier frames may be kept, too, because frames are dropped only when room is needed.
  private var kept: Int64 = 0
  /// The first frame of an unbroken series of stored frames. Frames before it may never have been
  /// stored, because the input was passed through.
  private var known: Int64 = 0
  /// Number of frames that `join` has appended after the received frames.
  private var joined = 0

  /// `past` is the maximum number of frames to keep before and after a position for another scaler,
  /// which may adopt the stream. Throws if memory cannot be allocated.
  init(_ shape: AudioShape, _ window: Window, past: Int) throws(TimeDSPStatus) {
    self.shape = shape
    before = window.before
    joinRoom = window.before &+ window.after
    // the input frames of one output frame, the frames before these, the appended frames, and a
    // reserve, so that frames are not moved in every call
    capacity =
      max(Self.longestSpan, window.after, past) &+ 1 &+ max(before, past) &+ joinRoom &+ before
    planeBytes = capacity &* shape.frameBytes
    let pointerBytes = MemoryLayout<UnsafeRawPointer?>.stride
    storage = try Storage(bytes: shape.planes &* (pointerBytes &+ planeBytes))
    planes = storage.base.bindMemory(to: UnsafeRawPointer?.self, capacity: shape.planes)
    for plane in upTo(shape.planes) {
      planes[plane] = UnsafeRawPointer(address(of: plane, frame: 0))
    }
  }

  /// Address in `plane` of the frame with index `frame` in the history.
  private func address(of plane: Int, frame: Int) -> UnsafeMutableRawPointer {
    let pointers = shape.planes &* MemoryLayout<UnsafeRawPointer?>.stride
    return storage.base + pointers + plane &* planeBytes + frame &* shape.frameBytes
  }

  /// The size of the memory in bytes.
  var bytes: Int {
    shape.planes &* (MemoryLayout<UnsafeRawPointer?>.stride &+ planeBytes)
  }

  /// All frames that are kept, including appended frames.
  var source: FrameSource {
    FrameSource(planes: planes, first: first, end: received &+ Int64(truncatingIfNeeded: joined))
  }

  /// Discards the stream.
  mutating func reset() { begin(at: 0) }

  /// Discards the stream. The next frame is at stream position `start`.
  mutating func begin(at start: Int64) {
    begun = start
    received = start
    first = start
    kept = start &- Int64(truncatingIfNeeded: before)
    known = start
    joined = 0
  }

  /// Whether all frames before `position` that the widest window reads have been stored, or precede
  /// the stream.
  func knowsAll(before position: Int64) -> Bool {
    known == begun || position &- known >= Int64(truncatingIfNeeded: before)
  }

  /// Number of frames before `position` that have been stored without a break.
  func knownFrames(before position: Int64) -> Int64 { position &- known }
}

extension History {
  /// Appends as many frames from `input` as positions in the history may need, and returns the
  /// number of appended frames. `window` is the window of these positions. At the beginning of a
  /// stream, copies of the first frame are put before it.
  mutating func join(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int, _ window: Window
  ) -> Int {
    guard let input, frames > 0 else { return 0 }
    if received == begun {
      first = begun &- Int64(truncatingIfNeeded: before)
      copy(input, from: 0, frames: 1, to: 0)
      spread(0, over: before)
    }
    joined = min(frames, window.before &+ window.after)
    copy(input, from: 0, frames: joined, to: index(of: received))
    return joined
  }

  /// Appends copies of the last frame, for the part of `window` after the end of the input.
  mutating func repeatLast(_ window: Window) {
    guard received > begun, joined < window.after else { return }
    joined = window.after
    spread(index(of: received) &- 1, over: joined &+ 1)
  }

  /// Repeats the frame at index `start` until there are `count` copies. Each pass doubles the
  /// number of copies.
  private func spread(_ start: Int, over count: Int) {
    var done = 1
    while done < count {
      let more = min(done, count &- done)
      copy(planes, from: start, frames: more, to: start &+ done)
      done &+= more
    }
  }

  /// Consumes the first `consumed` frames of `input`, and drops frames more than `past` frames
  /// before `position`. The last frame and at least `past` frames before it are always kept,
  /// because copies of the last frame are read after the end of the input.
  mutating func settle(
    _ input: UnsafePointer<UnsafeRawPointer?>?, consumed: Int, neededFrom position: Int64, past: Int
  ) {
    let kept = max(before, past)
    keep(input, consumed: consumed, past: kept, before: position, room: capacity &- joinRoom)
  }

  /// Records `consumed` frames that were passed through, and keeps the last `past` frames of the
  /// stream.
  mutating func pass(_ input: UnsafePointer<UnsafeRawPointer?>, consumed: Int, past: Int) {
    let end = received &+ Int64(truncatingIfNeeded: consumed)
    let start = end &- Int64(truncatingIfNeeded: past)
    keep(input, consumed: consumed, past: past, before: end, room: 4 &* past)
    if start > begun { known = max(known, start) }
  }

  private mutating func keep(
    _ input: UnsafePointer<UnsafeRawPointer?>?, consumed: Int, past: Int, before position: Int64,
    room: Int
  ) {
    let end = received &+ Int64(truncatingIfNeeded: consumed)
    let heldEnd = source.end
    let start = min(position, end &- 1) &- Int64(truncatingIfNeeded: past)
    joined = 0
    guard end > begun else { return }
    kept = max(kept, start)
    if start < heldEnd {
      // frames are dropped only if room is needed
      let isRoomy = Int(truncatingIfNeeded: end &- first) <= room
      if isRoomy || start <= first {
        append(input, from: heldEnd, to: end)
        return
      }
      let held = min(heldEnd, end)
      copy(planes, from: index(of: start), frames: Int(truncatingIfNeeded: held &- start), to: 0)
    }
    first = start
    append(input, from: max(start, heldEnd), to: end)
  }

  /// Stores the stream frames from `start` to before `end`. `input` begins with frame `received`.
  private mutating func append(
    _ input: UnsafePointer<UnsafeRawPointer?>?, from start: Int64, to end: Int64
  ) {
    if let input, start < end {
      copy(
        input, from: Int(truncatingIfNeeded: start &- received),
        frames: Int(truncatingIfNeeded: end &- start), to: index(of: start))
    }
    received = end
  }

  /// Continues the stream of `other`, which must have the same format. Frames before `position` are
  /// copied if they may be needed, and if `other` is guaranteed to keep them however its input was
  /// divided into buffers.
  mutating func adopt(_ other: borrowing History, at position: Int64, past: Int) {
    begin(at: other.begun)
    received = other.received
    let needed = position &- Int64(truncatingIfNeeded: max(before, past))
    let held = max(other.first, other.kept)
    first = min(max(held, needed), received)
    kept = first
    known = held > begun ? max(other.known, held) : other.known
    guard received > begun else { return begin(at: begun) }
    copy(
      other.planes, from: Int(truncatingIfNeeded: first &- other.first),
      frames: Int(truncatingIfNeeded: received &- first), to: 0)
  }

  /// Makes the frames from `start` on readable, by putting copies of the first kept frame before
  /// it.
  mutating func reachBack(to start: Int64) {
    guard received > begun, start < first else { return }
    let missing = Int(truncatingIfNeeded: first &- start)
    copy(planes, from: 0, frames: Int(truncatingIfNeeded: received &- first), to: missing)
    first = start
    copy(planes, from: missing, frames: 1, to: 0)
    spread(0, over: missing)
  }

  /// Index in the history of stream frame `frame`.
  private func index(of frame: Int64) -> Int {
    Int(truncatingIfNeeded: frame &- first)
  }

  /// Copies frames of every plane from index `from` of `source` to index `to` of the history. The
  /// ranges may overlap.
  private func copy(
    _ source: UnsafePointer<UnsafeRawPointer?>, from: Int, frames: Int, to: Int
  ) {
    for plane in upTo(shape.planes) {
      if let start = source[plane] {
        timedsp_copy(
          address(of: plane, frame: to), start + from &* shape.frameBytes,
          frames &* shape.frameBytes)
      }
    }
  }
}
