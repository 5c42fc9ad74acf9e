// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The last frames of input, kept for what is still to be made of them.
///
/// New input is read where the caller has it. Only where a position lies
/// between old and new frames, the first few of the new ones are joined on
/// behind the old ones, so that both can be read as one array.
struct History: ~Copyable {
  /// Most input frames that one output frame can span: 1 / 0.01.
  private static let longestSpan = 100

  private let storage: Storage
  private let shape: AudioShape
  private let before: Int
  private let after: Int
  private let planeBytes: Int
  /// Addresses of the planes; they and the planes are in `storage`.
  private let planes: UnsafeMutablePointer<UnsafeRawPointer?>

  /// Frames of input taken since the stream began.
  private(set) var received: Int64 = 0
  /// The number in the stream of the first frame held.
  private var first: Int64 = 0
  /// Frames joined on behind those received.
  private var joined = 0

  /// Throws where the memory cannot be had.
  init(_ settings: ScalerSettings) throws(TimeDSPStatus) {
    shape = settings.shape
    before = settings.interpolation.before
    after = settings.interpolation.after
    // What a frame that is not due yet may span, what is looked at before it,
    // and what is joined on.
    let capacity = Self.longestSpan &+ before &+ (before &+ after)
    planeBytes = capacity &* shape.frameBytes
    let pointerBytes = MemoryLayout<UnsafeRawPointer?>.stride
    storage = try Storage(bytes: shape.planes &* (pointerBytes &+ planeBytes))
    planes = storage.base.bindMemory(to: UnsafeRawPointer?.self, capacity: shape.planes)
    var plane = 0
    while plane < shape.planes {
      planes[plane] = UnsafeRawPointer(address(of: plane, frame: 0))
      plane &+= 1
    }
  }

  /// Where in `plane` the frame is that is held in place `frame`.
  private func address(of plane: Int, frame: Int) -> UnsafeMutableRawPointer {
    let pointers = shape.planes &* MemoryLayout<UnsafeRawPointer?>.stride
    return storage.base + pointers + plane &* planeBytes + frame &* shape.frameBytes
  }

  /// Everything that is held.
  var source: FrameSource {
    FrameSource(planes: planes, first: first, end: received &+ Int64(truncatingIfNeeded: joined))
  }

  /// Forgets the stream.
  mutating func reset() {
    received = 0
    first = 0
    joined = 0
  }
}

extension History {
  /// Joins as many frames on from `input` as the positions that begin in the
  /// history look at; returns how many. At the beginning of a stream its first
  /// frame also takes the place of those before it.
  mutating func join(_ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int) -> Int {
    guard let input, frames > 0 else { return 0 }
    if received == 0 {
      first = 0 &- Int64(truncatingIfNeeded: before)
      var place = 0
      while place < before {
        copy(input, from: 0, frames: 1, to: place)
        place &+= 1
      }
    }
    joined = min(frames, before &+ after)
    copy(input, from: 0, frames: joined, to: place(of: received))
    return joined
  }

  /// Repeats the last frame for whatever looks beyond it.
  mutating func repeatLast() {
    guard received > 0 else { return }
    let end = place(of: received)
    while joined < after {
      copy(planes, from: end &- 1, frames: 1, to: end &+ joined)
      joined &+= 1
    }
  }

  /// Takes the first `taken` frames of `input`, which may be joined on
  /// already, and drops whatever lies before frame `start` of the stream. The
  /// last frame always stays, with those that are looked at before it: if the
  /// input ends, positions beyond it fall back on it.
  mutating func settle(
    _ input: UnsafePointer<UnsafeRawPointer?>?, taken: Int, keepingFrom start: Int64
  ) {
    let end = received &+ Int64(truncatingIfNeeded: taken)
    let heldEnd = source.end
    let start = min(start, end &- 1 &- Int64(truncatingIfNeeded: before))
    joined = 0
    guard end > 0 else { return }
    if start > first && start < heldEnd {
      let held = min(heldEnd, end)
      copy(planes, from: place(of: start), frames: Int(truncatingIfNeeded: held &- start), to: 0)
    }
    first = start
    let fresh = max(start, heldEnd)
    if let input, fresh < end {
      copy(
        input, from: Int(truncatingIfNeeded: fresh &- received),
        frames: Int(truncatingIfNeeded: end &- fresh), to: place(of: fresh))
    }
    received = end
  }

  /// Where frame `frame` of the stream is held.
  private func place(of frame: Int64) -> Int {
    Int(truncatingIfNeeded: frame &- first)
  }

  /// Copies frames of every plane from place `from` of `source` to place `to`
  /// of the history; the two may overlap.
  private func copy(
    _ source: UnsafePointer<UnsafeRawPointer?>, from: Int, frames: Int, to: Int
  ) {
    var plane = 0
    while plane < shape.planes {
      if let start = source[plane] {
        timedsp_copy(
          address(of: plane, frame: to), start + from &* shape.frameBytes,
          frames &* shape.frameBytes)
      }
      plane &+= 1
    }
  }
}
