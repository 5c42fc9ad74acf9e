// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// We use the C enumerations, because a Swift enumeration would be `Hashable`. In Embedded Swift,
// hashing needs a source of random numbers, and not every libc has one.

/// Four samples that we interpolate together, along with the samples before and after them. Each
/// may be from any frame and channel.
struct SampleQuad<S: Sample> {
  let a: UnsafePointer<S>
  let b: UnsafePointer<S>
  let c: UnsafePointer<S>
  let d: UnsafePointer<S>
  /// The distance from one sample of a channel to the next.
  let stride: Int

  /// The samples `frames` frames after `a`, `b`, `c` and `d`, or before them if it's negative.
  @inline(__always)
  func after(_ frames: Int) -> S.Four {
    let offset = frames &* stride
    return S.four(a[offset], b[offset], c[offset], d[offset])
  }

  @inline(__always)
  private func exact(_ frames: Int) -> SIMD4<Double> { S.exact(after(frames)) }

  /// On the straight lines to the samples a frame later. `weights` are the distances from the
  /// earlier ones, 0 ..< 1.
  @inline(__always)
  func linear(at weights: SIMD4<Double>) -> SIMD4<Double> {
    let y0 = exact(0)
    return y0 + weights * (exact(1) - y0)
  }

  /// On the cubic polynomials through four successive samples.
  ///
  /// It's Lagrange's polynomial, in Newton's form on the points 0, 1, -1, 2: a straight line plus a
  /// curvature. Unlike a weighted sum, this is exact if the samples are constant or linear.
  @inline(__always)
  func cubic(at weights: SIMD4<Double>) -> SIMD4<Double> {
    let (y0, y1) = (exact(0), exact(1))
    let slope = y1 - y0
    let bend = slope - (y0 - exact(-1))
    let nextBend = (exact(2) - y1) - slope
    let bent = bend + (nextBend - bend) * ((weights + 1) / 3)
    return y0 + weights * (slope + bent * ((weights - 1) / 2))
  }
}

/// Rises from 0 to 1, with slope 0 at both ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}

/// What an interpolation needs to know about the current positions to choose its kernels.
struct Reading {
  /// How much of the input's bandwidth the output can represent: the factor, but at most 1. Kernels
  /// are stretched by 1 / `scale`.
  var scale: Double
  /// All positions are multiples of 1 / `numerator` frames, plus `offset`. It's 0 if we don't know
  /// such a number.
  var numerator: UInt64 = 0
  /// The offset of all positions, in units of 1 / `numerator` frames, 0 ..< 1.
  var offset = 0.0
  var isMoving = false
  var isIdentity = false
}

/// How many input frames we read around a position.
struct Window {
  /// How many frames we read before y0, the frame at or before the position.
  let before: Int
  let after: Int
  /// How many frames we read after y0 if the position is exactly on y0.
  let afterOnFrame: Int
}

/// The positions where we read a run of output frames. A position has an offset, which is the input
/// frame at or before it, and a weight, which is the distance from that frame as a fraction.
///
/// We compute positions once per run, for all planes.
struct ReadPoints {
  static let capacity = 256

  /// Relative to the first frame in the memory that we read.
  let offsets: Row<Int>
  /// 0 ..< 1, and 0 if the position is exactly on a frame.
  let weights: Row<Double>
  /// The factor at each position. Only set while the factor is changing.
  let factors: Row<Double>

  init(_ memory: inout Arena) throws(TimeDSPStatus) {
    offsets = try memory.row(Self.capacity)
    weights = try memory.row(Self.capacity)
    factors = try memory.row(Self.capacity)
  }

  @inline(__always)
  func scale(_ point: Int) -> Double { min(factors[point], 1) }

  /// Converts the weights from integers in units of 1 / `parts` frames to fractions of a frame.
  func divideWeights(_ count: Int, by parts: Double) {
    for point in upTo(count) { weights[point] /= parts }
  }

  /// If the factor is changing, this only affects the points where the output is longer.
  func smoothWeights(_ count: Int, isMoving: Bool) {
    for point in upTo(count) where !isMoving || factors[point] > 1 {
      weights[point] = smoothstep(weights[point])
    }
  }

  func snapToFrames(_ count: Int) {
    for point in upTo(count) {
      offsets[point] &+= weights[point] < 0.5 ? 0 : 1
      weights[point] = 0
    }
  }
}

// All interpolations except sinc. The compiler specializes the generic code for each sample type
// and formula, and for one, two or more channels.

extension ReadPoints {
  /// Interpolates all planes, writing to `target` from frame `made` onwards.
  ///
  /// Offsets are relative to `source`. All frames that the interpolation reads must exist. If a
  /// position is exactly on a frame, it only reads that frame. For nearest and smooth, we've already
  /// adjusted the weights so that linear interpolation gives the right result.
  func interpolate(
    _ count: Int, _ interpolation: TimeDSPInterpolation, _ shape: AudioShape,
    from source: InputPlanes,
    to target: OutputPlanes, made: Int
  ) {
    for plane in upTo(shape.planes) {
      if let from = source[plane], let start = target[plane] {
        let to = start + made &* shape.frameBytes
        let (isCubic, channels) = (interpolation == TIMEDSP_CUBIC, shape.samplesPerFrame)
        switch shape.format {
        case TIMEDSP_S16: interpolate(Int16.self, count, isCubic: isCubic, channels, from, to)
        case TIMEDSP_S32: interpolate(Int32.self, count, isCubic: isCubic, channels, from, to)
        case TIMEDSP_F32: interpolate(Float.self, count, isCubic: isCubic, channels, from, to)
        default: interpolate(Double.self, count, isCubic: isCubic, channels, from, to)
        }
      }
    }
  }

  @inline(__always)
  private func interpolate<S: Sample>(
    _: S.Type, _ count: Int, isCubic: Bool, _ channels: Int,
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
  ) {
    var run = QuadRun(
      points: self, channels: channels, source: source.assumingMemoryBound(to: S.self),
      target: target.assumingMemoryBound(to: S.self))
    if isCubic {
      run.interpolate(betweenFrames(count), of: count) { $0.cubic(at: $1) }
    } else {
      run.interpolate(betweenFrames(count), of: count) { $0.linear(at: $1) }
    }
  }

  /// The range from the first to the last point that's between two frames. Inside it, the frames
  /// before and after every point exist. Outside it, points are exactly on a frame, and may not
  /// have a neighbour.
  private func betweenFrames(_ count: Int) -> Range<Int> {
    var first = 0
    while first < count && weights[first] == 0 { first &+= 1 }
    var end = count
    while end > first && weights[end &- 1] == 0 { end &-= 1 }
    return Range(uncheckedBounds: (first, end))
  }
}

/// Computes a run of output frames of one plane, four samples at a time, so that one store writes
/// all four.
private struct QuadRun<S: Sample> {
  let points: ReadPoints
  let channels: Int
  let source: UnsafePointer<S>
  var target: UnsafeMutablePointer<S>

  typealias Formula = (SampleQuad<S>, SIMD4<Double>) -> SIMD4<Double>

  /// The points outside `between` are exactly on a frame.
  @inline(__always)
  mutating func interpolate(_ between: Range<Int>, of count: Int, _ formula: Formula) {
    copyFrames(upTo(between.lowerBound))
    switch channels {
    case 1: interpolateMono(between, formula)
    case 2: interpolateStereo(between, formula)
    default: interpolateFrames(between, formula)
    }
    copyFrames(upTo(count, from: between.upperBound))
  }

  @inline(__always)
  private func frame(_ point: Int) -> UnsafePointer<S> {
    source + points.offsets[point] &* channels
  }

  /// For one or two samples, assignments are faster than a function call.
  @inline(__always)
  private mutating func copyFrames(_ range: Steps<Int>) {
    for point in range {
      let source = frame(point)
      switch channels {
      case 1: target[0] = source[0]
      case 2: (target[0], target[1]) = (source[0], source[1])
      default: timedsp_copy(target, source, channels &* MemoryLayout<S>.stride)
      }
      target += channels
    }
  }

  /// Four frames at a time.
  @inline(__always)
  private mutating func interpolateMono(_ range: Range<Int>, _ formula: Formula) {
    var point = range.lowerBound
    while point &+ 4 <= range.upperBound {
      let quad = SampleQuad(
        a: frame(point), b: frame(point &+ 1), c: frame(point &+ 2), d: frame(point &+ 3),
        stride: 1)
      store(values(quad, points.weights[four: point], formula), at: 0)
      target += 4
      point &+= 4
    }
    interpolateFrames(Range(uncheckedBounds: (point, range.upperBound)), formula)
  }

  /// Two frames at a time.
  @inline(__always)
  private mutating func interpolateStereo(_ range: Range<Int>, _ formula: Formula) {
    var point = range.lowerBound
    while point &+ 2 <= range.upperBound {
      let (one, two) = (frame(point), frame(point &+ 1))
      let quad = SampleQuad(a: one, b: one + 1, c: two, d: two + 1, stride: 2)
      let (first, second) = (points.weights[point], points.weights[point &+ 1])
      store(values(quad, SIMD4(first, first, second, second), formula), at: 0)
      target += 4
      point &+= 2
    }
    interpolateFrames(Range(uncheckedBounds: (point, range.upperBound)), formula)
  }

  /// Any number of channels, one frame at a time. If there are at least four channels, the last
  /// group of four samples may overlap the one before.
  @inline(__always)
  private mutating func interpolateFrames(_ range: Range<Int>, _ formula: Formula) {
    for point in upTo(range) {
      let weights = SIMD4(repeating: points.weights[point])
      let frame = frame(point)
      if channels >= 4 {
        for first in upTo(channels, by: 4) {
          let channel = min(first, channels &- 4)
          store(values(quad(frame + channel, 1), weights, formula), at: channel)
        }
      } else {
        for channel in upTo(channels) {
          let four = values(quad(frame + channel, 0), weights, formula)
          target[channel] = S.first(of: four)
        }
      }
      target += channels
    }
  }

  /// Four samples of a frame, `step` apart.
  @inline(__always)
  private func quad(_ first: UnsafePointer<S>, _ step: Int) -> SampleQuad<S> {
    SampleQuad(
      a: first, b: first + step, c: first + 2 &* step, d: first + 3 &* step, stride: channels)
  }

  @inline(__always)
  private func store(_ four: S.Four, at channel: Int) {
    UnsafeMutableRawPointer(target + channel).storeBytes(of: four, as: S.Four.self)
  }

  /// If a position is exactly on a frame, we copy that frame, because arithmetic would change the
  /// bits of NaN, infinity and -0.
  @inline(__always)
  private func values(
    _ quad: SampleQuad<S>, _ weights: SIMD4<Double>, _ formula: Formula
  ) -> S.Four {
    S.nearest(formula(quad, weights), quad.after(0), at: weights)
  }
}
