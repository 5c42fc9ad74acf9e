// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The continuous kernel function: the impulse response of an ideal low-pass filter with cutoff c,
/// sin (π × c × t) / (π × t), under a Kaiser window.
struct SincKernel {
  private let half: Double
  private let cutoff: Double
  private let beta: Double
  private let peak: Double

  init(_ quality: SincQuality) {
    half = Double(quality.half)
    cutoff = quality.cutoff
    beta = quality.beta
    peak = besselI0(squared: beta * beta)
  }

  /// The weight of a sample `distance` input frames from the position. The kernel ends at `half`,
  /// where the window has dropped to a small value. It isn't 0 beyond, but continues smoothly,
  /// because we need values there to interpolate the kernel near its end.
  func value(at distance: Double) -> Double {
    let offset = distance / half
    let window = besselI0(squared: beta * beta * (1 - offset * offset)) / peak
    guard distance != 0 else { return cutoff }
    return window * sinPi(cutoff * distance) / (.pi * distance)
  }
}

/// I0 (√`x`), the modified Bessel function of the first kind and order 0, by its series: the sum of
/// the squares of (√x / 2)^k / k! (Abramowitz, Stegun, 9.6.12). Below 0, it continues smoothly as
/// J0.
func besselI0(squared x: Double) -> Double {
  let quarter = x / 4
  var sum = 1.0
  var term = 1.0
  var k = 1.0
  while abs(term) > abs(sum) * 0x1p-60 {
    term *= quarter / (k * k)
    sum += term
    k += 1
  }
  return sum
}
