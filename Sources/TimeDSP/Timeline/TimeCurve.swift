// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps output frames to input positions, and back. In each of its sections, the position is a
/// linear or quadratic function of the output frame. The first section also applies before it
/// begins, and the last one never ends.
///
/// A stretcher keeps the part of the curve around the frames it's working on, in sections that
/// begin at whole input frames. `TailScaler` and `Chain` only need the last sections. `ReadCursor`
/// walks along a section from one output frame to the next.
struct TimeCurve {
  private let sections: Row<CurveSection>
  private var count = 1

  /// The max number of sections. If we need more, we drop the first.
  private static let capacity = 256

  init(_ factor: Fraction, _ memory: inout Arena) throws(TimeDSPStatus) {
    sections = try memory.row(Self.capacity)
    sections[0] = CurveSection(factor)
  }

  /// The last section, which has a constant factor.
  var last: CurveSection { sections[count &- 1] }

  /// Changes the factor over `frames` input frames, starting at frame `input`, or immediately if
  /// that's 0. This cancels any changes planned for frame `input` or later.
  mutating func bend(at input: Int64, to factor: Fraction, within frames: Int64) {
    if frames == 0, factor == last.factor, last.input.high <= input { return }
    let section = section(at: input)
    let (whole, fraction) = section.outputFrame(of: input)
    let change = CurveSection.change(
      at: Wide(high: input, low: 0), Wide(whole: whole, fraction: fraction),
      from: section.speed(at: section.distance(to: input)), to: factor, within: Double(frames))
    while count > 0, last.input.high >= input { count &-= 1 }
    if let ramp = change.ramp { append(ramp) }
    append(change.rest)
  }

  mutating func forget(before input: Int64) {
    var gone = 0
    while gone &+ 1 < count, sections[gone &+ 1].input.high <= input { gone &+= 1 }
    if gone > 0 { remove(gone) }
  }

  func section(at input: Int64) -> CurveSection {
    var index = count &- 1
    while index > 0, sections[index].input.high > input { index &-= 1 }
    return sections[index]
  }

  /// The input frame nearest to output frame `output`. At factor 1, we round up instead, because
  /// otherwise the output would be one frame too long.
  func input(at output: Int64) -> Int64 {
    var index = count &- 1
    while index > 0, sections[index].output.high > output { index &-= 1 }
    let section = sections[index]
    let distance = output &- section.output.high
    if section.isUnity { return section.input.high &+ distance }
    return section.input.high
      &+ rounded(section.input(of: Double(distance) - section.output.fraction))
  }

  /// The output position as a whole frame and a fraction.
  func output(at input: Int64) -> (whole: Int64, fraction: Double) {
    section(at: input).outputFrame(of: input)
  }

  /// The output frame nearest to `input`. At factor 1, we round down instead, which makes this the
  /// inverse of `input(at:)`.
  func nearest(to input: Int64) -> Int64 {
    let section = section(at: input)
    let (whole, fraction) = section.outputFrame(of: input)
    return fraction < 0.5 || section.isUnity ? whole : whole &+ 1
  }

  /// The distance from output frame `output` to where `input` ends up in the output.
  func distance(from output: Int64, to input: Int64) -> Double {
    let section = section(at: input)
    return Double(section.output.high &- output) + section.output.fraction
      + section.output(of: section.distance(to: input))
  }

  func factor(at input: Int64) -> Double {
    let section = section(at: input)
    return 1 / section.speed(at: section.distance(to: input))
  }

  /// If the curve is full, we drop its first section.
  private mutating func append(_ section: CurveSection) {
    if count == Self.capacity { remove(1) }
    sections[count] = section
    count &+= 1
  }

  private mutating func remove(_ number: Int) {
    count &-= number
    for index in upTo(count) { sections[index] = sections[index &+ number] }
  }
}

/// A section of a time curve. Its speed, 1 / factor, is constant, or changes linearly over the
/// output, like the speed of a tape. t output frames into the section, the speed is v0 + 2 × g × t,
/// and we've moved by v0 × t + g × t² input frames. Speeds may have either sign.
///
/// A change from speed v0 to v1 over X input frames takes T = 2 × X / (v0 + v1) output frames. x
/// input frames into it, the speed is v = sqrt (v0² + (v1² - v0²) × x / X), and 2 × x / (v0 + v)
/// frames have been output.
struct CurveSection: BitwiseCopyable {
  /// The output frame where the section begins.
  var output = Wide(high: 0, low: 0)
  /// The input position where the section begins.
  var input = Wide(high: 0, low: 0)
  /// The speed at the beginning, in input frames per output frame.
  var speed: Double
  /// Half of the change in speed per output frame, or 0 if it's constant.
  var growth = 0.0
  /// Exact if the speed is constant, or `none` if it changes.
  var factor = Fraction.none

  var isUnity: Bool { factor.numerator == factor.denominator && factor != .none }

  /// The speed `distance` input frames into the section. If the direction changes within the
  /// section, this is the speed before the change.
  func speed(at distance: Double) -> Double {
    if growth == 0 { return speed }
    // keep the division by the speed finite
    let size = max(speed * speed + 4 * growth * distance, 1e-8).squareRoot()
    return speed < 0 ? 0 - size : size
  }

  func output(of distance: Double) -> Double {
    distance > 0 || speed < 0 ? 2 * distance / (speed + speed(at: distance)) : distance / speed
  }

  func input(of distance: Double) -> Double {
    distance > 0 ? (speed + growth * distance) * distance : distance * speed
  }

  /// The distance from the beginning, in input frames. The section must begin at a whole frame.
  func distance(to frame: Int64) -> Double { Double(frame &- input.high) }

  func output(at position: Double) -> Double {
    let distance = position - input.value
    return output.value + (factor == .none ? output(of: distance) : distance * factor.value)
  }

  /// The section must begin at a whole input frame. The result is exact if the factor is constant.
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
  /// A section with a constant factor that begins at output frame `output` and position `input`.
  init(
    _ factor: Fraction, from input: Wide = Wide(high: 0, low: 0),
    _ output: Wide = Wide(high: 0, low: 0)
  ) {
    self.init(output: output, input: input, speed: factor.speed, factor: factor)
  }

  /// The change to `factor` over `frames` input frames, starting at position `input`, output frame
  /// `output` and speed `speed`. It's made up of a ramp, unless `frames` is 0, and the section
  /// after it.
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
  /// For a factor that isn't a known fraction.
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
/// Near 1.5 × 2^52, `Double` values are 1 apart, so adding that number rounds to an integer.
func rounded(_ value: Double) -> Int64 {
  let clamped = min(max(value, -0x1p50), 0x1p50)
  return Int64(bitPattern: (clamped + 0x1.8p52).bitPattern) &- 0x4338_0000_0000_0000
}
