// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Positions in a stream of unknown length at a constant factor: output frame k is read at k /
/// factor. A position is stored as a frame (`index`), and a fraction that is an integer number of
/// parts of a frame (`remainder`).
///
/// With the numerator of the factor as the number of parts per frame, all positions are exact.
/// Numerator and denominator are multiplied by a power of two, so that the numerator is in 2^52 ...
/// 2^53. This changes no position, and keeps the position to within 2^-52 of a frame when the
/// factor changes. In lowest terms, the numerator could be 1, and only whole frames would be
/// possible.
struct StreamPositions: PositionSource {
  private(set) var index: Int64 = 0
  /// The distance from `index` to the next position, in parts, `0 ..< parts`.
  private var remainder: Int64 = 0
  /// Number of parts per frame.
  private var parts: Int64
  /// The distance between successive positions, in parts.
  private var step: UInt64
  /// The whole number of frames in `step`.
  private var wholeStep: Int64
  /// `step` minus its whole frames, in parts.
  private var partStep: Int64
  /// Number of bits by which numerator and denominator are shifted to give `parts` and `step`.
  private var spare: UInt64
  /// Number of parts per frame minus `partStep`.
  private var partGap: Int64
  /// Whether the factor is above 1.
  private var isLengthening: Bool

  init(factor: Fraction) {
    // the numerator of a factor has at most 53 bits
    spare = UInt64(truncatingIfNeeded: factor.numerator.leadingZeroBitCount &- 11)
    let parts = factor.numerator &<< spare
    step = factor.denominator &<< spare
    let whole = step.quotient(by: parts)
    self.parts = Int64(truncatingIfNeeded: parts)
    wholeStep = Int64(truncatingIfNeeded: whole)
    partStep = Int64(truncatingIfNeeded: step &- whole &* parts)
    partGap = self.parts &- partStep
    isLengthening = factor.numerator > factor.denominator
  }

  /// The same position with a different factor. The position is rounded down, because the new
  /// factor divides a frame into a different number of parts.
  func changing(to factor: Fraction) -> StreamPositions {
    var changed = StreamPositions(factor: factor)
    changed.index = index
    changed.remainder = Int64(
      truncatingIfNeeded: UInt64(truncatingIfNeeded: remainder).multiplied(
        by: UInt64(truncatingIfNeeded: changed.parts),
        dividedBy: UInt64(truncatingIfNeeded: parts)))
    return changed
  }

  /// Positions that begin at `position`, rounded down to a multiple of 1 / `parts` frames.
  init(factor: Fraction, at position: TickPosition) {
    self.init(factor: factor)
    move(to: position)
  }

  /// Continues at `position`, rounded down to a multiple of 1 / `parts` frames.
  mutating func move(to position: TickPosition) {
    index = position.frame
    remainder = Int64(
      truncatingIfNeeded: UInt64(truncatingIfNeeded: position.ticks).multiplied(
        by: UInt64(truncatingIfNeeded: parts),
        dividedBy: UInt64(truncatingIfNeeded: TickPosition.ticksPerFrame)))
  }

  /// The next position, rounded down to ticks.
  var position: TickPosition {
    let ticks = UInt64(truncatingIfNeeded: remainder).multiplied(
      by: UInt64(truncatingIfNeeded: TickPosition.ticksPerFrame),
      dividedBy: UInt64(truncatingIfNeeded: parts))
    return TickPosition(frame: index, ticks: Int64(truncatingIfNeeded: ticks))
  }

  /// The distance between successive positions, rounded down to ticks.
  var ticksPerStep: UInt64 {
    // the product is below 100 × 2^53 × 2^55, and the divisor is at least 2^52
    step.multiplied(
      by: UInt64(truncatingIfNeeded: TickPosition.ticksPerFrame),
      dividedBy: UInt64(truncatingIfNeeded: parts))
  }

  var reading: Reading {
    let unit = 1 &<< spare
    let beyond = UInt64(truncatingIfNeeded: remainder) & (unit &- 1)
    return Reading(
      scale: min(Double(parts) / Double(step), 1),
      numerator: UInt64(truncatingIfNeeded: parts) &>> spare,
      offset: Double(beyond) / Double(unit), isIdentity: isIdentity)
  }

  /// Whether further output is the input, frame by frame.
  var isIdentity: Bool { step == UInt64(truncatingIfNeeded: parts) && remainder == 0 }

  /// Advances by `frames` input frames.
  mutating func skip(_ frames: Int64) { index &+= frames }

  /// Returns to the first position.
  mutating func reset() {
    index = 0
    remainder = 0
  }

  var isOnFrame: Bool { remainder == 0 }
  var rawWeight: Double { Double(remainder) }
  /// The distance from `index` to the next position, in frames.
  var fraction: Double { Double(remainder) / Double(parts) }

  /// Converts the first `count` raw weights of `points` to weights.
  func finishWeights(_ points: ReadPoints, _ count: Int, smooth: Bool) {
    points.divideWeights(count, by: Double(parts))
    if smooth && isLengthening { points.smoothWeights(count) }
  }

  /// An output frame is due if its whole span, up to the next position, has arrived.
  @inline(__always)
  func isDue(arrived: Int64) -> Bool {
    var next = self
    next.advance()
    return next.framesPassed <= arrived
  }

  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64 {
    // the longest step in frames, and the number of frames by which the position can advance
    let longestStep = UInt64(truncatingIfNeeded: wholeStep &+ 1)
    let frames = min(end &- Int64(truncatingIfNeeded: window.after), arrived) &- 1 &- index
    if frames > wholeStep {
      return Int64(
        truncatingIfNeeded: UInt64(truncatingIfNeeded: frames).quotient(by: longestStep))
    }
    return isReady(window, end: end, arrived: arrived) ? 1 : 0
  }

  @inline(__always)
  mutating func advance() {
    // Both results are computed before it is known which one applies, to shorten the critical path
    // from one position to the next.
    let below = remainder &+ partStep
    let beyond = remainder &- partGap
    let carries = beyond >= 0
    index &+= carries ? wholeStep &+ 1 : wholeStep
    remainder = carries ? beyond : below
  }

  /// The length of `count` steps, at most 8: `whole` frames and `part` parts. `gap` is the number
  /// of parts per frame minus `part`.
  func steps(_ count: Int) -> (whole: Int64, part: Double, gap: Double) {
    let way = step &* UInt64(truncatingIfNeeded: count)
    let whole = way.quotient(by: UInt64(truncatingIfNeeded: parts))
    let part = Int64(truncatingIfNeeded: way) &- Int64(truncatingIfNeeded: whole) &* parts
    return (Int64(truncatingIfNeeded: whole), Double(part), Double(parts &- part))
  }

  /// Continues at the position `rawWeight` parts after frame `index`.
  mutating func move(to index: Int64, _ rawWeight: Double) {
    self.index = index
    remainder = timedsp_whole_part(rawWeight)
  }

  /// The number of output frames, from the next output frame on, that are due if `arrived` input
  /// frames have arrived.
  func framesDue(arrived: Int64) -> UInt64 {
    guard framesPassed <= arrived else { return 0 }
    // This is (arrived - position) / step. The remainder is subtracted from a whole number of
    // frames, below 2^53 × 2^53 parts.
    let frames = UInt64(truncatingIfNeeded: arrived &- index)
    let product = frames.multipliedFullWidth(by: UInt64(truncatingIfNeeded: parts))
    let (low, borrows) = product.low.subtractingReportingOverflow(
      UInt64(truncatingIfNeeded: remainder))
    return step.dividing(high: product.high &- (borrows ? 1 : 0), low: low)
  }
}
