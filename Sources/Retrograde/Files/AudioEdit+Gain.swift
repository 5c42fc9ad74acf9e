// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension AudioEdit {
  /// Whether it makes the sound louder, or quieter.
  var changesLevel: Bool { gain != 0 || normalizes }

  /// By what samples are multiplied: 10^(gain / 20), and that over `peak` where the loudest of
  /// them, of this magnitude, is to come to full scale first. It never goes beyond by rounding.
  func amplification(peak: Double) -> Float {
    let wanted = pow(10, gain / 20)
    guard normalizes, peak > 0, peak.isFinite else { return Float(wanted) }
    let factor = Float(wanted / peak)
    guard factor.isFinite else { return Float(wanted) }
    return Double(factor) * peak > wanted ? factor.nextDown : factor
  }
}
