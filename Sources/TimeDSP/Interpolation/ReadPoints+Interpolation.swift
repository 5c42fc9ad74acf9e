// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// All interpolations except sinc. The compiler specializes the generic code for each sample type
// and formula, and for one, two or more channels.

extension ReadPoints {
  /// For one plane.
  ///
  /// Offsets are relative to `source`. All frames that the interpolation reads must exist. At a
  /// position exactly on a frame, it reads only this frame.
  func interpolate(
    _ count: Int, _ interpolation: TimeDSPInterpolation, _ shape: AudioShape,
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    switch shape.format {
    case TIMEDSP_S16: interpolate(Int16.self, count, interpolation, shape, source, target)
    case TIMEDSP_S32: interpolate(Int32.self, count, interpolation, shape, source, target)
    case TIMEDSP_F32: interpolate(Float.self, count, interpolation, shape, source, target)
    default: interpolate(Double.self, count, interpolation, shape, source, target)
    }
  }

  @inline(__always)
  private func interpolate<S: Sample>(
    _: S.Type, _ count: Int, _ interpolation: TimeDSPInterpolation, _ shape: AudioShape,
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
  ) {
    let source = source.assumingMemoryBound(to: S.self)
    let target = target.assumingMemoryBound(to: S.self)
    let channels = shape.samplesPerFrame
    interpolate(interpolation, count, channels, source, target)
  }

  @inline(__always)
  func interpolate<S: Sample, I: Interpolant>(
    _: I.Type, _ count: Int, _ channels: Int,
    _ source: UnsafePointer<S>, _ target: UnsafeMutablePointer<S>
  ) {
    var run = QuadRun<S, I>(points: self, channels: channels, source: source, target: target)
    let between = betweenFrames(count)
    run.copyFrames(Range(uncheckedBounds: (0, between.lowerBound)))
    switch channels {
    case 1: run.interpolateMono(between)
    case 2: run.interpolateStereo(between)
    default: run.interpolateFrames(between)
    }
    run.copyFrames(Range(uncheckedBounds: (between.upperBound, count)))
  }

  /// From the first to the last point between two frames. In this range, the frames before and
  /// after all points exist. Outside it, points are exactly on a frame, and may have no neighbour.
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
private struct QuadRun<S: Sample, I: Interpolant> {
  let points: ReadPoints
  let channels: Int
  let source: UnsafePointer<S>
  var target: UnsafeMutablePointer<S>

  @inline(__always)
  private func frame(_ point: Int) -> UnsafePointer<S> {
    source + points.offsets[point] &* channels
  }

  /// All points in the range are exactly on a frame.
  @inline(__always)
  mutating func copyFrames(_ range: Range<Int>) {
    for point in upTo(range.upperBound, from: range.lowerBound) {
      copyFrame(frame(point))
      target += channels
    }
  }

  /// For one or two samples, assignments are faster than a function call.
  @inline(__always)
  private func copyFrame(_ source: UnsafePointer<S>) {
    switch channels {
    case 1: target[0] = source[0]
    case 2: (target[0], target[1]) = (source[0], source[1])
    default: timedsp_copy(target, source, channels &* MemoryLayout<S>.stride)
    }
  }

  /// One channel, four frames at a time.
  @inline(__always)
  mutating func interpolateMono(_ range: Range<Int>) {
    var point = range.lowerBound
    while point &+ 4 <= range.upperBound {
      let quad = SampleQuad(
        a: frame(point), b: frame(point &+ 1), c: frame(point &+ 2), d: frame(point &+ 3),
        stride: 1)
      let weights = UnsafeRawPointer(points.weights + point).read(SIMD4<Double>.self)
      store(quad, weights)
      target += 4
      point &+= 4
    }
    interpolateFrames(Range(uncheckedBounds: (point, range.upperBound)))
  }

  /// Two channels, two frames at a time.
  @inline(__always)
  mutating func interpolateStereo(_ range: Range<Int>) {
    var point = range.lowerBound
    while point &+ 2 <= range.upperBound {
      let (one, two) = (frame(point), frame(point &+ 1))
      let quad = SampleQuad(a: one, b: one + 1, c: two, d: two + 1, stride: 2)
      let (first, second) = (points.weights[point], points.weights[point &+ 1])
      store(quad, SIMD4(first, first, second, second))
      target += 4
      point &+= 2
    }
    interpolateFrames(Range(uncheckedBounds: (point, range.upperBound)))
  }

  /// Any number of channels, one frame at a time. From four channels on, the last group of four
  /// samples may overlap the one before.
  @inline(__always)
  mutating func interpolateFrames(_ range: Range<Int>) {
    for point in upTo(range.upperBound, from: range.lowerBound) {
      let weights = SIMD4(repeating: points.weights[point])
      var channel = 0
      while channel < channels {
        if channels >= 4 { channel = min(channel, channels &- 4) }
        let sample = frame(point) + channel
        if channels >= 4 {
          let quad = SampleQuad(
            a: sample, b: sample + 1, c: sample + 2, d: sample + 3, stride: channels)
          store(quad, weights, at: channel)
          channel &+= 4
        } else {
          let quad = SampleQuad(a: sample, b: sample, c: sample, d: sample, stride: channels)
          let four = values(quad, weights)
          target[channel] = S.first(of: four)
          channel &+= 1
        }
      }
      target += channels
    }
  }

  @inline(__always)
  private func store(_ quad: SampleQuad<S>, _ weights: SIMD4<Double>, at channel: Int = 0) {
    UnsafeMutableRawPointer(target + channel).write(values(quad, weights))
  }

  /// Exactly on a frame, we copy it, because arithmetic would change the bits of NaN, infinity and
  /// -0.
  @inline(__always)
  private func values(_ quad: SampleQuad<S>, _ weights: SIMD4<Double>) -> S.Four {
    S.nearest(I.values(quad, at: weights), quad.after(0), at: weights)
  }
}
