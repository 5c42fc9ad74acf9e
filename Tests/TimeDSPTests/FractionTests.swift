// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct FractionTests {
  /// The fractions were computed with exact arithmetic in Python (`fractions`).
  @Test(
    arguments: [
      (0.7, 7, 10), (1 / 1.1, 10, 11), (2.0 / 3.0, 2, 3), (0.01, 1, 100), (100.0, 100, 1),
      (1.0, 1, 1), (48_000.0 / 44_100, 160, 147), (Double.pi, 245_850_922, 78_256_779),
      (2.0.squareRoot(), 131_836_323, 93_222_358),
      (0.1 + 0.2, 415_716_888_680_356, 1_385_722_962_267_853),
      (1.0.nextUp, 3_002_399_751_580_332, 3_002_399_751_580_331),
      (1.0.nextDown, 6_004_799_503_160_661, 6_004_799_503_160_662),
      (0.01.nextUp, 35_583_997_055_767, 3_558_399_705_576_699),
      (100.0.nextDown, 4_691_249_611_844_299, 46_912_496_118_443),
      (64.0.nextUp, 3_002_399_751_580_353, 46_912_496_118_443),
      (0.015625.nextDown, 93_824_992_236_886, 6_004_799_503_160_705),
    ] as [(Double, UInt64, UInt64)])
  func factorsBecomeTheirSimplestFraction(factor: Double, above: UInt64, below: UInt64) {
    #expect(Fraction(factor: factor) == Fraction(numerator: above, denominator: below))
  }

  @Test func everyRatioOfSmallNumbersIsFoundInLowestTerms() {
    for above in 1...120 {
      for below in 1...120 where (1...10_000).contains(100 * above / below) {
        let divisor = greatestCommonDivisor(above, below)
        let expected = Fraction(
          numerator: UInt64(above / divisor), denominator: UInt64(below / divisor))
        #expect(Fraction(factor: Double(above) / Double(below)) == expected)
      }
    }
  }

  @Test func everyFactorIsGivenBackByItsFraction() throws {
    var generator = SplitMix(seed: 1)
    for _ in 0..<20_000 {
      let random = Double.random(in: 0.0101...99, using: &generator)
      let ratio = Double(Int.random(in: 1...300, using: &generator)) / 150
      for factor in [random, ratio, ratio.nextUp, ratio.nextDown] where factor > 0.01 {
        let fraction = try #require(Fraction(factor: factor))
        #expect(Double(fraction.numerator) / Double(fraction.denominator) == factor)
        // only integers up to 2^53 are exact in a double
        #expect(max(fraction.numerator, fraction.denominator) <= 1 << 53)
      }
    }
  }

  @Test(arguments: [0, -1, 0.01.nextDown, 100.0.nextUp, .nan, .infinity, -.infinity, 1e-300])
  func otherNumbersAreNoFactors(number: Double) {
    #expect(Fraction(factor: number) == nil)
  }
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  b == 0 ? a : greatestCommonDivisor(b, a % b)
}
