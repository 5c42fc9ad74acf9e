// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The C enumerations are used directly. A Swift enumeration would be `Hashable`. In Embedded Swift,
// hashing needs a source of random numbers, which not every libc has.

extension TimeDSPInterpolation {
  /// Whether the value is a known interpolation. C code may pass any number.
  var isKnown: Bool { rawValue < UInt32(truncatingIfNeeded: TIMEDSP_N_INTERPOLATIONS) }

  /// Number of frames read before y0, the frame at or before a position. For sinc, the number
  /// depends on quality and factor, and `Reach` computes it.
  var before: Int { Int(truncatingIfNeeded: timedsp_frames_before(self)) }

  /// Number of frames read after y0, unless the position is exactly on y0.
  var after: Int { Int(truncatingIfNeeded: timedsp_frames_after(self)) }
}

extension ReadPoints {
  /// Interpolates with the formula for `interpolation`. For nearest and smooth, the weights have
  /// already been changed so that linear interpolation gives the result. Sinc is not computed here,
  /// but by `Sinc`.
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

/// Four samples, each from any frame and channel, that are interpolated together. Gives access to
/// the samples before and after them.
struct SampleQuad<S: Sample> {
  let a: UnsafePointer<S>
  let b: UnsafePointer<S>
  let c: UnsafePointer<S>
  let d: UnsafePointer<S>
  /// Distance between two successive samples of a channel.
  let stride: Int

  /// The four samples that are `frames` frames after `a`, `b`, `c` and `d`; `frames` may be
  /// negative.
  @inline(__always)
  func after(_ frames: Int) -> S.Four {
    let offset = frames &* stride
    return S.four(a[offset], b[offset], c[offset], d[offset])
  }

  /// The result of `after(_:)`, converted to `Double`.
  @inline(__always)
  func exact(_ frames: Int) -> SIMD4<Double> { S.exact(after(frames)) }
}

/// An interpolation formula.
protocol Interpolant {
  /// The values between the four samples and the four samples one frame later. `weights` are the
  /// distances from the earlier samples, 0 ..< 1.
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
/// This is Lagrange's polynomial, in Newton's form on the points 0, 1, -1, 2: a straight line plus
/// a curvature. Unlike a weighted sum, this form is exact for constant and linear samples.
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

/// The smoothstep curve: rises from 0 to 1, with slope 0 at both ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}
