// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A chain's stretcher, which is fed by the first scaler.
struct StretchStage: ~Copyable {
  private let storage: Storage
  let layout: StretchLayout
  let stretcher: UnsafeMutablePointer<Stretcher>
  /// Output frames of the first scaler, on their way to the stretcher.
  var scratch: Scratch
  /// How much the chain had output before the stretcher was added, in frames.
  let base: Int64
  /// How many more input frames the stretcher needs before its factor may differ from 1.
  var warm: Int64
  private(set) var given: Int64 = 0

  /// `base` is how much the chain has output so far, in frames. If it's above 0, the stretcher must
  /// receive a window of input at factor 1 first, because otherwise it would assume that there was
  /// silence before.
  ///
  /// Throws if we run out of memory.
  init(_ layout: StretchLayout, _ factor: Fraction, after base: Int64) throws(TimeDSPStatus) {
    let storage = try Storage(bytes: layout.bytes)
    let scratch = try Scratch(layout.shape)
    stretcher = layout.makeStretcher(in: storage.base, factor)
    self.storage = storage
    self.layout = layout
    self.scratch = scratch
    self.base = base
    // the latency at factor 1, longer than a window
    warm = base > 0 ? stretcher.pointee.latency : 0
  }

  deinit { stretcher.pointee.formants?.free() }

  /// The output position of the next input frame, in the stretcher's output frames.
  var outputPosition: Double { outputPosition(of: stretcher.pointee.received) }

  /// The output position of `frame`, in the stretcher's output frames.
  func outputPosition(of frame: Int64) -> Double {
    let (whole, fraction) = stretcher.pointee.map.output(at: frame)
    return Double(whole) + fraction
  }

  /// `frame` and `frames` are the stretcher's input frames.
  func ramp(at frame: Int64, to factor: Double, within frames: UInt64) {
    guard let fraction = Fraction(factor: factor), stretcher.pointee.length == nil,
      frames <= UInt64(truncatingIfNeeded: maxFrames)
    else { return }
    stretcher.pointee.map.bend(
      at: frame, to: fraction, within: Int64(truncatingIfNeeded: frames))
  }

  /// `frame` is the chain's next input frame. Throws if we run out of memory.
  func ensureFormants(from frame: Int64) throws(TimeDSPStatus) {
    if stretcher.pointee.formants != nil { return }
    let mover = try FormantMover(layout, from: frame)
    stretcher.pointee.formants = try allocated(mover)
  }

  /// Moves formants, starting at the next frame of the first scaler. If `isFirst` is set, earlier
  /// frames are affected too. At that frame, the chain's input position is `position`, and the
  /// scaler's speed is `speed`. `ratio` and `level` are as in `FormantLaw`.
  func moveFormants(
    at position: Double, speed: Double, ratio: Double, level: Double, isFirst: Bool
  ) {
    let lead = isFirst ? Int64(truncatingIfNeeded: layout.sizes.longest) : 0
    let frame = stretcher.pointee.received &+ Int64(truncatingIfNeeded: scratch.rest.count) &- lead
    let section = CurveSection(
      output: Wide(high: frame, low: 0), input: Wide(position - Double(lead) * speed), speed: speed)
    stretcher.pointee.formants?.pointee.append(
      FormantLaw(section: section, ratio: ratio, level: level))
  }

  /// Shows the formant mover the first `count` frames of `input`, which the first scaler has
  /// consumed.
  func receive(_ input: FrameCursor, _ count: Int) {
    stretcher.pointee.formants?.pointee.receive(input.planes, count)
  }

  /// `frames` counts output frames of the first scaler from now on (`Stretcher.endSound`).
  func endSound(after frames: Int64) {
    let waiting = Int64(truncatingIfNeeded: scratch.rest.count)
    stretcher.pointee.endSound(after: waiting &+ frames)
  }

  mutating func emit(to sink: inout FrameSink) {
    let made = sink.made
    _ = stretcher.pointee.process(nil, frames: 0, into: &sink)
    given &+= Int64(truncatingIfNeeded: sink.made &- made)
  }

  /// Consumes frames from the scratch memory until output is ready. Returns true if the stretcher
  /// has just received enough input for a factor other than 1.
  mutating func consume() -> Bool {
    var none = FrameSink(planes: nil, capacity: 0)
    let consumed = stretcher.pointee.process(
      scratch.rest.planes, frames: scratch.rest.count, into: &none)
    scratch.rest.consume(consumed)
    guard warm > 0 else { return false }
    warm &-= Int64(truncatingIfNeeded: consumed)
    return warm == 0
  }

  /// Writes the remaining frames unmodified, because the stretcher only leaves when its output is
  /// the same as its input. Returns true after the last frame.
  mutating func leave(into sink: inout FrameSink, _ shape: AudioShape) -> Bool {
    stretcher.pointee.finish(into: &sink)
    if sink.room > 0 { scratch.empty(into: &sink, shape) }
    return sink.room > 0
  }
}

/// Input frames that haven't been consumed yet. The array of plane addresses belongs to the
/// cursor's owner.
struct FrameCursor: BitwiseCopyable {
  private(set) var planes: UnsafeMutablePointer<UnsafeRawPointer?>
  private let shape: AudioShape
  private(set) var count = 0

  /// The size of the array of plane addresses.
  static func bytes(_ shape: AudioShape) -> Int {
    shape.planes &* MemoryLayout<UnsafeRawPointer?>.stride
  }

  init(_ shape: AudioShape, memory: UnsafeMutableRawPointer) {
    self.shape = shape
    planes = memory.bindMemory(to: UnsafeRawPointer?.self, capacity: shape.planes)
  }

  /// If `source` is `nil`, there aren't any frames.
  mutating func point(at source: UnsafePointer<UnsafeRawPointer?>?, _ count: Int) {
    self.count = source == nil ? 0 : count
    for plane in upTo(shape.planes) {
      planes[plane] = source?[plane]
    }
  }

  mutating func point(everyPlaneAt frames: UnsafeRawPointer, _ count: Int) {
    self.count = count
    for plane in upTo(shape.planes) {
      planes[plane] = frames
    }
  }

  mutating func consume(_ frames: Int) {
    for plane in upTo(shape.planes) {
      if let start = planes[plane] { planes[plane] = start + frames &* shape.frameBytes }
    }
    count &-= frames
  }
}

/// Memory between two parts of a chain, for frames that the second one has yet to consume.
struct Scratch: ~Copyable {
  /// In frames.
  static let capacity = 512

  private let storage: Storage
  private let starts: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  var rest: FrameCursor

  init(_ shape: AudioShape) throws(TimeDSPStatus) {
    let planeBytes = Self.capacity &* shape.frameBytes
    let pointers = FrameCursor.bytes(shape)
    storage = try Storage(bytes: shape.planes &* planeBytes &+ 2 &* pointers)
    timedsp_clear(storage.base, shape.planes &* planeBytes)
    let lists = storage.base + shape.planes &* planeBytes
    starts = lists.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: shape.planes)
    rest = FrameCursor(shape, memory: lists + pointers)
    for plane in upTo(shape.planes) {
      starts[plane] = storage.base + plane &* planeBytes
    }
  }

  func sink(_ capacity: Int) -> FrameSink { FrameSink(planes: starts, capacity: capacity) }

  /// Call this once you've written the first `count` frames.
  mutating func fill(_ count: Int) {
    rest.point(at: UnsafeRawPointer(starts).assumingMemoryBound(to: UnsafeRawPointer?.self), count)
  }

  mutating func empty(into sink: inout FrameSink, _ shape: AudioShape) {
    let count = min(rest.count, sink.room)
    guard count > 0, let planes = sink.planes else { return }
    for plane in upTo(shape.planes) {
      if let from = rest.planes[plane], let to = planes[plane] {
        timedsp_copy(to + sink.made &* shape.frameBytes, from, count &* shape.frameBytes)
      }
    }
    sink.made &+= count
    rest.consume(count)
  }
}
