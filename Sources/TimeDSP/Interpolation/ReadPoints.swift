// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Positions of a run of output frames: for each of them the frame before it and the fraction to
/// the next.
///
/// Positions are computed once for a run and then used for every plane. The memory belongs to the
/// scaler.
struct ReadPoints {
  /// The longest run.
  static let capacity = 256

  /// Bytes for `init(memory:)`.
  static let bytes = capacity * (MemoryLayout<Int>.stride + 2 * MemoryLayout<Double>.stride)

  /// Frames counted from the start of the memory that is read from.
  let offsets: UnsafeMutablePointer<Int>
  /// 0 if the position is exactly on the frame, below 1 elsewhere.
  let weights: UnsafeMutablePointer<Double>
  /// The factor at each position; only while it moves.
  let factors: UnsafeMutablePointer<Double>

  init(memory: UnsafeMutableRawPointer) {
    weights = memory.bindMemory(to: Double.self, capacity: 2 * Self.capacity)
    factors = weights + Self.capacity
    offsets = (memory + 2 * Self.capacity * MemoryLayout<Double>.stride)
      .bindMemory(to: Int.self, capacity: Self.capacity)
  }

  /// The part of the band that the output can hold while the factor moves.
  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// Divides the first `count` weights, which are whole numbers of parts yet,
  /// by the number of parts in a frame.
  func divideWeights(_ count: Int, by parts: Double) {
    var point = 0
    while point < count {
      weights[point] /= parts
      point &+= 1
    }
  }

  /// Bends those of the first `count` weights by smoothstep whose own factor
  /// lengthens.
  func smoothLengtheningWeights(_ count: Int) {
    var point = 0
    while point < count {
      if factors[point] > 1 { weights[point] = smoothstep(weights[point]) }
      point &+= 1
    }
  }

  /// Bends the first `count` weights by smoothstep.
  func smoothWeights(_ count: Int) {
    var point = 0
    while point < count {
      weights[point] = smoothstep(weights[point])
      point &+= 1
    }
  }

  /// Moves the first `count` points onto the nearer of their two frames.
  func snapToFrames(_ count: Int) {
    var point = 0
    while point < count {
      offsets[point] &+= weights[point] < 0.5 ? 0 : 1
      weights[point] = 0
      point &+= 1
    }
  }
}
