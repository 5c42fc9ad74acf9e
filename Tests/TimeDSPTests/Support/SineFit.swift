// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

/// A sine of known frequency fitted to samples by least squares, and what is
/// left beside it.
struct SineFit {
  let amplitude: Double
  /// Signal to noise and distortion, in dB.
  let sndr: Double

  /// `frequency` in radians per frame.
  init(_ samples: [Double], frequency: Double) {
    var (cc, ss, cs, yc, ys) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (k, y) in samples.enumerated() {
      let (c, s) = (cos(frequency * Double(k)), sin(frequency * Double(k)))
      (cc, ss, cs) = (cc + c * c, ss + s * s, cs + c * s)
      (yc, ys) = (yc + y * c, ys + y * s)
    }
    let determinant = cc * ss - cs * cs
    let a = (yc * ss - ys * cs) / determinant
    let b = (ys * cc - yc * cs) / determinant
    var (signal, rest) = (0.0, 0.0)
    for (k, y) in samples.enumerated() {
      let fitted = a * cos(frequency * Double(k)) + b * sin(frequency * Double(k))
      signal += fitted * fitted
      rest += (y - fitted) * (y - fitted)
    }
    amplitude = (a * a + b * b).squareRoot()
    sndr = 10 * log10(signal / rest)
  }
}

/// A sine at half scale.
func sine(_ frequency: Double, frames: Int) -> [Double] {
  (0..<frames).map { 0.5 * sin(frequency * Double($0) + 0.3) }
}
