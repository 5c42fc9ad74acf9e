// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The function that a stream is weighed with around a position: the impulse
/// response of an ideal low pass, sin (pi c t) / (pi t), under a Kaiser window.
struct SincKernel {
  private let half: Double
  private let cutoff: Double
  private let beta: Double
  private let peak: Double

  init(_ quality: SincQuality) {
    half = Double(quality.half)
    cutoff = quality.cutoff
    beta = quality.beta
    peak = besselI0(beta)
  }

  /// The weight of what is `distance` input frames away.
  func value(at distance: Double) -> Double {
    let way = distance / half
    let rest = 1 - way * way
    guard rest > 0 else { return 0 }
    let window = besselI0(beta * rest.squareRoot()) / peak
    guard distance != 0 else { return cutoff }
    return window * timedsp_sine(.pi * cutoff * distance) / (.pi * distance)
  }
}

/// The modified Bessel function of the first kind and order 0, by its series:
/// the squares of (x/2)^k / k! (Abramowitz, Stegun, 9.6.12).
func besselI0(_ x: Double) -> Double {
  let quarter = x * x / 4
  var sum = 1.0
  var term = 1.0
  var k = 1.0
  while term > sum * 0x1p-60 {
    term *= quarter / (k * k)
    sum += term
    k += 1
  }
  return sum
}
