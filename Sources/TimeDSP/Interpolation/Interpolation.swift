// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The C enumerations are used as they are. An enumeration of Swift's own would
// come with `Hashable`, and that, in an embedded object, with a source of
// random numbers which not every libc has.

extension TimeDSPInterpolation {
  /// Whether it is in the table: C may pass any number.
  var isKnown: Bool { rawValue < UInt32(truncatingIfNeeded: TIMEDSP_N_INTERPOLATIONS) }

  /// Frames needed before the one that a position falls in; those of sinc depend on its quality and
  /// on the factor (`Reach`).
  var before: Int { Int(truncatingIfNeeded: timedsp_frames_before(self)) }

  /// Frames needed after it, unless the position is on it exactly.
  var after: Int { Int(truncatingIfNeeded: timedsp_frames_after(self)) }
}

extension ReadPoints {
  /// Selects the formula. The points of nearest and smooth are prepared for a straight line, and
  /// sinc has kernels of its own.
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

/// Four samples, each of any frame and channel, and the ones of the same channel
/// around them.
struct SampleQuad<S: Sample> {
  let a: UnsafePointer<S>
  let b: UnsafePointer<S>
  let c: UnsafePointer<S>
  let d: UnsafePointer<S>
  /// From one sample of a channel to the next.
  let stride: Int

  /// The samples, or those `frames` frames after them.
  @inline(__always)
  func after(_ frames: Int) -> S.Four {
    let place = frames &* stride
    return S.four(a[place], b[place], c[place], d[place])
  }

  /// The same as `Double`, the precision in which everything is computed.
  @inline(__always)
  func exact(_ frames: Int) -> SIMD4<Double> { S.exact(after(frames)) }
}

/// A way to compute a value from the samples around it.
protocol Interpolant {
  /// The values at `weights`, below 1, on the way from four samples to the next.
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

/// The polynomial of third degree through four samples, at -1, 0, 1 and 2.
///
/// It is Lagrange's, in Newton's form on the points 0, 1, -1, 2: a straight line plus its
/// curvature. So it is exact if the samples are constant or on a line, which sums of weights are
/// not.
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

/// Smoothstep: from 0 to 1 with level ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}
