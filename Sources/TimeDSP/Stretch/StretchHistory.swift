// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The recent input of a stretcher, channel by channel. S16 and F32 become `Float`, and S32 and F64
/// become `Double`, so that we can output the unmodified input exactly.
///
/// All channels get the same phase rotations, so that the stereo image stays. We compute them from
/// guide channels, at most eight. Up to eight channels guide themselves. With more, guide channel g
/// is the sum of the channels g, g + 8, g + 16, ….
struct StretchHistory {
  let shape: AudioShape
  private let capacity: Int
  /// Frames that we keep before the position of the next analysis frame.
  private let past: Int
  /// If others go, these last frames stay.
  private let kept: Int
  private let planes: UnsafeMutableRawPointer
  private let sums: UnsafeMutablePointer<Float>
  private(set) var first: Int64 = 0
  /// The end of the frames that we keep, in the stream.
  private(set) var end: Int64 = 0

  static let maxGuides = 8

  init(_ shape: AudioShape, _ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    self.shape = shape
    past = sizes.past
    kept = sizes.kept
    capacity = kept &+ sizes.longest
    planes = UnsafeMutableRawPointer(
      memory.allocate(UInt8.self, shape.channels &* capacity &* shape.realBytes))
    let hasSums = shape.channels > Self.maxGuides
    sums = memory.allocate(Float.self, hasSums ? Self.maxGuides &* capacity : 0)
  }

  var guides: Int { min(shape.channels, Self.maxGuides) }
  private var isWide: Bool { shape.realBytes == MemoryLayout<Double>.stride }

  /// Before frame 0, there's silence.
  mutating func start() {
    first = 0 &- Int64(truncatingIfNeeded: past)
    end = first
    extend(past)
  }

  mutating func extend(_ frames: Int) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let size = shape.realBytes
      let target = planes + (channel &* capacity &+ index) &* size
      timedsp_clear(target, frames &* size)
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  /// Appends repetitions of the last `period` frames, each at `gain` relative to the one before. If
  /// `period` or `gain` is 0, it's silence.
  mutating func extend(_ frames: Int, repeating period: Int, gain: Float) {
    if gain == 0 || period == 0 {
      extend(frames)
      return
    }
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let start = channel &* capacity &+ index
      if isWide {
        repeatFrames(real(Double.self) + start, frames, period, Double(gain))
      } else {
        repeatFrames(real(Float.self) + start, frames, period, gain)
      }
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  private func repeatFrames<Real: BinaryFloatingPoint>(
    _ target: UnsafeMutablePointer<Real>, _ frames: Int, _ period: Int, _ gain: Real
  ) {
    for frame in upTo(frames) {
      target[frame] = target[frame &- period] * gain
    }
  }

  mutating func append(
    _ input: UnsafePointer<UnsafeRawPointer?>, from start: Int, frames: Int
  ) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      if let plane = input[shape.plane(of: channel)] {
        let source = plane + start &* shape.frameBytes
        copy(source, shape.sampleOffset(of: channel), frames, channel &* capacity &+ index)
      }
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  /// Makes room for `frames` more frames, and returns the index of the first one. If old frames
  /// must go, only the last `kept` frames stay, because we must move them. `frames` is at most the
  /// longest window, except for the first frames of a stream.
  private mutating func makeRoom(_ frames: Int) -> Int {
    let held = Int(truncatingIfNeeded: end &- first)
    if held &+ frames <= capacity { return held }
    let gone = held &- kept
    for channel in upTo(shape.channels) {
      let plane = planes + channel &* capacity &* shape.realBytes
      timedsp_copy(plane, plane + gone &* shape.realBytes, kept &* shape.realBytes)
    }
    if shape.channels > Self.maxGuides {
      for guide in upTo(Self.maxGuides) {
        let plane = sums + guide &* capacity
        timedsp_copy(plane, plane + gone, kept &* MemoryLayout<Float>.stride)
      }
    }
    first &+= Int64(truncatingIfNeeded: gone)
    return kept
  }

  /// Converts samples of one channel, and stores them from index `index` of the planes on.
  private func copy(
    _ source: UnsafeRawPointer, _ channel: Int, _ frames: Int, _ index: Int
  ) {
    switch shape.format {
    case TIMEDSP_S16: copy(Int16.self, source, channel, frames, to: real(Float.self) + index)
    case TIMEDSP_F32: copy(Float.self, source, channel, frames, to: real(Float.self) + index)
    case TIMEDSP_S32: copy(Int32.self, source, channel, frames, to: real(Double.self) + index)
    default: copy(Double.self, source, channel, frames, to: real(Double.self) + index)
    }
  }

  private func real<Real: BitwiseCopyable>(_ type: Real.Type) -> UnsafeMutablePointer<Real> {
    planes.assumingMemoryBound(to: type)
  }

  private func copy<Value: StretchSample>(
    _ type: Value.Type, _ source: UnsafeRawPointer, _ channel: Int, _ frames: Int,
    to target: UnsafeMutablePointer<Value.Number>
  ) {
    let samples = source.assumingMemoryBound(to: type) + channel
    let stride = shape.samplesPerFrame
    for frame in upTo(frames) {
      target[frame] = samples[frame &* stride].number
    }
  }

  private func addSums(_ index: Int, _ frames: Int) {
    guard shape.channels > Self.maxGuides else { return }
    var frame = index
    while frame < index &+ frames {
      for guide in upTo(Self.maxGuides) {
        var sum: Float = 0
        for channel in upTo(shape.channels, from: guide, by: Self.maxGuides) {
          sum += value(channel &* capacity &+ frame)
        }
        sums[guide &* capacity &+ frame] = sum
      }
      frame &+= 1
    }
  }

  /// A sample of the planes, or 0 for NaN, infinity and values outside `softest ..< loudest`.
  @inline(__always)
  private func value(_ index: Int) -> Float {
    let value = isWide ? Float(real(Double.self)[index]) : real(Float.self)[index]
    return value.magnitude >= Float.softest && value.magnitude < Float.loudest ? value : 0
  }
}

extension StretchHistory {
  /// The index in a channel's plane, or `nil` unless we keep all `count` frames from stream
  /// position `frame` on.
  private func index(of frame: Int64, _ count: Int) -> Int? {
    guard frame >= first, frame &+ Int64(truncatingIfNeeded: count) <= end else { return nil }
    return Int(truncatingIfNeeded: frame &- first)
  }

  @inline(__always)
  private func sixteen(_ source: StretchSource, _ index: Int) -> SIMD16<Float> {
    let start: SIMD16<Float>
    switch source {
    case .guide(let guide) where shape.channels > Self.maxGuides:
      start = UnsafeMutableRawPointer(sums + guide &* capacity + index).read(SIMD16<Float>.self)
    case .guide(let channel), .channel(let channel):
      let index = channel &* capacity &+ index
      if isWide {
        let wide = UnsafeMutableRawPointer(real(Double.self) + index)
        start = SIMD16<Float>(wide.read(SIMD16<Double>.self))
      } else {
        start = UnsafeMutableRawPointer(real(Float.self) + index).read(SIMD16<Float>.self)
      }
    }
    return start.reasonable
  }

  /// Writes the windowed frames around `centre` to the input of `fft`, padded with zeros. The
  /// second half of the window comes first, and the first half last, so that phases refer to the
  /// centre. If we don't keep one of the frames, all of it is 0.
  func load(_ source: StretchSource, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT) {
    let half = window.count &>> 1
    let packed = fft.packed
    guard let index = index(of: centre &- Int64(truncatingIfNeeded: half), window.count) else {
      packed.clear(from: 0, to: fft.half)
      return
    }
    for frame in upTo(window.count, by: 16) {
      let numbers = sixteen(source, index &+ frame) * window.sixteen(frame)
      fft.pack(numbers, window.index(of: frame, in: fft))
    }
    packed.clear(from: half &>> 1, to: fft.half &- half &>> 1)
  }

  /// At stream position `frame`, or 0 if we don't keep this frame.
  func sample(ofGuide guide: Int, _ frame: Int64) -> Float {
    guard let index = index(of: frame, 1) else { return 0 }
    if shape.channels > Self.maxGuides { return sums[guide &* capacity &+ index] }
    return value(guide &* capacity &+ index)
  }

  /// For S32 and F64: `count` samples of a channel from `frame` on. `nil` if we don't keep them.
  func wide(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Double>? {
    index(of: frame, count).map { real(Double.self) + (channel &* capacity &+ $0) }
  }

  /// For S16 and F32: `count` samples of a channel from `frame` on. `nil` if we don't keep them.
  func narrow(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Float>? {
    index(of: frame, count).map { real(Float.self) + (channel &* capacity &+ $0) }
  }
}

/// A spectrum is computed from one of these.
enum StretchSource {
  case guide(Int)
  case channel(Int)
}

extension Spectrum {
  /// From `start` to before `end`, a multiple of eight numbers.
  func clear(from start: Int, to end: Int) {
    for index in upTo(end, from: start, by: 8) {
      re.put(Lanes.zero, index)
      im.put(Lanes.zero, index)
    }
  }
}

extension Float {
  /// From here on, samples are corrupt, and become 0.
  fileprivate static var loudest: Float { 1e10 }
  /// Smaller samples become 0. Nobody hears them, and their powers would be subnormal numbers, with
  /// which CPUs are slow.
  fileprivate static var softest: Float { 1e-9 }
}

extension SIMD16<Float> {
  /// 0 replaces NaN, infinity and values outside `softest ..< loudest`.
  @inline(__always)
  fileprivate var reasonable: SIMD16<Float> {
    let bits = unsafeBitCast(self, to: SIMD16<UInt32>.self)
    let magnitude = bits & 0x7fff_ffff
    let over = magnitude &- Float.softest.bitPattern
    let under = Float.loudest.bitPattern &- magnitude
    let beyond = unsafeBitCast(over | under, to: SIMD16<Int32>.self) &>> 31
    let marks = unsafeBitCast(beyond, to: SIMD16<UInt32>.self)
    return unsafeBitCast(bits & ~marks, to: SIMD16<Float>.self)
  }
}
