// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let latest = latestTime

/// `floor (time × numerator / denominator + 1/2)` in 128-bit integers, at most `latest`.
private func rounded(_ time: UInt64, _ numerator: UInt64, _ denominator: UInt64) -> UInt64 {
  let half = UInt128(denominator / 2)
  return UInt64(
    min(
      (UInt128(time) * UInt128(numerator) + half) / UInt128(denominator),
      UInt128(latest)))
}

@Suite struct ScaledTimeTests {
  /// Halves are rounded up. A factor is treated as the decimal fraction that it prints as: 5 × 0.7
  /// is 3.5, although the double 0.7 is a little less.
  @Test func productsAreExact() {
    #expect(timedsp_scale_time(5, 0.7) == 4 && timedsp_scale_time(1, 0.5) == 1)
    #expect(timedsp_scale_time(1, 0.49) == 0 && timedsp_scale_time(3, 1.0 / 3) == 1)
    #expect(timedsp_scale_time(1 << 62, 0.7) == 3_228_180_212_899_171_533)
    #expect(timedsp_scale_time((1 << 62) + 1, 1.1) == rounded((1 << 62) + 1, 11, 10))
    var generator = SplitMix(seed: 3)
    for _ in 0..<2000 {
      let time = UInt64.random(in: 0...latest, using: &generator)
      let hundredths = UInt64.random(in: 1...10_000, using: &generator)
      #expect(
        timedsp_scale_time(time, Double(hundredths) / 100) == rounded(time, hundredths, 100))
    }
  }

  @Test func theBordersOf63Bits() {
    #expect(timedsp_scale_time(latest, 1) == latest && timedsp_scale_time(.max - 1, 1) == .max - 1)
    #expect(timedsp_scale_time(latest, 2) == latest && timedsp_scale_time(latest, 0.5) == 1 << 62)
    #expect(timedsp_scale_time(1 << 63, 0.5) == 1 << 62)
    #expect(timedsp_scale_time(.max - 1, 0.5) == latest)
    #expect(timedsp_scale_time(92_233_720_368_547_758, 100) == latest - 7)
    #expect(timedsp_scale_time(92_233_720_368_547_759, 100) == latest)
    #expect(timedsp_scale_time(noTime, 2) == noTime)
  }
}
