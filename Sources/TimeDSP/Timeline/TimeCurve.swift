// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps output frames to input positions, and back. In each of its sections, the position is a
/// linear or quadratic function of the output frame. The first section also applies before its
/// beginning, and the last one has no end.
///
/// A stretcher keeps the curve around the frames that it works on, in sections that begin at whole
/// input frames. `TailScaler` and `Chain` need only the last sections. `ReadCursor` steps along a
/// section from one output frame to the next.
struct TimeCurve {
  private let sections: UnsafeMutablePointer<CurveSection>
  private var count = 0

  /// If there are more, we merge the first two.
  private static let capacity = 256

  init(_ memory: inout ScratchMemory) {
    sections = memory.allocate(CurveSection.self, Self.capacity)
  }

  mutating func start(_ factor: Fraction) {
    sections[0] = CurveSection(factor)
    count = 1
  }

  /// It has a constant factor.
  var last: CurveSection { sections[count &- 1] }

  /// From frame `input` on, the factor changes over `frames` input frames, or at once if that's 0.
  /// All changes planned for frame `input` or later go.
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
    if gone > 0 { remove(gone, at: 0) }
  }

  func section(at input: Int64) -> CurveSection {
    var index = count &- 1
    while index > 0, sections[index].input.high > input { index &-= 1 }
    return sections[index]
  }

  /// The input frame nearest to output frame `output`. At factor 1, we round up instead. Otherwise,
  /// the output would be one frame too long.
  func input(at output: Int64) -> Int64 {
    var index = count &- 1
    while index > 0, sections[index].output.high > output { index &-= 1 }
    let section = sections[index]
    let distance = output &- section.output.high
    if section.isUnity { return section.input.high &+ distance }
    return section.input.high
      &+ rounded(section.input(of: Double(distance) - section.output.fraction))
  }

  /// As a whole frame and a fraction.
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

  /// From output frame `output` to the output frame of `input`.
  func distance(from output: Int64, to input: Int64) -> Double {
    let section = section(at: input)
    return Double(section.output.high &- output) + section.output.fraction
      + section.output(of: section.distance(to: input))
  }

  func factor(at input: Int64) -> Double {
    let section = section(at: input)
    return 1 / section.speed(at: section.distance(to: input))
  }

  /// If the curve is full, its first two sections become one, with their mean speed.
  private mutating func append(_ section: CurveSection) {
    if count == Self.capacity {
      let (first, third) = (sections[0], sections[2])
      let rise =
        Double(third.output.high &- first.output.high) + third.output.fraction
        - first.output.fraction
      sections[0].factor = .none
      sections[0].growth = 0
      sections[0].speed = first.distance(to: third.input.high) / max(rise, 1e-3)
      remove(1, at: 1)
    }
    sections[count] = section
    count &+= 1
  }

  private mutating func remove(_ number: Int, at index: Int) {
    count &-= number
    for index in upTo(count, from: index) {
      sections[index] = sections[index &+ number]
    }
  }
}
