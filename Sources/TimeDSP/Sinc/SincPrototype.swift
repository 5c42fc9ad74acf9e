// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The kernel at every few hundredths of a frame, from which all weights are
/// interpolated: it can be read at any stretch, so nothing has to be built
/// where the factor moves.
struct SincPrototype {
  /// From step -1 to a few beyond the end of the kernel.
  private let samples: UnsafeMutablePointer<Double>
  /// The end of the kernel, in steps.
  private let end: Double
  /// Steps in a frame of a kernel that is not stretched.
  let phases: Double

  /// Numbers that `init` fills.
  static func count(_ quality: SincQuality) -> Int { quality.half &* quality.phases &+ 6 }

  init(_ quality: SincQuality, _ memory: UnsafeMutablePointer<Double>) {
    samples = memory
    end = Double(quality.half &* quality.phases)
    phases = Double(quality.phases)
    let kernel = SincKernel(quality)
    var step = 0
    while step < Self.count(quality) {
      samples[step] = kernel.value(at: Double(step &- 1) / phases)
      step &+= 1
    }
  }

  /// The value at `way` steps, not below 0, if that is before `end`.
  @inline(__always)
  private func value(at way: Double, before end: Double) -> Double {
    guard way < end else { return 0 }
    let step = Int(truncatingIfNeeded: timedsp_whole_part(way))
    let near = samples + step
    return CubicInterpolant.value(near + 1, 1, at: way - Double(step))
  }

  /// Fills `weights` for the 2 × `half` frames around a position that is
  /// `phase` beyond one of them, for a kernel stretched by 1 / scale; their sum
  /// is 1. A long kernel ends one step late.
  func fill<Real: SincReal>(
    _ weights: SincWeights<Real>, half: Int, scale: Double, phase: Double, isLong: Bool = false
  ) {
    let pace = scale * phases
    let end = isLong ? end + 1.5 : end
    var sum = 0.0
    var tap = 0
    // The frame that the position falls in is the last of the first half.
    while tap < half {
      let before = value(at: abs((Double(half &- 1 &- tap) + phase) * pace), before: end)
      let after = value(at: abs((Double(half &- tap) - phase) * pace), before: end)
      sum += before + after
      weights.all[tap] = Real(before * scale)
      weights.all[2 &* half &- 1 &- tap] = Real(after * scale)
      tap &+= 1
    }
    let gain = 1 / sum
    fillCore(weights.cores, pace: pace, phase: phase, gain: gain)
    tap = 0
    while tap < 2 &* half {
      weights.all[tap] = Real(weights.all[tap].exact * (gain / scale))
      tap &+= 1
    }
  }

  /// The same for the weights next to the position.
  private func fillCore(
    _ core: UnsafeMutablePointer<Double>, pace: Double, phase: Double, gain: Double
  ) {
    var tap = 0
    while tap < SincQuality.core {
      let distance = Double(tap &+ 1 &- SincQuality.core / 2) - phase
      core[tap] = value(at: abs(distance * pace), before: end) * gain
      tap &+= 1
    }
  }
}
