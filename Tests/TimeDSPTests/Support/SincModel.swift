// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

@testable import TimeDSPCore

/// A simple implementation of sinc interpolation, written from the definition. Each weight is
/// computed when it is needed. Only the table of quality levels is taken from the library.
struct SincModel {
  let input: [Double]
  let quality: SincQuality
  private let peak: Double

  init(_ input: [Double], quality: Int) {
    self.input = input
    self.quality = SincQuality(UInt32(quality))
    peak = bessel(self.quality.beta)
  }

  /// The value at `position` for an output that is `factor` times as long.
  func value(at position: Double, factor: Double) -> Double {
    let scale = min(factor, 1)
    let reach = Double(quality.half) / scale
    let first = Int((position - reach).rounded(.up))
    let last = Int((position + reach).rounded(.down))
    var (sum, gain) = (0.0, 0.0)
    for frame in first...last {
      let weight = kernel((Double(frame) - position) * scale)
      sum += weight * input[min(max(frame, 0), input.count - 1)]
      gain += weight
    }
    return sum / gain
  }

  private func kernel(_ x: Double) -> Double {
    let distance = x / Double(quality.half)
    guard abs(distance) < 1 else { return 0 }
    let angle = .pi * quality.cutoff * x
    let window = bessel(quality.beta * (1 - distance * distance).squareRoot()) / peak
    return window * quality.cutoff * (angle == 0 ? 1 : sin(angle) / angle)
  }

  /// The maximum difference between the library and this model, for samples up to 1. The difference
  /// is the error of two cubic interpolations in the library's table of the kernel, plus the
  /// weights of one or two frames at either end of the kernel. Rounding decides whether these
  /// frames are inside the kernel.
  var tolerance: Double {
    let end = 1 / (peak * .pi * Double(quality.half))
    return 4 * pow(Double(quality.phases), -4) + 4 * end
  }
}

/// The modified Bessel function I0, as the mean of exp (x cos t) over a half circle.
private func bessel(_ x: Double) -> Double {
  let steps = 32
  var sum = cosh(x)
  for step in 1..<steps { sum += exp(x * cos(.pi * Double(step) / Double(steps))) }
  return sum / Double(steps)
}
