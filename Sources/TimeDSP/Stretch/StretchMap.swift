// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A section of the time map with a constant factor, or with a linearly changing speed.
private struct MapSegment: BitwiseCopyable {
  /// The first input frame of the section.
  var input: Int64
  /// Whole part of the output position of `input`.
  var output: Int64
  /// Fraction of the output position of `input`, in frames, 0 ..< 1.
  var fraction: Double
  /// The exact factor as a fraction; 0/0 if the speed changes or has been averaged.
  var numerator: UInt64
  var denominator: UInt64
  /// The speed, 1 / factor: constant, or changing linearly over the output.
  var ramp: SpeedRamp

  var isRamp: Bool { denominator == 0 }

  /// The speed at the input position `way` frames after the start of the section.
  func speed(at way: Double) -> Double { isRamp ? ramp.speed(at: way) : ramp.speed }

  /// The number of output frames for the first `way` input frames of the section.
  func output(of way: Double) -> Double {
    isRamp && way > 0 ? ramp.output(of: way) : way / ramp.speed
  }

  /// The number of input frames for the first `way` output frames of the section.
  func input(of way: Double) -> Double {
    isRamp && way > 0 ? ramp.input(of: way) : way * ramp.speed
  }
}

/// The time map of a stretcher: gives the output position of every input frame, and the input frame
/// for every output frame.
///
/// The output position of input frame i is τ(i), the integral of the factor up to i. The map is a
/// list of segments. The first segment also applies before its beginning, and the last segment
/// indefinitely.
struct StretchMap {
  private let segments: UnsafeMutablePointer<MapSegment>
  private var count = 0

  /// Maximum number of segments. If there are more, the first two are merged.
  private static let capacity = 256

  init(_ memory: inout ScratchMemory) {
    segments = memory.allocate(MapSegment.self, Self.capacity)
  }

  /// Starts a map with a constant factor.
  mutating func start(_ factor: Fraction) {
    segments[0] = line(factor, input: 0, output: 0, fraction: 0)
    count = 1
  }

  /// The last factor of the map. At the end of a ramp, this is the factor that the ramp leads to.
  var factor: Fraction {
    let last = segments[count &- 1]
    return Fraction(numerator: last.numerator, denominator: last.denominator)
  }

  /// Number of frames by which output positions exceed input positions, if the last factor is 1.
  var finalShift: Int64 { segments[count &- 1].output &- segments[count &- 1].input }

  /// Changes the factor to `factor` from frame `input` on: gradually over `frames` input frames, or
  /// immediately if `frames` is 0. Drops all changes planned for frame `input` or later.
  mutating func bend(at input: Int64, to factor: Fraction, within frames: Int64) {
    let now = segment(at: input)
    let (output, fraction) = outputPosition(of: input)
    let speed = now.speed(at: Double(input &- now.input))
    if frames == 0, factor == self.factor, segments[count &- 1].input <= input { return }
    while count > 0, segments[count &- 1].input >= input { count &-= 1 }
    var next = line(factor, input: input, output: output, fraction: fraction)
    if frames == 0 {
      append(next)
      return
    }
    next.numerator = 0
    next.denominator = 0
    next.ramp.speed = speed
    next.ramp.length = Double(frames)
    append(next)
    let end = split(next.output(of: Double(frames)) + fraction)
    append(
      line(
        factor, input: input &+ frames, output: output &+ end.whole, fraction: end.fraction))
  }

  /// Drops the segments that only apply before frame `input`.
  mutating func forget(before input: Int64) {
    var gone = 0
    while gone &+ 1 < count, segments[gone &+ 1].input <= input { gone &+= 1 }
    if gone == 0 { return }
    var index = gone
    while index < count {
      segments[index &- gone] = segments[index]
      index &+= 1
    }
    count &-= gone
  }

  /// Output position τ(`input`), as a whole frame and a fraction.
  func outputPosition(of input: Int64) -> (whole: Int64, fraction: Double) {
    let segment = segment(at: input)
    let way = input &- segment.input
    guard !segment.isRamp, way >= 0, way <= mostFrames else {
      let (whole, fraction) = split(segment.output(of: Double(way)) + segment.fraction)
      return (segment.output &+ whole, fraction)
    }
    let frames = UInt64(truncatingIfNeeded: way)
    let whole = frames.multiplied(by: segment.numerator, dividedBy: segment.denominator)
    let rest = (frames &* segment.numerator) &- (whole &* segment.denominator)
    let fraction = Double(rest) / Double(segment.denominator)
    let output = segment.output &+ Int64(truncatingIfNeeded: whole)
    if segment.fraction == 0 { return (output, fraction) }
    // a sum that rounding has put just below a whole number counts as this whole number
    let (carried, left) = split(segment.fraction + fraction + 0x1p-40)
    return (output &+ carried, max(left - 0x1p-40, 0))
  }

  /// The output frame nearest to τ(`input`). At factor 1, τ(`input`) is rounded down instead, which
  /// makes this function the inverse of `input(at:)`.
  func nearest(to input: Int64) -> Int64 {
    let (whole, fraction) = outputPosition(of: input)
    return fraction < 0.5 || isUnity(at: input) ? whole : whole &+ 1
  }

  /// Distance from output frame `output` to τ(`input`), in frames.
  func way(from output: Int64, to input: Int64) -> Double {
    let segment = segment(at: input)
    return Double(segment.output &- output) + segment.fraction
      + segment.output(of: Double(input &- segment.input))
  }

  /// The input frame that is mapped nearest to output frame `output`. At factor 1, the exact
  /// position is rounded up instead; otherwise, the output would be one frame too long.
  func input(at output: Int64) -> Int64 {
    var index = count &- 1
    while index > 0, segments[index].output &- output > 0 { index &-= 1 }
    let segment = segments[index]
    if segment.numerator == segment.denominator, !segment.isRamp {
      return segment.input &+ (output &- segment.output)
    }
    let way = Double(output &- segment.output) - segment.fraction
    return segment.input &+ rounded(segment.input(of: way))
  }

  /// The factor at input frame `input`.
  func factor(at input: Int64) -> Double {
    let segment = segment(at: input)
    return 1 / segment.speed(at: Double(input &- segment.input))
  }

  /// The first input frame of the segment that contains frame `input`.
  func start(of input: Int64) -> Int64 { segment(at: input).input }

  /// Whether the factor is exactly 1 at frame `input`, and not part of a ramp.
  func isUnity(at input: Int64) -> Bool {
    let segment = segment(at: input)
    return !segment.isRamp && segment.numerator == segment.denominator
  }
}

extension StretchMap {
  private func line(
    _ factor: Fraction, input: Int64, output: Int64, fraction: Double
  ) -> MapSegment {
    MapSegment(
      input: input, output: output, fraction: fraction, numerator: factor.numerator,
      denominator: factor.denominator,
      ramp: SpeedRamp(speed: factor.speed, finalSpeed: factor.speed, length: 1))
  }

  /// Appends a segment. If the map is full, first merges its first two segments into one with their
  /// mean speed.
  private mutating func append(_ segment: MapSegment) {
    if count == Self.capacity {
      let run = Double(segments[2].input &- segments[0].input)
      let rise =
        Double(segments[2].output &- segments[0].output) + segments[2].fraction
        - segments[0].fraction
      segments[0].numerator = 0
      segments[0].denominator = 0
      let speed = run / max(rise, 1e-3)
      segments[0].ramp = SpeedRamp(speed: speed, finalSpeed: speed, length: run)
      var index = 1
      while index &+ 1 < count {
        segments[index] = segments[index &+ 1]
        index &+= 1
      }
      count &-= 1
    }
    segments[count] = segment
    count &+= 1
  }

  /// The last segment that begins at or before `input`, or the first segment if all begin later.
  private func segment(at input: Int64) -> MapSegment {
    var index = count &- 1
    while index > 0, segments[index].input > input { index &-= 1 }
    return segments[index]
  }

  /// The largest integer that is at most `value`, and the remainder.
  private func split(_ value: Double) -> (whole: Int64, fraction: Double) {
    let nearest = rounded(value)
    let whole = Double(nearest) > value ? nearest &- 1 : nearest
    return (whole, value - Double(whole))
  }
}

/// The integer nearest to `value`, which is clamped to ±2^50.
///
/// `Double` values near 1.5 × 2^52 are 1 apart, so adding this number rounds to an integer.
func rounded(_ value: Double) -> Int64 {
  let held = min(max(value, -0x1p50), 0x1p50)
  return Int64(bitPattern: (held + 0x1.8p52).bitPattern) &- 0x4338_0000_0000_0000
}
