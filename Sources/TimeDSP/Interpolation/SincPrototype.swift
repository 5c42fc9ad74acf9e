// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The kernel function, sampled every few hundredths of a frame. However far a kernel is stretched,
/// we interpolate it from these samples. So a changing factor needs no bank of kernels.
struct SincPrototype {
  /// The kernel function from step -1 to a few steps beyond its end.
  private let samples: UnsafeMutablePointer<Double>
  private let end: Double
  /// Steps per frame, for an unstretched kernel.
  let phases: Double

  static func count(_ quality: SincQuality) -> Int { quality.half &* quality.phases &+ 6 }

  init(_ quality: SincQuality, _ memory: UnsafeMutablePointer<Double>) {
    samples = memory
    end = Double(quality.half &* quality.phases)
    phases = Double(quality.phases)
    let kernel = SincKernel(quality)
    for step in upTo(Self.count(quality)) {
      samples[step] = kernel.value(at: Double(step &- 1) / phases)
    }
  }

  /// At two distances from the middle, in steps, the spacing of `samples`. From `end` on, it's 0.
  @inline(__always)
  private func values(at ways: SIMD2<Double>, before end: Double) -> SIMD2<Double> {
    let (a, b) = (abs(ways[0]), abs(ways[1]))
    if a < end && b < end { return values(a, b) }
    return SIMD2(a < end ? values(a, a)[0] : 0, b < end ? values(b, b)[1] : 0)
  }

  /// At two distances, by the formula of `CubicInterpolant`.
  @inline(__always)
  private func values(_ a: Double, _ b: Double) -> SIMD2<Double> {
    let (stepA, stepB) = (timedsp_whole_part(a), timedsp_whole_part(b))
    let nearA = samples + Int(truncatingIfNeeded: stepA)
    let nearB = samples + Int(truncatingIfNeeded: stepB)
    let weight = SIMD2(a - Double(stepA), b - Double(stepB))
    let y0 = SIMD2(nearA[1], nearB[1])
    let y1 = SIMD2(nearA[2], nearB[2])
    let slope = y1 - y0
    let bend = slope - (y0 - SIMD2(nearA[0], nearB[0]))
    let nextBend = (SIMD2(nearA[3], nearB[3]) - y1) - slope
    let bent = bend + (nextBend - bend) * ((weight + 1) * (1.0 / 3))
    return y0 + weight * (slope + bent * ((weight - 1) * 0.5))
  }

  /// For a position that's `phase` after a frame. The kernel covers 2 × `half` frames, is stretched
  /// by 1 / `scale`, and has the sum 1. With `isLong`, it continues one step beyond its end.
  func fill<Real: SincReal>(
    _ weights: SincWeights<Real>, half: Int, scale: Double, phase: Double, isLong: Bool = false
  ) {
    let pace = scale * phases
    let end = isLong ? end + 1.5 : end
    // from the position to the frame at or before it, and to the next frame
    let nearest = SIMD2(phase, 1 - phase)
    var sums = SIMD2<Double>.zero
    var tap = 0
    while tap < half {
      let ways = (nearest + Double(tap)) * pace
      let pair = values(at: ways, before: end)
      sums += pair
      weights.all[half &- 1 &- tap] = Real(pair[0] * scale)
      weights.all[half &+ tap] = Real(pair[1] * scale)
      tap &+= 1
    }
    let gain = 1 / (sums[0] + sums[1])
    fillCore(weights.cores, pace: pace, nearest: nearest, gain: gain, end: end)
    tap = 0
    while tap < 2 &* half {
      weights.all[tap] = Real(weights.all[tap].exact * (gain / scale))
      tap &+= 1
    }
  }

  /// The core has the weights next to the position in double precision.
  private func fillCore(
    _ core: UnsafeMutablePointer<Double>, pace: Double, nearest: SIMD2<Double>, gain: Double,
    end: Double
  ) {
    let half = SincQuality.core / 2
    for tap in upTo(half) {
      let ways = (nearest + Double(tap)) * pace
      let pair = values(at: ways, before: end) * gain
      core[half &- 1 &- tap] = pair[0]
      core[half &+ tap] = pair[1]
    }
  }
}
