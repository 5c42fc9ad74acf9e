// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The read positions of a ramp. It's `CurveSection` in integers, frame by frame. Position k is
/// p(k) = v0 × k + (v1 - v0) × k² / (2 × T), up to k = T.
///
/// We count positions in ticks of 2^-55 frames, and steps in 2^-64 ticks. From one position to the
/// next, the step grows by (v1² - v0²) / (2 × X), rounded to this unit. After K frames, the error
/// is K² / 2 units, so it's less than a tick for 2^32 frames.
struct RampSteps: BitwiseCopyable {
  /// The largest power of two at which twice a step of 100 frames stays below 2^63 ticks.
  static let ticksPerFrame: UInt64 = 1 << 55

  /// Rounded down to ticks.
  private(set) var position: Wide
  private var rest: UInt64 = 0
  /// From the next position to the one after it, in ticks.
  private var step: Wide
  private let growth: Wide
  private var left: UInt64
  /// The first position after T. The factor is constant from there on.
  let end: Wide
  /// In ticks per output frame.
  private let finalSpeed: UInt64

  /// `speed` is at `start`, in ticks per output frame. The ramp covers `frames` input frames,
  /// 1 … 2^53.
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

  /// A ramp to factor 1. `speed` is at `start`, in ticks per output frame. After `steps` steps, at
  /// least 1, you're exactly on input frame `frame`.
  ///
  /// Position k is p(k) = v0 × k + a × k² / 2, with a = 2 × (frame - start - v0 × steps) / steps².
  /// At the end, the speed may be slightly off 1, and then jumps to 1.
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

  /// In ticks: difference × sum / (2^56 × frames), by long division in base 2^64. With at least one
  /// step, it's below 2^63.
  private static func growth(_ difference: UInt64, _ sum: UInt64, _ frames: UInt64) -> Wide {
    let product = difference.multipliedFullWidth(by: sum)
    let middle = product.high &<< 8 | product.low &>> 56
    let high = frames.dividing(high: product.high &>> 56, low: middle)
    let rest = middle &- high &* frames
    let low = frames.dividing(high: rest, low: product.low &<< 8)
    return Wide(high: Int64(truncatingIfNeeded: high), low: low)
  }

  /// At the next position, in ticks per output frame.
  var speed: UInt64 {
    UInt64(truncatingIfNeeded: max(step.adding(growth.halved.negated).high, 1))
  }

  var factor: Double { Double(Self.ticksPerFrame) / Double(speed) }

  /// Returns `false` if the ramp has ended.
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

  /// Input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { position.low == 0 ? position.high : position.high &+ 1 }

  @inline(__always)
  static func scale(_ factor: Double) -> Double { max(TIMEDSP_MIN_FACTOR, min(factor, 1)) }

  /// At most this many positions of the ramp are due once `arrived` input frames have arrived.
  func maxDue(arrived: Int64) -> UInt64 {
    if end.high < arrived { return left &+ 1 }
    // From here on, no step is shorter than at the lower of the two speeds. Rounding takes less
    // than half of a step.
    let frames = UInt64(truncatingIfNeeded: arrived &- position.high &+ 1)
    let slowest = min(speed, finalSpeed) &>> 1
    let high = frames &>> 9
    return high >= slowest
      ? left &+ 1 : min(left &+ 1, slowest.dividing(high: high, low: frames &<< 55))
  }
}

extension Wide {
  init(ticks: UInt64) { self.init(high: Int64(truncatingIfNeeded: ticks &>> 55), low: ticks &<< 9) }

  /// From `high`, rounded down.
  var ticks: UInt64 { low &>> 9 }
}
