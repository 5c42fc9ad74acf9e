// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The positions at which a run of output frames is read. A position is the number of the input
/// frame at or before it (its offset), and a fraction of the distance to the next input frame (its
/// weight).
///
/// Positions are computed once per run, and used for every plane. The memory belongs to the scaler.
struct ReadPoints {
  /// Maximum number of output frames in a run.
  static let capacity = 256

  /// Size of the memory for `init(memory:)`.
  static let bytes = capacity * (MemoryLayout<Int>.stride + 2 * MemoryLayout<Double>.stride)

  /// The offsets, relative to the first frame of the memory that is read.
  let offsets: UnsafeMutablePointer<Int>
  /// The weights, 0 ..< 1; 0 if the position is exactly on a frame.
  let weights: UnsafeMutablePointer<Double>
  /// The factor at each position. Only used while the factor changes.
  let factors: UnsafeMutablePointer<Double>

  init(memory: UnsafeMutableRawPointer) {
    weights = memory.bindMemory(to: Double.self, capacity: 2 * Self.capacity)
    factors = weights + Self.capacity
    offsets = (memory + 2 * Self.capacity * MemoryLayout<Double>.stride)
      .bindMemory(to: Int.self, capacity: Self.capacity)
  }

  /// The kernel scale (`Reading.scale`) at a point, while the factor changes.
  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// Divides the first `count` weights by `parts`, which converts them from integers in units of
  /// 1 / `parts` frames to fractions of a frame.
  func divideWeights(_ count: Int, by parts: Double) {
    for point in upTo(count) {
      weights[point] /= parts
    }
  }

  /// Applies smoothstep to those of the first `count` weights at which the factor is above 1.
  func smoothLengtheningWeights(_ count: Int) {
    for point in upTo(count) {
      if factors[point] > 1 { weights[point] = smoothstep(weights[point]) }
    }
  }

  /// Applies smoothstep to the first `count` weights.
  func smoothWeights(_ count: Int) {
    for point in upTo(count) {
      weights[point] = smoothstep(weights[point])
    }
  }

  /// Moves the first `count` positions to the nearest frame.
  func snapToFrames(_ count: Int) {
    for point in upTo(count) {
      offsets[point] &+= weights[point] < 0.5 ? 0 : 1
      weights[point] = 0
    }
  }
}
