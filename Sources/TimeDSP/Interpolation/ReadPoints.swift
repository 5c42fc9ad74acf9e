// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The positions of a run of output frames: for each, the frame at or before it, and the fraction
/// towards the next frame.
///
/// Positions are computed once per run and used for every plane. The memory belongs to the scaler.
struct ReadPoints {
  /// The maximum length of a run.
  static let capacity = 256

  /// Size of the memory for `init(memory:)`.
  static let bytes = capacity * (MemoryLayout<Int>.stride + 2 * MemoryLayout<Double>.stride)

  /// Frame numbers relative to the start of the memory that is read.
  let offsets: UnsafeMutablePointer<Int>
  /// 0 if the position is exactly on the frame, otherwise above 0 and below 1.
  let weights: UnsafeMutablePointer<Double>
  /// The factor at each position; used only while the factor changes.
  let factors: UnsafeMutablePointer<Double>

  init(memory: UnsafeMutableRawPointer) {
    weights = memory.bindMemory(to: Double.self, capacity: 2 * Self.capacity)
    factors = weights + Self.capacity
    offsets = (memory + 2 * Self.capacity * MemoryLayout<Double>.stride)
      .bindMemory(to: Int.self, capacity: Self.capacity)
  }

  /// The part of the band that the output can represent while the factor changes.
  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// Divides the first `count` weights, which are still integers, by the number of parts in a
  /// frame.
  func divideWeights(_ count: Int, by parts: Double) {
    var point = 0
    while point < count {
      weights[point] /= parts
      point &+= 1
    }
  }

  /// Applies smoothstep to those of the first `count` weights whose own factor lengthens.
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
