// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A section of a time curve. Its speed, 1 / factor, is constant, or changes linearly over the
/// output, like the speed of a tape. t output frames after its beginning, the speed is
/// v0 + 2 × g × t, and you're v0 × t + g × t² input frames farther. A speed may have any sign.
///
/// A change from speed v0 to v1 within X input frames takes T = 2 × X / (v0 + v1) output frames. x
/// input frames after its beginning, the speed is v = sqrt (v0² + (v1² - v0²) × x / X), and 2 × x /
/// (v0 + v) frames have been output.
struct CurveSection: BitwiseCopyable {
  /// The output frame where the section begins.
  var output = Wide(high: 0, low: 0)
  /// The input position where the section begins.
  var input = Wide(high: 0, low: 0)
  /// At the beginning, in input frames per output frame.
  var speed: Double
  /// Half of the change of the speed per output frame, or 0 if it's constant.
  var growth = 0.0
  /// Exact if the speed is constant, or `none` if it changes or has been averaged.
  var factor = Fraction.none

  var isUnity: Bool { factor.numerator == factor.denominator && factor != .none }

  /// `distance` input frames after the beginning. If the direction changes in the section, this is
  /// the speed before that.
  func speed(at distance: Double) -> Double {
    if growth == 0 { return speed }
    // keeps the division by the speed finite
    let size = max(speed * speed + 4 * growth * distance, 1e-8).squareRoot()
    return speed < 0 ? 0 - size : size
  }

  func output(of distance: Double) -> Double {
    distance > 0 || speed < 0 ? 2 * distance / (speed + speed(at: distance)) : distance / speed
  }

  func input(of distance: Double) -> Double {
    distance > 0 ? (speed + growth * distance) * distance : distance * speed
  }

  /// From the beginning, in input frames. The section must begin at a whole one.
  func distance(to frame: Int64) -> Double { Double(frame &- input.high) }

  func output(at position: Double) -> Double {
    let distance = position - input.value
    return output.value + (factor == .none ? output(of: distance) : distance * factor.value)
  }

  /// The section must begin at a whole input frame. At a constant factor, this is exact.
  func outputFrame(of frame: Int64) -> (whole: Int64, fraction: Double) {
    let distance = frame &- input.high
    guard factor != .none, distance >= 0, distance <= maxFrames else {
      let (whole, fraction) = split(output(of: Double(distance)) + output.fraction)
      return (output.high &+ whole, fraction)
    }
    let frames = UInt64(truncatingIfNeeded: distance)
    let whole = factor.scaled(frames)
    let rest = (frames &* factor.numerator) &- (whole &* factor.denominator)
    let fraction = Double(rest) / Double(factor.denominator)
    let frame = output.high &+ Int64(truncatingIfNeeded: whole)
    if output.low == 0 { return (frame, fraction) }
    // rounding may have put the sum just below a whole number
    let (carried, left) = split(output.fraction + fraction + 0x1p-40)
    return (frame &+ carried, max(left - 0x1p-40, 0))
  }
}

extension CurveSection {
  /// A constant factor, from output frame `output` and position `input` on.
  init(
    _ factor: Fraction, from input: Wide = Wide(high: 0, low: 0),
    _ output: Wide = Wide(high: 0, low: 0)
  ) {
    self.init(output: output, input: input, speed: factor.speed, factor: factor)
  }

  /// The change to `factor` within `frames` input frames, from position `input`, output frame
  /// `output` and speed `speed` on: a ramp, unless `frames` is 0, and the section after it.
  static func change(
    at input: Wide, _ output: Wide, from speed: Double, to factor: Fraction, within frames: Double
  ) -> (ramp: CurveSection?, rest: CurveSection) {
    guard frames > 0 else { return (nil, CurveSection(factor, from: input, output)) }
    let end = factor.speed
    let ramp = CurveSection(
      output: output, input: input, speed: speed, growth: (end * end - speed * speed) / (4 * frames)
    )
    let (whole, fraction) = split(ramp.output(of: frames) + output.fraction)
    return (
      ramp,
      CurveSection(
        factor, from: input.adding(Wide(frames)),
        Wide(whole: output.high &+ whole, fraction: fraction))
    )
  }
}

extension Fraction {
  /// For a factor that's no known fraction.
  static var none: Fraction { Fraction(numerator: 0, denominator: 0) }
}

/// The largest integer up to `value`, and the remainder.
private func split(_ value: Double) -> (whole: Int64, fraction: Double) {
  let nearest = rounded(value)
  let whole = Double(nearest) > value ? nearest &- 1 : nearest
  return (whole, value - Double(whole))
}

/// The nearest integer, clamped to ±2^50.
///
/// Near 1.5 × 2^52, `Double` values are 1 apart. So if you add this number, you round to an
/// integer.
func rounded(_ value: Double) -> Int64 {
  let held = min(max(value, -0x1p50), 0x1p50)
  return Int64(bitPattern: (held + 0x1.8p52).bitPattern) &- 0x4338_0000_0000_0000
}
