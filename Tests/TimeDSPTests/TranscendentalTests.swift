// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import TimeDSPCore

/// Comparisons with libm. Both results are exact to 2^-52, so they differ by at most 2^-51. For
/// libm, the error includes the rounding of the product of π and the argument.
@Suite struct TranscendentalTests {
  private static let arguments = (0..<20_000).map { Double($0 - 10_000) * 0.0123456789 }

  @Test(arguments: [0, 1, -3, 1_000_000])
  func sineAndCosineAreThoseOfLibm(halfTurns: Int) {
    let sign = halfTurns % 2 == 0 ? 1.0 : -1.0
    for index in -4096...4096 {
      let way = Double(index) / 8192  // a binary fraction, so the sum below is exact
      let x = way + Double(halfTurns)
      #expect(abs(sinPi(x) - sign * sin(.pi * way)) < 0x1p-51, "\(x)")
      #expect(abs(cosPi(x) - sign * cos(.pi * way)) < 0x1p-51, "\(x)")
    }
  }

  @Test func wholeNumbersOfHalfAndQuarterTurnsAreExact() {
    for whole in -9...9 {
      let sign = whole % 2 == 0 ? 1.0 : -1.0
      #expect(sinPi(Double(whole)) == 0)
      #expect(cosPi(Double(whole)) == sign)
      #expect(sinPi(Double(whole) + 0.5) == sign)
      #expect(cosPi(Double(whole) + 0.5) == 0)
    }
  }

  @Test func symmetriesAreExact() {
    for x in Self.arguments {
      #expect(sinPi(-x) == -sinPi(x) && cosPi(-x) == cosPi(x))
    }
  }

  @Test func powersOfTwoAreThoseOfLibm() {
    for x in Self.arguments {
      #expect(abs(powerOfTwo(x) / exp2(x) - 1) <= 0x1p-51, "\(x)")
    }
    for whole in -1000...1000 {
      #expect(powerOfTwo(Double(whole)) == exp2(Double(whole)))
    }
  }
}
