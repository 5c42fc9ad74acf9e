// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A ratio of two integers. We keep scaling factors like this, so that positions are exact.
struct Fraction: Equatable {
  var numerator: UInt64
  var denominator: UInt64
}

extension Fraction {
  var value: Double { Double(numerator) / Double(denominator) }

  /// 1 / factor, if this is a scaling factor.
  var speed: Double { Double(denominator) / Double(numerator) }

  /// `floor (frames × self)`.
  ///
  /// For a scaling factor, it's exact up to 2^53 frames.
  func scaled(_ frames: UInt64) -> UInt64 {
    frames.multiplied(by: numerator, dividedBy: denominator)
  }
}
