// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The recent input of a chain, mixed to one channel. Here we measure formants, and not in the
/// stretcher's input: a scaler before the stretcher that raises the pitch removes the highest
/// frequencies, and their formants.
struct FormantHistory {
  private let frames: UnsafeMutablePointer<Float>
  private let mask: Int64
  private let start: Int64
  private(set) var end: Int64

  /// The weight of each channel after the first. It's below 1, so that two channels of opposite
  /// phase don't cancel.
  private static let side: Float = 0.7
  /// Of the scaler before the stretcher. We don't move formants below it, because that would need a
  /// longer history.
  static let minFactor = 0.125

  /// In frames. A power of two.
  static func capacity(_ sizes: StretchSizes) -> Int {
    let held = sizes.ahead &+ 2 &* sizes.longest &+ sizes.slack &+ 2 &* Scratch.capacity
    var capacity = 1024
    while capacity < 8 &* held &+ sizes.envelope { capacity = capacity &* 2 }
    return capacity
  }

  /// The first frame to append is at `start` in the stream.
  init(_ sizes: StretchSizes, from start: Int64, _ memory: inout ScratchMemory) {
    let capacity = Self.capacity(sizes)
    frames = memory.allocate(Float.self, capacity)
    mask = Int64(truncatingIfNeeded: capacity &- 1)
    (self.start, end) = (start, start)
  }

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

  /// Writes the windowed frames around `centre` to the input of `fft`. Before the start of the
  /// stream, and where nothing has arrived yet, there's silence. If any of the frames has been
  /// overwritten, returns `false` and writes nothing.
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
