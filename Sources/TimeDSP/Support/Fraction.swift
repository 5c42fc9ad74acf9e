// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A ratio of two integers. A scaling factor is such a fraction, so that positions are exact.
struct Fraction: Equatable {
  var numerator: UInt64
  var denominator: UInt64
}

extension Fraction {
  var value: Double { Double(numerator) / Double(denominator) }

  /// The speed, 1 / factor, if this is a scaling factor.
  var speed: Double { Double(denominator) / Double(numerator) }

  /// `floor (frames × self)`.
  ///
  /// It is exact for up to 2^53 frames if this is a scaling factor.
  func scaled(_ frames: UInt64) -> UInt64 {
    frames.multiplied(by: numerator, dividedBy: denominator)
  }
}
