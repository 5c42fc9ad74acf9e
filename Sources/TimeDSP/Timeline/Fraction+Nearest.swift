// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Fraction {
  /// Clamped to the range of scaling factors.
  init(nearest factor: Double) {
    self = Fraction(factor: nearestFactor(factor)) ?? Fraction(numerator: 1, denominator: 1)
  }
}

/// Clamped to the range of scaling factors. NaN becomes the lower end.
func nearestFactor(_ factor: Double) -> Double {
  factor >= TIMEDSP_MIN_FACTOR ? min(factor, TIMEDSP_MAX_FACTOR) : TIMEDSP_MIN_FACTOR
}
