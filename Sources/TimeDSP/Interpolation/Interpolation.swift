// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// We use the C enumerations. A Swift enumeration would be `Hashable`, and in Embedded Swift,
// hashing needs a source of random numbers, which not every libc has.

extension TimeDSPInterpolation {
  /// C code may pass any number.
  var isKnown: Bool { rawValue < UInt32(truncatingIfNeeded: TIMEDSP_N_INTERPOLATIONS) }

  /// Frames that we read before y0, the frame at or before a position. For sinc, it depends on
  /// quality and factor, and `Reach` computes it.
  var before: Int { Int(truncatingIfNeeded: timedsp_frames_before(self)) }

  /// Frames that we read after y0, unless the position is exactly on y0.
  var after: Int { Int(truncatingIfNeeded: timedsp_frames_after(self)) }
}

extension ReadPoints {
  /// For nearest and smooth, the weights have already changed, so that linear interpolation gives
  /// the result. For sinc, there's `Sinc`.
  @inline(__always)
  func interpolate<S: Sample>(
    _ interpolation: TimeDSPInterpolation, _ count: Int, _ channels: Int,
    _ source: UnsafePointer<S>, _ target: UnsafeMutablePointer<S>
  ) {
    switch interpolation {
    case TIMEDSP_CUBIC: interpolate(CubicInterpolant.self, count, channels, source, target)
    default: interpolate(LinearInterpolant.self, count, channels, source, target)
    }
  }
}

/// Four samples, each from any frame and channel, that we interpolate together, with the samples
/// before and after them.
struct SampleQuad<S: Sample> {
  let a: UnsafePointer<S>
  let b: UnsafePointer<S>
  let c: UnsafePointer<S>
  let d: UnsafePointer<S>
  /// From one sample of a channel to the next.
  let stride: Int

  /// `frames` frames after `a`, `b`, `c` and `d`, or before if it's negative.
  @inline(__always)
  func after(_ frames: Int) -> S.Four {
    let offset = frames &* stride
    return S.four(a[offset], b[offset], c[offset], d[offset])
  }

  @inline(__always)
  func exact(_ frames: Int) -> SIMD4<Double> { S.exact(after(frames)) }
}

protocol Interpolant {
  /// Between the four samples and those one frame later. `weights` are the distances from the
  /// earlier ones, 0 ..< 1.
  static func values<S: Sample>(_ samples: SampleQuad<S>, at weights: SIMD4<Double>)
    -> SIMD4<Double>
}

/// The straight line through two samples.
enum LinearInterpolant: Interpolant {
  @inline(__always)
  static func values<S: Sample>(_ samples: SampleQuad<S>, at weights: SIMD4<Double>)
    -> SIMD4<Double>
  {
    let y0 = samples.exact(0)
    let y1 = samples.exact(1)
    return y0 + weights * (y1 - y0)
  }
}

/// The cubic polynomial through four successive samples.
///
/// It's Lagrange's polynomial, in Newton's form on the points 0, 1, -1, 2: a straight line plus a
/// curvature. Unlike a weighted sum, this is exact for constant and linear samples.
enum CubicInterpolant: Interpolant {
  @inline(__always)
  static func values<S: Sample>(_ samples: SampleQuad<S>, at weights: SIMD4<Double>)
    -> SIMD4<Double>
  {
    let y0 = samples.exact(0)
    let y1 = samples.exact(1)
    let slope = y1 - y0
    let bend = slope - (y0 - samples.exact(-1))
    let nextBend = (samples.exact(2) - y1) - slope
    let bent = bend + (nextBend - bend) * ((weights + 1) / 3)
    return y0 + weights * (slope + bent * ((weights - 1) / 2))
  }
}

/// Rises from 0 to 1, with slope 0 at both ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}
