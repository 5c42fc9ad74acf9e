// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Positions in a stream of unknown length: output frame k is read at
/// k / factor, kept as a whole number and a fraction of whole numbers.
///
/// The fraction's denominator is the numerator of the factor, both scaled by a
/// power of two so that it lies in 2^52 ... 2^53. That changes no position and
/// no weight, but it lets a position survive a change of factor to within
/// 2^-52 of a frame, where the fraction in lowest terms might be that of a
/// factor such as 1, which knows only whole frames.
struct StreamPositions: PositionSource {
  private(set) var index: Int64 = 0
  /// The way from `index` to the position, in parts; below `parts`.
  private var remainder: Int64 = 0
  /// Parts of a frame.
  private var parts: Int64
  /// From one position to the next, in parts.
  private var step: UInt64
  /// The same in whole frames, and the rest in parts.
  private var wholeStep: Int64
  private var partStep: Int64
  /// Zeros at the end of `parts` and `step` in base 2, by which they are scaled.
  private var spare: UInt64
  /// A frame less `partStep`.
  private var partGap: Int64
  /// Whether the output is longer than the input.
  private var isLengthening: Bool

  init(factor: Fraction) {
    // The numerator of a factor has 53 bits at most.
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

  /// The same position under another factor, rounded down to its parts.
  func changing(to factor: Fraction) -> StreamPositions {
    var changed = StreamPositions(factor: factor)
    changed.index = index
    changed.remainder = Int64(
      truncatingIfNeeded: UInt64(truncatingIfNeeded: remainder).multiplied(
        by: UInt64(truncatingIfNeeded: changed.parts),
        dividedBy: UInt64(truncatingIfNeeded: parts)))
    return changed
  }

  /// The position `place` under a factor, rounded down to its parts.
  init(factor: Fraction, at place: Place) {
    self.init(factor: factor)
    move(to: place)
  }

  /// Continues at `place`, rounded down to parts.
  mutating func move(to place: Place) {
    index = place.frame
    remainder = Int64(
      truncatingIfNeeded: UInt64(truncatingIfNeeded: place.ticks).multiplied(
        by: UInt64(truncatingIfNeeded: parts),
        dividedBy: UInt64(truncatingIfNeeded: Place.ticksPerFrame)))
  }

  /// The next position, rounded down to ticks.
  var place: Place {
    let ticks = UInt64(truncatingIfNeeded: remainder).multiplied(
      by: UInt64(truncatingIfNeeded: Place.ticksPerFrame),
      dividedBy: UInt64(truncatingIfNeeded: parts))
    return Place(frame: index, ticks: Int64(truncatingIfNeeded: ticks))
  }

  /// From one position to the next, rounded down to ticks.
  var ticksPerStep: UInt64 {
    // Below 100 × 2^53 × 2^55, in units of 2^52 at least.
    step.multiplied(
      by: UInt64(truncatingIfNeeded: Place.ticksPerFrame),
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

  /// Whether the output is the input, frame by frame.
  var isIdentity: Bool { step == UInt64(truncatingIfNeeded: parts) && remainder == 0 }

  /// Continues `frames` frames of input further, at the same fraction.
  mutating func skip(_ frames: Int64) { index &+= frames }

  /// The first position again.
  mutating func reset() {
    index = 0
    remainder = 0
  }

  var isOnFrame: Bool { remainder == 0 }
  var rawWeight: Double { Double(remainder) }
  /// The same in frames.
  var fraction: Double { Double(remainder) / Double(parts) }

  /// Turns raw weights into weights.
  func finishWeights(_ points: ReadPoints, _ count: Int, smooth: Bool) {
    points.divideWeights(count, by: Double(parts))
    if smooth && isLengthening { points.smoothWeights(count) }
  }

  /// A frame is due when its whole span is there, up to the next position.
  @inline(__always)
  func isDue(arrived: Int64) -> Bool {
    var next = self
    next.advance()
    return next.framesPassed <= arrived
  }

  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64 {
    // No step is longer than this, and no frame needs more than these.
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
    // Both outcomes are computed from the remainder before it is known which
    // one holds: it is on the path from each position to the next.
    let below = remainder &+ partStep
    let beyond = remainder &- partGap
    let carries = beyond >= 0
    index &+= carries ? wholeStep &+ 1 : wholeStep
    remainder = carries ? beyond : below
  }

  /// The way of `count` steps, 8 at most: whole frames, parts beyond them, and the gap from these
  /// to a frame.
  func steps(_ count: Int) -> (whole: Int64, part: Double, gap: Double) {
    let way = step &* UInt64(truncatingIfNeeded: count)
    let whole = way.quotient(by: UInt64(truncatingIfNeeded: parts))
    let part = Int64(truncatingIfNeeded: way) &- Int64(truncatingIfNeeded: whole) &* parts
    return (Int64(truncatingIfNeeded: whole), Double(part), Double(parts &- part))
  }

  /// Continues at `rawWeight` parts beyond the frame `index`.
  mutating func move(to index: Int64, _ rawWeight: Double) {
    self.index = index
    remainder = timedsp_whole_part(rawWeight)
  }

  /// Frames that are due, in all, when `arrived` frames of input are there.
  func framesDue(arrived: Int64) -> UInt64 {
    guard framesPassed <= arrived else { return 0 }
    // (arrived - position) / step, with the position's fraction subtracted from a whole number of
    // frames: below 2^53 × 2^53 parts.
    let frames = UInt64(truncatingIfNeeded: arrived &- index)
    let product = frames.multipliedFullWidth(by: UInt64(truncatingIfNeeded: parts))
    let (low, borrows) = product.low.subtractingReportingOverflow(
      UInt64(truncatingIfNeeded: remainder))
    return step.dividing(high: product.high &- (borrows ? 1 : 0), low: low)
  }
}
