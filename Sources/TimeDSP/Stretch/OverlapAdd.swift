// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Overlap-adds synthesis frames. The output of a channel is the sum of its windowed
/// frames / `norm`, the sum of the squared windows.
struct OverlapAdd {
  private let channels: Int
  private let capacity: Int
  private let sums: UnsafeMutablePointer<Float>
  private let norm: UnsafeMutablePointer<Float>
  private var first: Int64 = 0
  private var end: Int64 = 0

  init(channels: Int, _ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    self.channels = channels
    // `LostLevel` reads output up to one and a half windows after it's finished
    capacity = 3 &* sizes.longest &+ 64
    sums = memory.allocate(Float.self, channels &* capacity)
    norm = memory.allocate(Float.self, capacity)
  }

  mutating func start(at frame: Int64) {
    first = frame
    end = frame
    norm.fill(0, capacity)
    sums.fill(0, channels &* capacity)
  }

  /// Makes room up to `newEnd`, and drops output before `frame` if necessary. From `frame` to
  /// `newEnd`, it's at most 2.5 times the longest window.
  mutating func open(from frame: Int64, to newEnd: Int64) {
    if newEnd &- first > Int64(truncatingIfNeeded: capacity) {
      let gone = Int(truncatingIfNeeded: frame &- first)
      let kept = max(Int(truncatingIfNeeded: end &- frame), 0)
      for channel in upTo(channels) {
        shift(sums + channel &* capacity, by: gone, keeping: kept)
      }
      shift(norm, by: gone, keeping: kept)
      first = frame
    }
    end = max(end, newEnd)
  }

  private func shift(_ plane: UnsafeMutablePointer<Float>, by gone: Int, keeping kept: Int) {
    timedsp_copy(plane, plane + gone, kept &* MemoryLayout<Float>.stride)
    (plane + kept).fill(0, capacity &- kept)
  }

  @inline(__always)
  private func sum(_ channel: Int, _ frame: Int64) -> UnsafeMutablePointer<Float> {
    sums + channel &* capacity + Int(truncatingIfNeeded: frame &- first)
  }

  @inline(__always)
  private func norm(_ frame: Int64) -> UnsafeMutablePointer<Float> {
    norm + Int(truncatingIfNeeded: frame &- first)
  }

  func addNorm(_ window: StretchWindow, _ centre: Int64) {
    let target = UnsafeMutableRawPointer(
      norm(centre &- Int64(truncatingIfNeeded: window.count &>> 1)))
    for frame in upTo(window.count, by: 16) {
      let address = target + frame &* MemoryLayout<Float>.stride
      let weights = window.sixteen(frame)
      address.write(address.read(SIMD16<Float>.self) + weights * weights)
    }
  }

  /// Adds the windowed synthesis frame in `packed` to a channel, centred at output position
  /// `centre`. Its samples are arranged as by `StretchHistory.load`.
  func add(
    _ packed: Spectrum, _ fft: RealFFT, _ window: StretchWindow, _ channel: Int, _ centre: Int64
  ) {
    let target = UnsafeMutableRawPointer(
      sum(channel, centre &- Int64(truncatingIfNeeded: window.count &>> 1)))
    for frame in upTo(window.count, by: 16) {
      let source = window.index(of: frame, in: fft) &>> 1
      let numbers = packed.re.lanes(source).interleaved(packed.im.lanes(source))
      let address = target + frame &* MemoryLayout<Float>.stride
      address.write(address.read(SIMD16<Float>.self) + numbers * window.sixteen(frame))
    }
  }

  /// Writes the windowed output around `centre` to the input of `fft`, arranged as by
  /// `StretchHistory.load`. It's the sum of every `guides`-th channel, from channel `guide` on.
  func load(
    _ guide: Int, of guides: Int, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT
  ) {
    let start = centre &- Int64(truncatingIfNeeded: window.count &>> 1)
    fft.packed.clear(from: 0, to: fft.half)
    for frame in upTo(window.count, by: 16) {
      let position = start &+ Int64(truncatingIfNeeded: frame)
      var sum = SIMD16<Float>.zero
      var channel = guide
      while channel < channels {
        sum += UnsafeMutableRawPointer(self.sum(channel, position)).read(SIMD16<Float>.self)
        channel &+= guides
      }
      let norms = UnsafeMutableRawPointer(norm(position)).read(SIMD16<Float>.self)
      let numbers = sum * window.sixteen(frame) / norms.atLeastAThousandth
      fft.pack(numbers, window.index(of: frame, in: fft))
    }
  }

  @inline(__always)
  func value(_ channel: Int, _ frame: Int64) -> Float {
    sum(channel, frame).pointee / max(norm(frame).pointee, 1e-3)
  }
}

extension SIMD16<Float> {
  /// The larger of each number and 0.001. We don't compare, because the compiler processes the mask
  /// lane by lane.
  fileprivate var atLeastAThousandth: SIMD16<Float> {
    let over = unsafeBitCast(self - 1e-3, to: SIMD16<Int32>.self)
    let marks = unsafeBitCast(over &>> 31, to: SIMD16<UInt32>.self)
    let bits = unsafeBitCast(self, to: SIMD16<UInt32>.self)
    let least = unsafeBitCast(SIMD16<Float>(repeating: 1e-3), to: SIMD16<UInt32>.self)
    return unsafeBitCast(bits ^ ((bits ^ least) & marks), to: SIMD16<Float>.self)
  }
}
