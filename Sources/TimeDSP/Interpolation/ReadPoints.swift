// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Where a run of output frames is read. A position has an offset, the input frame at or before it,
/// and a weight, the distance from there as a fraction of a frame.
///
/// We compute positions once per run, for all planes. The memory belongs to the scaler.
struct ReadPoints {
  static let capacity = 256

  static let bytes = capacity * (MemoryLayout<Int>.stride + 2 * MemoryLayout<Double>.stride)

  /// Relative to the first frame of the memory that we read.
  let offsets: UnsafeMutablePointer<Int>
  /// 0 ..< 1, and 0 if the position is exactly on a frame.
  let weights: UnsafeMutablePointer<Double>
  /// At each position, but only while the factor changes.
  let factors: UnsafeMutablePointer<Double>

  init(memory: UnsafeMutableRawPointer) {
    weights = memory.bindMemory(to: Double.self, capacity: 2 * Self.capacity)
    factors = weights + Self.capacity
    offsets = (memory + 2 * Self.capacity * MemoryLayout<Double>.stride)
      .bindMemory(to: Int.self, capacity: Self.capacity)
  }

  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// From integers in units of 1 / `parts` frames to fractions of a frame.
  func divideWeights(_ count: Int, by parts: Double) {
    for point in upTo(count) {
      weights[point] /= parts
    }
  }

  func smoothLengtheningWeights(_ count: Int) {
    for point in upTo(count) {
      if factors[point] > 1 { weights[point] = smoothstep(weights[point]) }
    }
  }

  func smoothWeights(_ count: Int) {
    for point in upTo(count) {
      weights[point] = smoothstep(weights[point])
    }
  }

  func snapToFrames(_ count: Int) {
    for point in upTo(count) {
      offsets[point] &+= weights[point] < 0.5 ? 0 : 1
      weights[point] = 0
    }
  }
}
