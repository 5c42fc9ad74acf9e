// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// From one read position to the next at a constant factor, as an exact fraction of a frame.
///
/// If a frame has as many parts as the factor's numerator says, all positions are exact. We
/// multiply numerator and denominator by a power of two, so that the numerator is in 2^52 ..< 2^53.
/// That changes no position, and when the factor changes, the position stays to within 2^-52 of a
/// frame. In lowest terms, the numerator could be 1, and we'd only have whole frames.
struct SteadySteps: BitwiseCopyable {
  let parts: UInt64
  /// Between successive positions, in parts.
  private let step: UInt64
  /// Numerator and denominator are shifted by this many bits to give `parts` and `step`.
  private let spare: UInt64
  let one: Stride

  /// Some steps are `whole` frames and `part` parts long. `gap` is what `part` lacks to a frame, in
  /// parts. All are integers.
  struct Stride: BitwiseCopyable {
    let whole: Int64
    let part, gap: Double

    fileprivate init(_ distance: UInt64, _ parts: UInt64) {
      let whole = distance.quotient(by: parts)
      let part = distance &- whole &* parts
      self.whole = Int64(truncatingIfNeeded: whole)
      (self.part, gap) = (Double(part), Double(parts &- part))
    }
  }

  init(_ factor: Fraction) {
    // a factor's numerator has at most 53 bits
    spare = UInt64(truncatingIfNeeded: factor.numerator.leadingZeroBitCount &- 11)
    parts = factor.numerator &<< spare
    step = factor.denominator &<< spare
    one = Stride(step, parts)
  }

  /// At most 8 steps.
  func stride(_ count: Int) -> Stride {
    Stride(step &* UInt64(truncatingIfNeeded: count), parts)
  }

  /// The position is `weight` parts after frame `index`.
  @inline(__always)
  func advance(_ index: inout Int64, _ weight: inout Double) {
    // We compute both results before we know which one applies. That shortens the critical path
    // from one position to the next.
    let below = weight + one.part
    let beyond = weight - one.gap
    let carries = beyond >= 0
    index &+= carries ? one.whole &+ 1 : one.whole
    weight = carries ? beyond : below
  }

  var isUnity: Bool { step == parts }
  var isLengthening: Bool { step < parts }

  var scale: Double { min(Double(parts) / Double(step), 1) }

  /// Between successive positions, in ticks (`RampSteps`), rounded down.
  var ticks: UInt64 {
    // the product is below 100 × 2^53 × 2^55, and the divisor is at least 2^52
    step.multiplied(by: RampSteps.ticksPerFrame, dividedBy: parts)
  }

  func reading(at part: UInt64) -> Reading {
    let unit: UInt64 = 1 &<< spare
    return Reading(
      scale: scale, numerator: parts &>> spare,
      offset: Double(part & (unit &- 1)) / Double(unit), isIdentity: isUnity && part == 0)
  }

  /// How many positions, from `part` parts after a frame on, end their step within the next
  /// `frames` frames.
  func count(from part: UInt64, within frames: UInt64) -> UInt64 {
    // `part` is subtracted from whole frames, below 2^53 × 2^53 parts
    let product = frames.multipliedFullWidth(by: parts)
    let (low, borrows) = product.low.subtractingReportingOverflow(part)
    return step.dividing(high: product.high &- (borrows ? 1 : 0), low: low)
  }
}
