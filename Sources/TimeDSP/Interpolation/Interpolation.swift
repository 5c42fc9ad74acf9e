// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The C enumerations are used as they are. A Swift enumeration would be `Hashable`. In an embedded
// object, hashing needs a source of random numbers, and not every libc has such a source.

extension TimeDSPInterpolation {
  /// Whether the value is in the table. C code may pass any number.
  var isKnown: Bool { rawValue < UInt32(truncatingIfNeeded: TIMEDSP_N_INTERPOLATIONS) }

  /// Number of frames needed before the frame that is at or before a position. For sinc, this
  /// number depends on quality and factor (`Reach`).
  var before: Int { Int(truncatingIfNeeded: timedsp_frames_before(self)) }

  /// Number of frames needed after the frame that is at or before a position, unless the position
  /// is exactly on that frame.
  var after: Int { Int(truncatingIfNeeded: timedsp_frames_after(self)) }
}

extension ReadPoints {
  /// Selects the formula. For nearest and smooth, the points are prepared for linear interpolation.
  /// Sinc has its own kernels.
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

/// Four samples of any frames and channels. Neighbouring samples of the same channels can be
/// accessed, too.
struct SampleQuad<S: Sample> {
  let a: UnsafePointer<S>
  let b: UnsafePointer<S>
  let c: UnsafePointer<S>
  let d: UnsafePointer<S>
  /// Distance between two samples of a channel.
  let stride: Int

  /// The samples `frames` frames after the four samples. With 0, the four samples themselves.
  @inline(__always)
  func after(_ frames: Int) -> S.Four {
    let offset = frames &* stride
    return S.four(a[offset], b[offset], c[offset], d[offset])
  }

  /// The same samples as `Double`, the precision of all arithmetic.
  @inline(__always)
  func exact(_ frames: Int) -> SIMD4<Double> { S.exact(after(frames)) }
}

/// A way to compute a value from the samples around it.
protocol Interpolant {
  /// The values between four samples and the next ones. `weights` are below 1.
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

/// The third-degree polynomial through four samples, at -1, 0, 1 and 2.
///
/// This is Lagrange's polynomial in Newton's form on the points 0, 1, -1, 2: a straight line plus a
/// curvature. Unlike a weighted sum, this form is exact for constant and linear samples.
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

/// Smoothstep: from 0 to 1, with slope 0 at both ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}
