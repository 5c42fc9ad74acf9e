// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Positions of a ramp, while the factor changes. The speed, 1 / factor, changes linearly over the
/// output.
///
/// A change from speed v0 to v1 within X input frames takes T = 2 × X / (v0 + v1) output frames,
/// which need not be an integer. Counted from the first position, output frame k is read at p(k) =
/// v0 × k + (v1 - v0) × k² / (2 × T) for k <= T, and at X + (k - T) × v1 for k > T. At input
/// position x, the factor is 1 / sqrt (v0² + (v1² - v0²) × x / X).
///
/// All arithmetic is in integers, in units of 2^-64 ticks (`TickPosition`). The step from one
/// position to the next grows by (v1² - v0²) / (2 × X), rounded to this unit. After K frames, the
/// error is K² / 2 units, less than a tick for 2^32 frames.
struct RampPositions: PositionSource {
  /// The positions after the ramp, with a constant factor.
  private(set) var landing: StreamPositions
  /// The final speed, in ticks per output frame.
  private let finalSpeed: UInt64
  /// The next position, rounded down to ticks.
  private(set) var position: TickPosition
  private var positionRest: UInt64 = 0
  /// The distance from the next position to the position after it, in ticks.
  private var step: Wide
  /// The increase of `step` from one position to the next, in ticks.
  private let growth: Wide
  /// Number of steps left up to T.
  private var stepsLeft: UInt64
  /// Whether the ramp has ended, so that the next position is the first position of `landing`.
  private(set) var isOver = false

  /// Creates a ramp from `speed` at `start` to `factor`. `speed` is in ticks per output frame. The
  /// ramp covers `frames` input frames, 1 … 2^53.
  init(from start: TickPosition, speed: UInt64, to factor: Fraction, within frames: UInt64) {
    finalSpeed = StreamPositions(factor: factor).ticksPerStep
    let sum = speed &+ finalSpeed
    // T = X × 2^56 / sum, with a remainder
    stepsLeft = frames.multiplied(by: 1 &<< 56, dividedBy: sum)
    let rest = (frames &<< 56) &- stepsLeft &* sum
    let way = (sum &- rest).multiplied(by: finalSpeed, dividedBy: sum)
    let end = start.advanced(
      frames: Int64(truncatingIfNeeded: frames), ticks: Int64(truncatingIfNeeded: way))
    landing = StreamPositions(factor: factor, at: end)
    let slows = finalSpeed < speed
    let difference = slows ? speed &- finalSpeed : finalSpeed &- speed
    let rise = stepsLeft > 0 ? Self.growth(difference, sum, frames) : Wide(high: 0, low: 0)
    growth = slows ? rise.negated : rise
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// Creates a ramp from `speed` at `start` to factor 1. `speed` is in ticks per output frame.
  /// After `steps` steps, at least 1, the position is exactly on input frame `frame`.
  ///
  /// Position k is p(k) = v0 × k + a × k² / 2, with a = 2 × (frame - start - v0 × steps) / steps².
  /// The speed at the end may differ slightly from 1, and then jumps to 1.
  init(from start: TickPosition, speed: UInt64, landingOn frame: Int64, after steps: UInt64) {
    let factor = Fraction(numerator: 1, denominator: 1)
    landing = StreamPositions(factor: factor, at: TickPosition(frame: frame, ticks: 0))
    finalSpeed = landing.ticksPerStep
    stepsLeft = steps &- 1
    let count = Double(steps)
    let way = (Double(frame &- start.frame) - start.fraction) * Double(TickPosition.ticksPerFrame)
    growth = Wide(2 * (way / count - Double(speed)) / count)
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// The growth of a step, in ticks: difference × sum / (2^56 × frames), by long division in base
  /// 2^64. It is below 2^63 if there is at least one step.
  private static func growth(_ difference: UInt64, _ sum: UInt64, _ frames: UInt64) -> Wide {
    let product = difference.multipliedFullWidth(by: sum)
    let top = product.high &>> 56
    let middle = product.high &<< 8 | product.low &>> 56
    let high = frames.dividing(high: top, low: middle)
    let rest = middle &- high &* frames
    let low = frames.dividing(high: rest, low: product.low &<< 8)
    return Wide(high: Int64(truncatingIfNeeded: high), low: low)
  }

  var index: Int64 { position.frame }
  var isOnFrame: Bool { position.ticks == 0 }
  var rawWeight: Double { position.fraction }

  /// The speed at the next position, in ticks per output frame.
  var speed: UInt64 {
    if isOver { return finalSpeed }
    let speed = step.adding(growth.halved.negated).high
    return UInt64(truncatingIfNeeded: max(speed, 1))
  }

  /// The factor at the next position.
  var factor: Double { Double(TickPosition.ticksPerFrame) / Double(speed) }

  var reading: Reading { Reading(scale: heldScale, isMoving: true) }

  private var heldScale: Double { max(TIMEDSP_MIN_FACTOR, min(factor, 1)) }

  /// The smallest kernel scale (`Reading.scale`) during the remaining ramp and after it.
  var leastScale: Double { min(heldScale, landing.reading.scale) }

  func note(in points: ReadPoints, _ slot: Int) {
    points.factors[slot] = max(factor, TIMEDSP_MIN_FACTOR)
  }

  func isDue(arrived: Int64) -> Bool {
    var next = self
    next.advance()
    return next.framesPassed <= arrived
  }

  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64 {
    isReady(window, end: end, arrived: arrived) ? 1 : 0
  }

  /// An upper bound of the number of output frames, from the next output frame on, that are due if
  /// `arrived` input frames have arrived.
  func framesDue(arrived: Int64) -> UInt64 {
    guard framesPassed <= arrived else { return 0 }
    let left = stepsLeft &+ 1
    if landing.index < arrived { return left &+ landing.framesDue(arrived: arrived) }
    // Every step from here on is at least as long as a step at the lower of the two speeds.
    // Rounding shortens a step by less than half of its length.
    let frames = UInt64(truncatingIfNeeded: arrived &- index &+ 1)
    let slowest = min(speed, finalSpeed) &>> 1
    let high = frames &>> 9
    return high >= slowest ? left : min(left, slowest.dividing(high: high, low: frames &<< 55))
  }

  mutating func advance() {
    guard stepsLeft > 0 else {
      isOver = true
      let end = landing.position
      // rounding may have put the position after the end
      if end.precedes(position) { landing.move(to: position) }
      position = landing.position
      return
    }
    stepsLeft &-= 1
    let (rest, carries) = positionRest.addingReportingOverflow(step.low)
    positionRest = rest
    position = position.advanced(frames: 0, ticks: max(step.high, 0) &+ (carries ? 1 : 0))
    step = step.adding(growth)
  }
}
