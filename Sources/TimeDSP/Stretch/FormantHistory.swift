// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The recent input of a chain, mixed to one channel, to measure formants in. Formants are not
/// measured in the input of the stretcher, because a scaler that raises the pitch before the
/// stretcher removes the highest frequencies, and with them the formants at these frequencies.
struct FormantHistory {
  private let frames: UnsafeMutablePointer<Float>
  private let mask: Int64
  /// Position in the stream of the first frame that was appended, in frames.
  private let start: Int64
  /// Position in the stream of the next frame to be appended.
  private(set) var end: Int64

  /// Weight in the mix of each channel after the first. It is below 1, so that two channels of
  /// opposite phase do not cancel.
  private static let side: Float = 0.7
  /// The smallest factor of the scaler before the stretcher at which formants are moved. A smaller
  /// factor would need a longer history.
  static let minFactor = 0.125

  /// Capacity in frames for a stretcher with `sizes`; a power of two.
  static func capacity(_ sizes: StretchSizes) -> Int {
    let held = sizes.ahead &+ 2 &* sizes.longest &+ sizes.slack &+ 2 &* Scratch.capacity
    var capacity = 1024
    while capacity < 8 &* held &+ sizes.envelope { capacity = capacity &* 2 }
    return capacity
  }

  /// `start` is the position in the stream of the first frame that will be appended.
  init(_ sizes: StretchSizes, from start: Int64, _ memory: inout ScratchMemory) {
    let capacity = Self.capacity(sizes)
    frames = memory.allocate(Float.self, capacity)
    mask = Int64(truncatingIfNeeded: capacity &- 1)
    (self.start, end) = (start, start)
  }

  /// Appends `count` frames of `planes`.
  mutating func append(
    _ planes: UnsafePointer<UnsafeRawPointer?>, _ count: Int, _ shape: AudioShape
  ) {
    for channel in upTo(shape.channels) {
      if let plane = planes[shape.plane(of: channel)] {
        switch shape.format {
        case TIMEDSP_S16: add(Int16.self, plane, count, channel, shape) { $0.number }
        case TIMEDSP_F32: add(Float.self, plane, count, channel, shape) { $0 }
        case TIMEDSP_S32: add(Int32.self, plane, count, channel, shape) { Float($0.number) }
        default: add(Double.self, plane, count, channel, shape) { Float($0) }
        }
      }
    }
    end &+= Int64(truncatingIfNeeded: count)
  }

  @inline(__always)
  private func add<Value: BitwiseCopyable>(
    _ type: Value.Type, _ plane: UnsafeRawPointer, _ count: Int, _ channel: Int,
    _ shape: AudioShape, _ number: (Value) -> Float
  ) {
    let samples = plane.assumingMemoryBound(to: type) + shape.sampleOffset(of: channel)
    let stride = shape.samplesPerFrame
    for frame in upTo(count) {
      let value = number(samples[frame &* stride])
      let sound = value.magnitude >= 1e-9 && value.magnitude < 1e10 ? value : 0
      let index = index(end &+ Int64(truncatingIfNeeded: frame))
      frames[index] = channel == 0 ? sound : frames[index] + sound * Self.side
    }
  }

  private func index(_ frame: Int64) -> Int { Int(truncatingIfNeeded: frame & mask) }

  /// Writes the windowed frames around `centre` to the input of `fft`. Frames before the start of
  /// the stream, and frames that have not arrived, are treated as silence. If any of the frames has
  /// already been overwritten, returns `false` and writes nothing.
  func load(_ centre: Int64, _ window: StretchWindow, _ fft: RealFFT) -> Bool {
    let first = centre &- Int64(truncatingIfNeeded: window.count &>> 1)
    guard max(first, start) >= end &- mask &- 1 else { return false }
    var pair = 0
    while pair < window.count &>> 1 {
      let frame = first &+ Int64(truncatingIfNeeded: 2 &* pair)
      fft.packed.re[pair] = value(frame) * window.values[2 &* pair]
      fft.packed.im[pair] = value(frame &+ 1) * window.values[2 &* pair &+ 1]
      pair &+= 1
    }
    return true
  }

  @inline(__always)
  private func value(_ frame: Int64) -> Float {
    frame >= start && frame < end ? frames[index(frame)] : 0
  }
}
