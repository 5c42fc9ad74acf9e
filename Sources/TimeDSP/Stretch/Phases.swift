// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Eight phases as integers, with 2^32 per cycle. They add exactly, and wrap on their own.
/// Conversion from cycles in `Float` keeps 23 bits, more than the phase of a `Float` spectrum is
/// exact to.
///
/// The functions in this file replace those of libm, so that every CPU computes the same result.
typealias Phases = SIMD8<UInt32>

extension Lanes {
  /// Rounded to integers, for magnitudes below 2^22. Near 1.5 × 2^23, `Float` values are 1 apart.
  /// So if you add this number, you round to an integer.
  @inline(__always)
  var wholes: Lanes { (self + 0x1.8p23) - 0x1.8p23 }

  /// From cycles, for magnitudes below 2^22. `Float` values from 1 to 2 are 2^-23 apart, so the
  /// mantissa of 1.5 + a fraction is its phase plus half a cycle.
  @inline(__always)
  var phases: Phases { ((self - wholes) + 1.5).bits &<< 9 &+ 0x8000_0000 }
}

extension Lanes {
  /// All bits set for negative lanes, otherwise 0. We don't compare, because the compiler processes
  /// the mask lane by lane.
  @inline(__always)
  var signs: Phases {
    unsafeBitCast(unsafeBitCast(self, to: SIMD8<Int32>.self) &>> 31, to: Phases.self)
  }

  @inline(__always)
  func replaced(by other: Lanes, where marks: Phases) -> Lanes {
    Lanes(bits: bits.replaced(by: other.bits, where: marks))
  }
}

extension Phases {
  @inline(__always)
  func replaced(by other: Phases, where marks: Phases) -> Phases {
    self ^ ((self ^ other) & marks)
  }
}

extension ComplexLanes {
  /// The arguments of the numbers in cycles, -1/2 … 1/2, or 0 for the number 0. The error is below
  /// 2e-7 radians.
  ///
  /// A minimax polynomial computes the arc tangent of numbers up to 1.
  @inline(__always)
  var cycles: Lanes {
    let (x, y) = (re.magnitudes, im.magnitudes)
    let steep = (x - y).signs
    let exchange = (x.bits ^ y.bits) & steep
    let (large, small) = (Lanes(bits: x.bits ^ exchange), Lanes(bits: y.bits ^ exchange))
    let t = small / (large + .leastNormalMagnitude)
    let s = t * t
    var p = s * 0.0010841298 - 0.005348277
    p = ((p * s + 0.012672502) * s - 0.021061521) * s + 0.03152512
    p = (p * s - 0.05302624) * s + 0.15915433
    let eighth = p * t
    let quarter = eighth.replaced(by: 0.25 - eighth, where: steep)
    let half = quarter.replaced(by: 0.5 - quarter, where: re.signs)
    return Lanes(bits: half.bits | (im.bits & 0x8000_0000))
  }

  /// The unit vectors exp (2πi · phase), within 2e-7.
  ///
  /// Each phase is the nearest multiple of a quarter cycle and a remainder. Short polynomials give
  /// the remainder's sine and cosine.
  @inline(__always)
  init(unit phases: Phases) {
    let fromEighth = phases &+ 0x2000_0000
    let quarter = fromEighth &>> 30
    // from that quarter cycle, in quarter cycles, -1/2 … 1/2
    let distance = Lanes(bits: (fromEighth &<< 2) &>> 9 | 0x3f80_0000) - 1.5
    let s = distance * distance
    let sine = (((s * -0.004592289 + 0.079675905) * s - 0.64596295) * s + 1.5707963) * distance
    let cosine = (((s * -0.020408353 + 0.25359863) * s - 1.233697) * s) + 1
    // odd quarters exchange sine and cosine
    let change = (sine.bits ^ cosine.bits) & (Phases.zero &- (quarter & 1))
    // the cosine is negative in the second and third quarters, the sine in the last two
    re = Lanes(bits: (cosine.bits ^ change) ^ ((quarter &+ 1) & 2) &<< 30)
    im = Lanes(bits: (sine.bits ^ change) ^ (quarter & 2) &<< 30)
  }
}
