// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The recent input of a stretcher, stored channel by channel. Samples are stored as `Float` for
/// S16 and F32, and as `Double` for S32 and F64, so that the unmodified input can be output
/// exactly.
///
/// All channels get the same phase rotations, so that the stereo image is kept. The rotations are
/// computed from at most eight guide channels. If there are at most eight channels, these are the
/// guide channels. Otherwise, guide channel g is the sum of the channels g, g + 8, g + 16, ….
struct StretchHistory {
  let shape: AudioShape
  /// Capacity in frames.
  private let capacity: Int
  /// Number of frames that are kept before the position of the next analysis frame.
  private let past: Int
  /// Number of the last frames that are kept if the others are dropped.
  private let kept: Int
  private let planes: UnsafeMutableRawPointer
  private let sums: UnsafeMutablePointer<Float>
  /// Position in the stream of the first frame that is kept, in frames.
  private(set) var first: Int64 = 0
  /// Position in the stream after the last frame that is kept, in frames.
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

  /// Begins a stream, with silence before frame 0.
  mutating func start() {
    first = 0 &- Int64(truncatingIfNeeded: past)
    end = first
    extend(past)
  }

  /// Appends silence.
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

  /// Appends repetitions of the last `period` frames. Each repetition is the one before it,
  /// multiplied by `gain`. Appends silence if `period` or `gain` is 0.
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

  /// Appends `frames` frames of the input planes, beginning with frame `start`.
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

  /// Makes room for `frames` more frames, and returns the index of the first of them. If old frames
  /// have to be dropped, only the last `kept` frames stay, because they have to be moved. `frames` is
  /// at most the longest window, except for the first frames of a stream.
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

  /// Converts samples of one channel and stores them from index `index` of the planes on.
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

  /// Updates the guide channels that are sums of channels.
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

  /// The sample at `index` of the planes as a `Float`; 0 for NaN, infinity and values outside the
  /// range `softest ..< loudest`.
  @inline(__always)
  private func value(_ index: Int) -> Float {
    let value = isWide ? Float(real(Double.self)[index]) : real(Float.self)[index]
    return value.magnitude >= Float.softest && value.magnitude < Float.loudest ? value : 0
  }
}

extension StretchHistory {
  /// Index of the frame at stream position `frame` in the plane of a channel; `nil` unless all
  /// `count` frames from there on are kept.
  private func index(of frame: Int64, _ count: Int) -> Int? {
    guard frame >= first, frame &+ Int64(truncatingIfNeeded: count) <= end else { return nil }
    return Int(truncatingIfNeeded: frame &- first)
  }

  /// Sixteen samples of a channel or a guide channel.
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

  /// Multiplies `window.count` frames around frame `centre` by the window, and writes them to the
  /// input of `fft`, padded with zeros. The second half of the window is at the beginning, and the
  /// first half at the end, so that phases refer to the centre. If any of the frames is not kept,
  /// the whole input is set to 0.
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

  /// The sample of a guide channel at stream position `frame`; 0 if this frame is not kept.
  func sample(ofGuide guide: Int, _ frame: Int64) -> Float {
    guard let index = index(of: frame, 1) else { return 0 }
    if shape.channels > Self.maxGuides { return sums[guide &* capacity &+ index] }
    return value(guide &* capacity &+ index)
  }

  /// The address of `count` samples of a channel from `frame` on, stored as `Double`; `nil` if they
  /// are not kept. For S32 and F64.
  func wide(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Double>? {
    index(of: frame, count).map { real(Double.self) + (channel &* capacity &+ $0) }
  }

  /// The address of `count` samples of a channel from `frame` on, stored as `Float`; `nil` if they
  /// are not kept. For S16 and F32.
  func narrow(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Float>? {
    index(of: frame, count).map { real(Float.self) + (channel &* capacity &+ $0) }
  }
}

/// The part of a history from which a spectrum is computed.
enum StretchSource {
  case guide(Int)
  case channel(Int)
}

extension Spectrum {
  /// Sets the numbers from index `start` to before `end` to 0. Their count must be a multiple of
  /// eight.
  func clear(from start: Int, to end: Int) {
    for index in upTo(end, from: start, by: 8) {
      re.put(Lanes.zero, index)
      im.put(Lanes.zero, index)
    }
  }
}

extension Float {
  /// Samples of this magnitude or more are treated as corrupt, and replaced with 0.
  fileprivate static var loudest: Float { 1e10 }
  /// The smallest magnitude that is not replaced with 0. Smaller samples are inaudible, and their
  /// powers would be subnormal numbers, which are slow to process.
  fileprivate static var softest: Float { 1e-9 }
}

extension SIMD16<Float> {
  /// The numbers with NaN, infinity and values outside the range `softest ..< loudest` replaced
  /// with 0.
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
