// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Angles are whole numbers, 2^32 to a turn: they add up exactly, and wrap by
/// themselves. Turns in `Float` go in and come out with 23 bits, which the angle
/// of a `Float` spectrum does not reach.
///
/// The functions here take the place of libm: every processor computes the same.
typealias Angles = SIMD8<UInt32>

extension Eight {
  /// Numbers rounded to whole ones, below 2^22 in magnitude. At 1.5 × 2^23 numbers
  /// are 1 apart, so that adding it makes the hardware round.
  @inline(__always)
  var wholes: Eight { (self + 0x1.8p23) - 0x1.8p23 }

  /// Turns, below 2^22 in magnitude, as angles. Numbers from 1 to 2 are 2^-23 apart, so
  /// that the bits of 1.5 + a fraction are the angle, half a turn on.
  @inline(__always)
  var angles: Angles { ((self - wholes) + 1.5).bits &<< 9 &+ 0x8000_0000 }
}

extension Eight {
  /// All bits of a lane that is negative, or else none. The compiler takes masks of
  /// comparisons apart, lane by lane.
  @inline(__always)
  var signs: Angles {
    unsafeBitCast(unsafeBitCast(self, to: SIMD8<Int32>.self) &>> 31, to: Angles.self)
  }

  @inline(__always)
  func replaced(by other: Eight, where marks: Angles) -> Eight {
    Eight(bits: bits ^ ((bits ^ other.bits) & marks))
  }
}

extension ComplexEight {
  /// The arguments in turns, -1/2 … 1/2; 0 for 0. Within 2e-7 radians.
  ///
  /// The arc tangent of numbers below 1 is a polynomial of the least greatest error.
  @inline(__always)
  var turns: Eight {
    let (x, y) = (re.magnitudes, im.magnitudes)
    let steep = (x - y).signs
    let exchange = (x.bits ^ y.bits) & steep
    let (large, small) = (Eight(bits: x.bits ^ exchange), Eight(bits: y.bits ^ exchange))
    let t = small / (large + .leastNormalMagnitude)
    let s = t * t
    var p = s * 0.0010841298 - 0.005348277
    p = ((p * s + 0.012672502) * s - 0.021061521) * s + 0.03152512
    p = (p * s - 0.05302624) * s + 0.15915433
    let eighth = p * t
    let quarter = eighth.replaced(by: 0.25 - eighth, where: steep)
    let half = quarter.replaced(by: 0.5 - quarter, where: re.signs)
    return Eight(bits: half.bits | (im.bits & 0x8000_0000))
  }

  /// exp (2πi angle), within 2e-7.
  ///
  /// Angles are taken from the nearest quarter turn, where sine and cosine are
  /// short polynomials.
  @inline(__always)
  init(unit angles: Angles) {
    let fromEighth = angles &+ 0x2000_0000
    let quarter = fromEighth &>> 30
    // The way from the quarter turn in quarter turns, -1/2 … 1/2.
    let way = Eight(bits: (fromEighth &<< 2) &>> 9 | 0x3f80_0000) - 1.5
    let s = way * way
    let sine = (((s * -0.004592289 + 0.079675905) * s - 0.64596295) * s + 1.5707963) * way
    let cosine = (((s * -0.020408353 + 0.25359863) * s - 1.233697) * s) + 1
    // In odd quarters sine and cosine change places.
    let change = (sine.bits ^ cosine.bits) & (Angles.zero &- (quarter & 1))
    // The cosine is negative in the second and third quarter, the sine in the last two.
    re = Eight(bits: (cosine.bits ^ change) ^ ((quarter &+ 1) & 2) &<< 30)
    im = Eight(bits: (sine.bits ^ change) ^ (quarter & 2) &<< 30)
  }
}
