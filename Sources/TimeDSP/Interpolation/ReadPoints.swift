// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The positions of a run of output frames. Each position consists of the number of the frame at or
/// before it, and a fraction towards the next frame.
///
/// Positions are computed once per run and used for every plane. The memory belongs to the scaler.
struct ReadPoints {
  /// The maximum length of a run.
  static let capacity = 256

  /// Size of the memory for `init(memory:)`.
  static let bytes = capacity * (MemoryLayout<Int>.stride + 2 * MemoryLayout<Double>.stride)

  /// Frame numbers relative to the start of the memory that is read.
  let offsets: UnsafeMutablePointer<Int>
  /// The fractions: 0 if the position is exactly on the frame, otherwise above 0 and below 1.
  let weights: UnsafeMutablePointer<Double>
  /// The factor at each position. It is used only while the factor changes.
  let factors: UnsafeMutablePointer<Double>

  init(memory: UnsafeMutableRawPointer) {
    weights = memory.bindMemory(to: Double.self, capacity: 2 * Self.capacity)
    factors = weights + Self.capacity
    offsets = (memory + 2 * Self.capacity * MemoryLayout<Double>.stride)
      .bindMemory(to: Int.self, capacity: Self.capacity)
  }

  /// The share of the band that the output can represent while the factor changes.
  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// Divides the first `count` weights by the number of parts in a frame. Before this, the weights
  /// are integers.
  func divideWeights(_ count: Int, by parts: Double) {
    var point = 0
    while point < count {
      weights[point] /= parts
      point &+= 1
    }
  }

  /// Applies smoothstep to the first `count` weights, but only where the factor is above 1.
  func smoothLengtheningWeights(_ count: Int) {
    var point = 0
    while point < count {
      if factors[point] > 1 { weights[point] = smoothstep(weights[point]) }
      point &+= 1
    }
  }

  /// Applies smoothstep to the first `count` weights.
  func smoothWeights(_ count: Int) {
    var point = 0
    while point < count {
      weights[point] = smoothstep(weights[point])
      point &+= 1
    }
  }

  /// Moves the first `count` points to the nearer of their two frames.
  func snapToFrames(_ count: Int) {
    var point = 0
    while point < count {
      offsets[point] &+= weights[point] < 0.5 ? 0 : 1
      weights[point] = 0
      point &+= 1
    }
  }
}
