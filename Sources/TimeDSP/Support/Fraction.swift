// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A ratio of two integers.
struct Fraction: Equatable {
  var numerator: UInt64
  var denominator: UInt64
}

extension Fraction {
  /// The speed if the fraction is a factor.
  var speed: Double { Double(denominator) / Double(numerator) }

  /// `floor (frames × self)`.
  ///
  /// The result is exact for up to 2^53 frames and the fraction of a scaling factor.
  func scaled(_ frames: UInt64) -> UInt64 {
    frames.multiplied(by: numerator, dividedBy: denominator)
  }
}
