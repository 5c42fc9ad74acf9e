// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Basic arithmetic, so that every CPU computes the same result.

extension Lanes {
  /// For normal positive numbers, within 1e-6.
  ///
  /// A number is 2^e × m with m from √½ to √2, and log m = 2 artanh ((m - 1) / (m + 1)).
  @inline(__always)
  var binaryLogarithms: Lanes {
    let fromRoot = bits &- Float(0x1.6a09e6p-1).bitPattern
    let exponents = unsafeBitCast(fromRoot, to: SIMD8<Int32>.self) &>> 23
    let shift = unsafeBitCast(exponents, to: SIMD8<UInt32>.self) &<< 23
    let m = Lanes(bits: bits &- shift)
    let s = (m - 1) / (m + 1)
    let q = s * s
    var sum = q * 0.41219858 + 0.57707802
    sum = (sum * q + 0.96179669) * q + 2.8853901
    return sum * s + Lanes(exponents)
  }

  /// 2^x for x from -100 to 100, with a relative error of 1e-6.
  @inline(__always)
  var binaryPowers: Lanes {
    let whole = wholes
    let f = self - whole
    var sum = f * 0.00015403530 + 0.0013333558
    sum = (sum * f + 0.0096181291) * f + 0.0555041087
    sum = (sum * f + 0.2402265070) * f + 0.6931471806
    sum = sum * f + 1
    return Lanes(bits: sum.bits &+ (whole + 0x1.8p23).bits &<< 23)
  }
}
