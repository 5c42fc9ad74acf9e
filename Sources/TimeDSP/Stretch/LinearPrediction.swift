// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Predicts each sample of a sound from the eight samples before it, by Burg's method (J. P. Burg,
/// "Maximum Entropy Spectral Analysis", 1975). Ringing is predictable, but a transient isn't.
struct LinearPrediction {
  /// We compute the weights from this many samples.
  let count: Int
  private let forward: UnsafeMutablePointer<Float>
  private let backward: UnsafeMutablePointer<Float>

  static let order = 8

  init(_ count: Int, _ memory: inout ScratchMemory) {
    self.count = count
    forward = memory.allocate(Float.self, count &+ 16)
    backward = memory.allocate(Float.self, count &+ 16)
  }

  /// The prediction error is a weighted sum of a sample and the eight before it. These are its
  /// weights: first that of the sample itself, which is 1. They minimize the error in the `count`
  /// samples from `samples` on.
  func weights(_ samples: UnsafeMutablePointer<Float>) -> SIMD16<Float> {
    var index = 0
    while index < count &+ 16 {
      let isPart = index < count
      forward[index] = isPart ? samples[index] : 0
      backward[index] = isPart ? samples[index] : 0
      index &+= 1
    }
    var weights = SIMD16<Float>.zero
    weights[0] = 1
    var order = 1
    while order <= Self.order {
      let reflection = reflect(count &- order)
      let before = weights
      var number = 1
      while number <= order {
        // the & keeps the compiler from inserting bounds checks
        weights[number & 15] += reflection * before[(order &- number) & 15]
        number &+= 1
      }
      order &+= 1
    }
    return weights
  }

  /// One step of Burg's recursion predicts each forward error from the previous backward error and
  /// vice versa, and subtracts the predictions. `left` errors remain. Returns the reflection
  /// coefficient.
  private func reflect(_ left: Int) -> Float {
    // it has no forward error, but a group of eight may include it
    backward[left] = 0
    var (both, all) = (Lanes.zero, Lanes.zero)
    var index = 0
    while index < left {
      let (a, b) = (forward.lanes(index &+ 1), backward.lanes(index))
      both += a * b
      all += a * a + b * b
      index &+= 8
    }
    let reflection = -2 * both.total / (all.total + 1e-12)
    let factor = Lanes(repeating: reflection)
    index = 0
    while index < left {
      let (a, b) = (forward.lanes(index &+ 1), backward.lanes(index))
      forward.put(a + b * factor, index)
      backward.put(b + a * factor, index)
      index &+= 8
    }
    return reflection
  }
}
