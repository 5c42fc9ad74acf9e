// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// We only use sums, products and quotients here, so that every CPU gets the same result. The
// functions in libm differ between C libraries, and round differently with FMA.

/// sin (πx), with an error below 2^-52, for |x| up to 2^49.
func sinPi(_ x: Double) -> Double {
  let halves = rounded(2 * x)
  return sine(of: x - Double(halves) / 2, halfTurnsOn: halves)
}

/// cos (πx), as precise as `sinPi(_:)`, in the same range.
func cosPi(_ x: Double) -> Double {
  let halves = rounded(2 * x)
  return sine(of: x - Double(halves) / 2, halfTurnsOn: halves &+ 1)
}

/// sin (π × (distance + halves / 2)) for `distance` in -1/4 … 1/4, by the Taylor series of sine or
/// cosine. The terms we leave out are below 2^-56.
private func sine(of distance: Double, halfTurnsOn halves: Int64) -> Double {
  let isSine = halves & 1 == 0
  let angle = .pi * distance
  let square = angle * angle
  var sum = 1.0
  var k = isSine ? 16.0 : 17.0
  while k > 0 {
    sum = 1 - sum * square / (k * (k + 1))
    k -= 2
  }
  let value = isSine ? angle * sum : sum
  return halves & 2 == 0 ? value : -value
}

/// 2^`x`, within 2 units in the last place, for |x| up to 1000.
func powerOfTwo(_ x: Double) -> Double {
  let whole = rounded(x)
  let y = (x - Double(whole)) * 0.6931471805599453
  // the Taylor series of the exponential
  var sum = 1.0
  var k = 16.0
  while k > 0 {
    sum = 1 + sum * y / k
    k -= 1
  }
  return sum * Double(bitPattern: UInt64(bitPattern: 1023 &+ whole) &<< 52)
}
