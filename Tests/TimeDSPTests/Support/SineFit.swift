// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

/// A sine of known frequency, fitted to samples by least squares. `rest` is the residue: the
/// samples minus the sine.
struct SineFit {
  private let samples: [Double]
  private let frequency: Double
  /// The amplitudes of the cosine and the sine.
  private let (a, b): (Double, Double)

  /// Fits the sine; `frequency` is in radians per frame.
  init(_ samples: [Double], frequency: Double) {
    var (cc, ss, cs, yc, ys) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (k, y) in samples.enumerated() {
      let (c, s) = (cos(frequency * Double(k)), sin(frequency * Double(k)))
      (cc, ss, cs) = (cc + c * c, ss + s * s, cs + c * s)
      (yc, ys) = (yc + y * c, ys + y * s)
    }
    let determinant = cc * ss - cs * cs
    a = (yc * ss - ys * cs) / determinant
    b = (ys * cc - yc * cs) / determinant
    self.samples = samples
    self.frequency = frequency
  }

  var amplitude: Double { (a * a + b * b).squareRoot() }

  /// Ratio of the signal to noise and distortion, in dB.
  var sndr: Double {
    var (signal, rest) = (0.0, 0.0)
    for (k, y) in samples.enumerated() {
      let fitted = value(at: k)
      signal += fitted * fitted
      rest += (y - fitted) * (y - fitted)
    }
    return 10 * log10(signal / rest)
  }

  /// The residue: the samples minus the sine.
  var rest: [Double] { samples.enumerated().map { k, y in y - value(at: k) } }

  private func value(at k: Int) -> Double {
    a * cos(frequency * Double(k)) + b * sin(frequency * Double(k))
  }
}

/// A sine with the amplitude 0.5.
func sine(_ frequency: Double, frames: Int) -> [Double] {
  (0..<frames).map { 0.5 * sin(frequency * Double($0) + 0.3) }
}
