// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The distance between successive read positions at a constant factor, as an exact fraction of a
/// frame.
///
/// With the numerator of the factor as the number of parts per frame, all positions are exact.
/// Numerator and denominator are multiplied by a power of two, so that the numerator is in 2^52 ..<
/// 2^53. This changes no position, and keeps the position to within 2^-52 of a frame when the factor
/// changes. In lowest terms, the numerator could be 1, and only whole frames would be possible.
struct SteadySteps: BitwiseCopyable {
  /// Number of parts per frame.
  let parts: UInt64
  /// The distance between successive positions, in parts.
  private let step: UInt64
  /// Number of bits by which numerator and denominator are shifted to give `parts` and `step`.
  private let spare: UInt64
  /// The length of one step.
  let one: Stride

  /// The length of some steps: `whole` frames and `part` parts. `gap` is the number of parts per
  /// frame minus `part`. All are integers.
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
    // the numerator of a factor has at most 53 bits
    spare = UInt64(truncatingIfNeeded: factor.numerator.leadingZeroBitCount &- 11)
    parts = factor.numerator &<< spare
    step = factor.denominator &<< spare
    one = Stride(step, parts)
  }

  /// The length of `count` steps, at most 8.
  func stride(_ count: Int) -> Stride {
    Stride(step &* UInt64(truncatingIfNeeded: count), parts)
  }

  /// Advances from the position `weight` parts after frame `index` to the next position.
  @inline(__always)
  func advance(_ index: inout Int64, _ weight: inout Double) {
    // Both results are computed before it is known which one applies, to shorten the critical path
    // from one position to the next.
    let below = weight + one.part
    let beyond = weight - one.gap
    let carries = beyond >= 0
    index &+= carries ? one.whole &+ 1 : one.whole
    weight = carries ? beyond : below
  }

  var isUnity: Bool { step == parts }
  var isLengthening: Bool { step < parts }

  /// `Reading.scale` at this factor.
  var scale: Double { min(Double(parts) / Double(step), 1) }

  /// The distance between successive positions in ticks (`RampSteps`), rounded down.
  var ticks: UInt64 {
    // the product is below 100 × 2^53 × 2^55, and the divisor is at least 2^52
    step.multiplied(by: RampSteps.ticksPerFrame, dividedBy: parts)
  }

  /// The properties of positions that are `part` parts after a frame.
  func reading(at part: UInt64) -> Reading {
    let unit: UInt64 = 1 &<< spare
    return Reading(
      scale: scale, numerator: parts &>> spare,
      offset: Double(part & (unit &- 1)) / Double(unit), isIdentity: isUnity && part == 0)
  }

  /// The number of positions from `part` parts after a frame on, each of which ends its step among
  /// the next `frames` frames.
  func count(from part: UInt64, within frames: UInt64) -> UInt64 {
    // `part` is subtracted from a whole number of frames, below 2^53 × 2^53 parts
    let product = frames.multipliedFullWidth(by: parts)
    let (low, borrows) = product.low.subtractingReportingOverflow(part)
    return step.dividing(high: product.high &- (borrows ? 1 : 0), low: low)
  }
}
