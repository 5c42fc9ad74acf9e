// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A speed that doesn't change.
///
/// Like a factor of `timescale`, a speed stands for the simplest fraction that converts to the same
/// `Double`, if its denominator is small: 1.3 is 13/10. Then positions don't drift from this
/// fraction. Their phases repeat after as many frames as the denominator says, so each phase can
/// have a kernel (`SincBank`).
struct SettledSpeed: BitwiseCopyable {
  let speed: Wide
  /// The denominator of the fraction, or 0 if it isn't small, or at rest.
  let phases: UInt64
  /// |speed| × `phases`, or 0 if `speed` itself is exact.
  private let numerator: UInt64
  /// 2^64 / `phases`.
  private let partsPerPhase: Wide

  private static let maxPhases: UInt64 = 4096

  init(_ speed: Wide) {
    self.speed = speed
    let places = speed.low == 0 ? 0 : 64 &- speed.low.trailingZeroBitCount
    if places <= 12 {
      phases = speed == .zero ? 0 : 1 &<< UInt64(truncatingIfNeeded: places)
      (numerator, partsPerPhase) = (0, .zero)
    } else if let fraction = Fraction(factor: speed.value.magnitude),
      fraction.denominator <= Self.maxPhases
    {
      (phases, numerator) = (fraction.denominator, fraction.numerator)
      partsPerPhase = Wide(partsOf: fraction.denominator)
    } else {
      (phases, numerator, partsPerPhase) = (0, 0, .zero)
    }
  }

  /// In `frames` output frames. We round fractions of a frame up, by less than 2^-62. If we rounded
  /// down, a position on a whole frame could move to the last phase before it.
  @inline(__always)
  func distance(_ frames: UInt64) -> Wide {
    if numerator == 0 { return speed.times(frames) }
    let whole = frames.multiplied(by: numerator, dividedBy: phases)
    let rest = (frames &* numerator) &- (whole &* phases)
    let part = UInt64(truncatingIfNeeded: partsPerPhase.times(rest).high)
    let distance = Wide(high: Int64(truncatingIfNeeded: whole), low: part)
    if speed.high < 0 { return distance.negated }
    return rest == 0 ? distance : distance.adding(Wide(high: 0, low: 2))
  }
}

extension Wide {
  /// 2^64 / `count`, from a `count` of 2 on.
  init(partsOf count: UInt64) {
    let whole = count.dividing(high: 1, low: 0)
    let low = count.dividing(high: 0 &- whole &* count, low: 0)
    self.init(high: Int64(truncatingIfNeeded: whole), low: low)
  }
}
