// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A ratio of two integers. We store scaling factors like this to keep positions exact.
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
  /// It's exact up to 2^53 frames if this is a scaling factor.
  func scaled(_ frames: UInt64) -> UInt64 {
    frames.multiplied(by: numerator, dividedBy: denominator)
  }
}

extension Fraction {
  /// The fraction with the smallest denominator that converts to the same `Double` as `factor`,
  /// e.g. 7/10 for 0.7 and 10/11 for 1/1.1. It's `nil` unless `factor` is in
  /// `TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR`.
  ///
  /// We search half a unit in the last place on either side of `factor`, excluding the ends of this
  /// interval. It doesn't matter how the conversion rounds at the ends, because there's always a
  /// fraction between them with a smaller denominator. If `factor` is a power of two, the lower
  /// half is too wide. That doesn't matter either, because the power of two itself is the simplest
  /// fraction.
  ///
  /// For factors in range, the numerator and the denominator have at most 53 bits, so both are
  /// exact as `Double`, and their quotient is `factor`.
  init?(factor: Double) {
    guard factor >= TIMEDSP_MIN_FACTOR, factor <= TIMEDSP_MAX_FACTOR else { return nil }
    // factor = significand / 2^scale, with scale in 46 ... 59
    let significand = factor.significandBitPattern | 1 &<< 52
    let scale = 1023 &+ 52 &- (factor.bitPattern &>> 52)
    let denominator = 2 &<< scale
    self.init(
      simplestBetween: Fraction(numerator: 2 &* significand &- 1, denominator: denominator),
      and: Fraction(numerator: 2 &* significand &+ 1, denominator: denominator))
  }

  /// The fraction with the smallest denominator between `low` and `high`, exclusive, found with
  /// continued fractions. If the next integer above `low` is below `high`, that's it. Otherwise,
  /// it's the common integer part plus the reciprocal of the simplest fraction between the
  /// reciprocals of the remainders.
  private init(simplestBetween low: Fraction, and high: Fraction) {
    var (low, high) = (low, high)
    var last = Fraction(numerator: 1, denominator: 0)
    var beforeLast = Fraction(numerator: 0, denominator: 1)
    var whole = low.numerator.quotient(by: low.denominator)
    // a denominator of 0 means infinity, as the reciprocal of 0
    while high.numerator <= (whole &+ 1) &* high.denominator {
      (last, beforeLast) = (last.appending(whole, to: beforeLast), last)
      (low, high) = (high.reciprocal(less: whole), low.reciprocal(less: whole))
      whole = low.numerator.quotient(by: low.denominator)
    }
    self = last.appending(whole &+ 1, to: beforeLast)
  }

  private func reciprocal(less whole: UInt64) -> Fraction {
    Fraction(numerator: denominator, denominator: numerator &- whole &* denominator)
  }

  /// The next convergent of a continued fraction, for its next term. `previous` and `self` are the
  /// last two.
  private func appending(_ term: UInt64, to previous: Fraction) -> Fraction {
    Fraction(
      numerator: term &* numerator &+ previous.numerator,
      denominator: term &* denominator &+ previous.denominator)
  }
}

extension Fraction {
  /// Clamps to the range of scaling factors.
  init(nearest factor: Double) {
    self = Fraction(factor: nearestFactor(factor)) ?? Fraction(numerator: 1, denominator: 1)
  }
}

/// Clamps to the range of scaling factors. NaN becomes the lower end.
func nearestFactor(_ factor: Double) -> Double {
  factor >= TIMEDSP_MIN_FACTOR ? min(factor, TIMEDSP_MAX_FACTOR) : TIMEDSP_MIN_FACTOR
}
