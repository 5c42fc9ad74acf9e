// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Fraction {
  /// The simplest fraction that reads as the same `Double` as `factor`: 7/10
  /// for 0.7 and 10/11 for 1/1.1. `nil` unless `factor` is a scaling factor,
  /// `TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR`.
  ///
  /// The search covers less than half a unit in the last place from `factor`. Its ends are left
  /// out, so it does not matter which way ties round: they have a longer denominator than some
  /// fraction between them. The lower end may be nearer to a power of two, which does not matter
  /// either, because that is the simplest fraction itself.
  ///
  /// In the range of factors it needs 53 bits at most on either side of its line, so both numbers
  /// are exact as doubles and their quotient is `factor`.
  init?(factor: Double) {
    guard factor >= TIMEDSP_MIN_FACTOR, factor <= TIMEDSP_MAX_FACTOR else { return nil }
    // factor = significand / 2^scale, with a scale of 46 ... 59.
    let significand = factor.significandBitPattern | 1 &<< 52
    let scale = 1023 &+ 52 &- (factor.bitPattern &>> 52)
    let denominator = 2 &<< scale
    self.init(
      simplestBetween: Fraction(numerator: 2 &* significand &- 1, denominator: denominator),
      and: Fraction(numerator: 2 &* significand &+ 1, denominator: denominator))
  }

  /// The fraction of least denominator above `low` and below `high`, by continued fractions: the
  /// next whole number above `low` if it is below `high`, or else the whole part that both have,
  /// plus the reciprocal of the simplest fraction between the reciprocals of their remainders.
  private init(simplestBetween low: Fraction, and high: Fraction) {
    var (low, high) = (low, high)
    var last = Fraction(numerator: 1, denominator: 0)
    var beforeLast = Fraction(numerator: 0, denominator: 1)
    var whole = low.numerator.quotient(by: low.denominator)
    // A denominator of 0 stands for infinity: the reciprocal of nothing left.
    while high.numerator <= (whole &+ 1) &* high.denominator {
      (last, beforeLast) = (last.appending(whole, to: beforeLast), last)
      (low, high) = (high.reciprocal(less: whole), low.reciprocal(less: whole))
      whole = low.numerator.quotient(by: low.denominator)
    }
    self = last.appending(whole &+ 1, to: beforeLast)
  }

  /// 1 / (self - whole).
  private func reciprocal(less whole: UInt64) -> Fraction {
    Fraction(numerator: denominator, denominator: numerator &- whole &* denominator)
  }

  /// The continued fraction with one term more; `self` and `previous` are its
  /// last two convergents.
  private func appending(_ term: UInt64, to previous: Fraction) -> Fraction {
    Fraction(
      numerator: term &* numerator &+ previous.numerator,
      denominator: term &* denominator &+ previous.denominator)
  }
}
