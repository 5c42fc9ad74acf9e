// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The read positions of a ramp: the law of `CurveSection` in integers, frame by frame. Position k
/// is p(k) = v0 × k + (v1 - v0) × k² / (2 × T), up to k = T.
///
/// Positions are multiples of a tick, 2^-55 frames, and steps are counted in 2^-64 ticks. The step
/// from one position to the next grows by (v1² - v0²) / (2 × X), rounded to this unit. After K
/// frames, the error is K² / 2 units, less than a tick for 2^32 frames.
struct RampSteps: BitwiseCopyable {
  /// The largest power of two for which twice a step of 100 frames is below 2^63 ticks.
  static let ticksPerFrame: UInt64 = 1 << 55

  /// The next position, rounded down to ticks.
  private(set) var position: Wide
  private var rest: UInt64 = 0
  /// The distance from the next position to the position after it, in ticks.
  private var step: Wide
  /// The increase of `step` from one position to the next, in ticks.
  private let growth: Wide
  /// Number of steps left up to T.
  private var left: UInt64
  /// The first position after T, from which the factor is constant.
  let end: Wide
  /// The speed at the end, in ticks per output frame.
  private let finalSpeed: UInt64

  /// A ramp from `speed` at `start` to `target`. `speed` is in ticks per output frame. The ramp
  /// covers `frames` input frames, 1 … 2^53.
  init(from start: Wide, speed: UInt64, to target: SteadySteps, within frames: UInt64) {
    finalSpeed = target.ticks
    let sum = speed &+ finalSpeed
    // T = X × 2^56 / sum, with a remainder
    left = frames.multiplied(by: 2 &* Self.ticksPerFrame, dividedBy: sum)
    let rest = (frames &<< 56) &- left &* sum
    let distance = (sum &- rest).multiplied(by: finalSpeed, dividedBy: sum)
    end = start.adding(Wide(high: Int64(truncatingIfNeeded: frames), low: 0))
      .adding(Wide(ticks: distance))
    let slows = finalSpeed < speed
    let difference = slows ? speed &- finalSpeed : finalSpeed &- speed
    let rise = left > 0 ? Self.growth(difference, sum, frames) : Wide(high: 0, low: 0)
    growth = slows ? rise.negated : rise
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// A ramp from `speed` at `start` to factor 1. `speed` is in ticks per output frame. After `steps`
  /// steps, at least 1, the position is exactly on input frame `frame`.
  ///
  /// Position k is p(k) = v0 × k + a × k² / 2, with a = 2 × (frame - start - v0 × steps) / steps².
  /// The speed at the end may differ slightly from 1, and then jumps to 1.
  init(from start: Wide, speed: UInt64, landingOn frame: Int64, after steps: UInt64) {
    end = Wide(high: frame, low: 0)
    finalSpeed = Self.ticksPerFrame
    left = steps &- 1
    let count = Double(steps)
    let distance = (Double(frame &- start.high) - start.fraction) * Double(Self.ticksPerFrame)
    growth = Wide(2 * (distance / count - Double(speed)) / count)
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// The growth of a step, in ticks: difference × sum / (2^56 × frames), by long division in base
  /// 2^64. It is below 2^63 if there is at least one step.
  private static func growth(_ difference: UInt64, _ sum: UInt64, _ frames: UInt64) -> Wide {
    let product = difference.multipliedFullWidth(by: sum)
    let middle = product.high &<< 8 | product.low &>> 56
    let high = frames.dividing(high: product.high &>> 56, low: middle)
    let rest = middle &- high &* frames
    let low = frames.dividing(high: rest, low: product.low &<< 8)
    return Wide(high: Int64(truncatingIfNeeded: high), low: low)
  }

  /// The speed at the next position, in ticks per output frame.
  var speed: UInt64 {
    UInt64(truncatingIfNeeded: max(step.adding(growth.halved.negated).high, 1))
  }

  /// The factor at the next position.
  var factor: Double { Double(Self.ticksPerFrame) / Double(speed) }

  /// Advances to the next position. Returns `false` if the ramp has ended.
  @inline(__always)
  mutating func advance() -> Bool {
    guard left > 0 else { return false }
    left &-= 1
    let (sum, carries) = rest.addingReportingOverflow(step.low)
    rest = sum
    let ticks = UInt64(truncatingIfNeeded: max(step.high, 0)) &+ (carries ? 1 : 0)
    position = position.adding(Wide(ticks: ticks))
    step = step.adding(growth)
    return true
  }

  /// Number of input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { position.low == 0 ? position.high : position.high &+ 1 }

  /// `Reading.scale` at `factor`.
  @inline(__always)
  static func scale(_ factor: Double) -> Double { max(TIMEDSP_MIN_FACTOR, min(factor, 1)) }

  /// An upper bound of the number of positions of the ramp that are due if `arrived` input frames
  /// have arrived.
  func maxDue(arrived: Int64) -> UInt64 {
    if end.high < arrived { return left &+ 1 }
    // Every step from here on is at least as long as a step at the lower of the two speeds.
    // Rounding shortens a step by less than half of its length.
    let frames = UInt64(truncatingIfNeeded: arrived &- position.high &+ 1)
    let slowest = min(speed, finalSpeed) &>> 1
    let high = frames &>> 9
    return high >= slowest
      ? left &+ 1 : min(left &+ 1, slowest.dividing(high: high, low: frames &<< 55))
  }
}

extension Wide {
  /// The number of frames for `ticks` ticks.
  init(ticks: UInt64) { self.init(high: Int64(truncatingIfNeeded: ticks &>> 55), low: ticks &<< 9) }

  /// The distance from `high` in ticks, rounded down.
  var ticks: UInt64 { low &>> 9 }
}
