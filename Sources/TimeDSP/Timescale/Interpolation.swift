// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The C enumerations are used as they are. An enumeration of Swift's own would
// come with `Hashable`, and that, in an embedded object, with a source of
// random numbers which not every libc has.

extension TimeDSPInterpolation {
  /// Whether it is in the enumeration: C may give any number.
  var isKnown: Bool { rawValue <= TIMEDSP_SINC.rawValue }

  /// Frames looked at before the one that a position falls in; those of sinc
  /// depend on its quality and on the factor (`Reach`).
  var before: Int { self == TIMEDSP_CUBIC ? 1 : 0 }

  /// Frames looked at after it, unless the position is on it exactly.
  var after: Int { self == TIMEDSP_CUBIC ? 2 : 1 }
}

/// A way to compute a value from the samples around it.
protocol Interpolant {
  /// The value at `weight`, above 0 and below 1, on the way from the sample at
  /// `sample` to the next of the same channel, which lies `stride` further on.
  static func value<S: Sample>(_ sample: UnsafePointer<S>, _ stride: Int, at weight: Double)
    -> Double
}

/// The straight line through two samples.
enum LinearInterpolant: Interpolant {
  @inline(__always)
  static func value<S: Sample>(_ sample: UnsafePointer<S>, _ stride: Int, at weight: Double)
    -> Double
  {
    let y0 = sample[0].exact
    let y1 = sample[stride].exact
    return y0 + weight * (y1 - y0)
  }
}

/// The polynomial of third degree through four samples, at -1, 0, 1 and 2.
///
/// It is Lagrange's, in Newton's form on the points 0, 1, -1, 2: a straight
/// line and what bends it. So it is exact where the samples are level or on a
/// line, which sums of weights are not.
enum CubicInterpolant: Interpolant {
  @inline(__always)
  static func value<S: Sample>(_ sample: UnsafePointer<S>, _ stride: Int, at weight: Double)
    -> Double
  {
    let y0 = sample[0].exact
    let y1 = sample[stride].exact
    let slope = y1 - y0
    let bend = slope - (y0 - sample[0 &- stride].exact)
    let nextBend = (sample[2 &* stride].exact - y1) - slope
    let bent = bend + (nextBend - bend) * ((weight + 1) / 3)
    return y0 + weight * (slope + bent * ((weight - 1) / 2))
  }
}

/// Smoothstep: from 0 to 1 with level ends.
@inline(__always)
func smoothstep(_ t: Double) -> Double {
  t * t * (3 - 2 * t)
}
