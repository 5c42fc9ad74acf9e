// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The discrete Fourier transform of `count` complex numbers, a power of two from 32 to 16384.
///
/// This is a radix-4 Stockham transform (Van Loan, "Computational Frameworks for the Fast Fourier
/// Transform", 1992, section 1.7). Each pass reads one array, and writes the other in the order
/// that the next pass needs. In a pass, `stride` successive numbers share their twiddle factors,
/// and we process eight at a time. In the first two passes, `stride` is below eight, so not all
/// eight share them.
struct ComplexFFT {
  let count: Int
  /// The twiddle factors w, w² and w³ of each pass except the last. For a step of the first two
  /// passes, there are six rows of eight numbers: the real parts of w, the imaginary parts of w,
  /// and so on. In the second pass, each factor comes four times. Each later pass has six longer
  /// rows: the real parts of all w, and so on.
  private let twiddles: UnsafeMutablePointer<Float>
  private let rows: UnsafeMutablePointer<Float>

  init(_ count: Int, _ memory: inout ScratchMemory, computing: Bool) {
    self.count = count
    // first two passes: 6 × (count / 4) numbers each, and all later passes together: fewer than
    // 6 × (count / 8)
    twiddles = memory.allocate(Float.self, 6 &* (count &>> 2 &* 2 &+ count &>> 3))
    rows = memory.allocate(Float.self, 32)
    if computing { compute() }
  }

  private func compute() {
    var (length, factors, stride) = (count, twiddles, 1)
    while length > 4 {
      let parts = length &>> 2
      let copies = stride == 4 ? 4 : 1
      let row = stride <= 4 ? 8 : parts
      var index = 0
      while index < parts &* copies {
        let halfCycles = -2 * Double(copies == 4 ? index &>> 2 : index) / Double(length)
        // the number of parts is a power of two
        let column = index & (row &- 1)
        let first = factors + (6 &* (index &- column) &+ column)
        var power = 1
        while power <= 3 {
          first[(2 &* power &- 2) &* row] = Float(cosPi(halfCycles * Double(power)))
          first[(2 &* power &- 1) &* row] = Float(sinPi(halfCycles * Double(power)))
          power &+= 1
        }
        index &+= 1
      }
      factors += 6 &* parts &* copies
      length = parts
      stride = stride &* 4
    }
  }

  var endsInFirst: Bool {
    var (length, passes) = (count, 0)
    while length > 1 {
      length = length &>> 2
      passes &+= 1
    }
    return passes & 1 == 0
  }

  /// Transforms `first`, with `second` as scratch memory. Only one of them holds the result then
  /// (`endsInFirst`).
  func run(_ first: Spectrum, _ second: Spectrum) {
    var (from, to) = (first, second)
    var factors = twiddles
    firstPass(from, to, factors)
    factors += 6 &* (count &>> 2)
    swap(&from, &to)
    var (length, stride) = (count &>> 2, 4)
    if length > 4 {
      secondPass(from, to, factors)
      factors += 6 &* (count &>> 2)
      swap(&from, &to)
      length = length &>> 2
      stride = 16
    }
    while length > 4 {
      pass(from, to, length, stride, factors)
      factors += 6 &* (length &>> 2)
      swap(&from, &to)
      length = length &>> 2
      stride = stride &* 4
    }
    if length == 4 { lastPassOfFour(from, to) } else { lastPassOfTwo(from, to) }
  }

  @inline(__always)
  private func butterfly(
    _ a: ComplexLanes, _ b: ComplexLanes, _ c: ComplexLanes, _ d: ComplexLanes
  ) -> (ComplexLanes, ComplexLanes, ComplexLanes, ComplexLanes) {
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    // difference ∓ i × other
    let second = ComplexLanes(difference.re + other.im, difference.im - other.re)
    let fourth = ComplexLanes(difference.re - other.im, difference.im + other.re)
    return (sum + otherSum, second, sum - otherSum, fourth)
  }

  @inline(__always)
  private func multiply(
    _ numbers: (ComplexLanes, ComplexLanes, ComplexLanes),
    by factors: UnsafeMutablePointer<Float>
  ) -> (ComplexLanes, ComplexLanes, ComplexLanes) {
    (
      numbers.0 * ComplexLanes(factors.lanes(0), factors.lanes(8)),
      numbers.1 * ComplexLanes(factors.lanes(16), factors.lanes(24)),
      numbers.2 * ComplexLanes(factors.lanes(32), factors.lanes(40))
    )
  }

  /// With stride 1, the results of eight butterflies are interleaved.
  private func firstPass(
    _ from: Spectrum, _ to: Spectrum, _ twiddles: UnsafeMutablePointer<Float>
  ) {
    let quarter = count &>> 2
    for part in upTo(quarter, by: 8) {
      let (y0, y1, y2, y3) = butterfly(
        ComplexLanes(from, part), ComplexLanes(from, part &+ quarter),
        ComplexLanes(from, part &+ 2 &* quarter), ComplexLanes(from, part &+ 3 &* quarter))
      let (z1, z2, z3) = multiply((y1, y2, y3), by: twiddles + 6 &* part)
      weave(y0.re, z1.re, z2.re, z3.re, to.re + 4 &* part)
      weave(y0.im, z1.im, z2.im, z3.im, to.im + 4 &* part)
    }
  }

  /// Interleaves the lanes: `a[0]`, `b[0]`, `c[0]`, `d[0]`, `a[1]`, ….
  @inline(__always)
  private func weave(
    _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ target: UnsafeMutablePointer<Float>
  ) {
    rows.put(a, 0)
    rows.put(b, 8)
    rows.put(c, 16)
    rows.put(d, 24)
    timedsp_weave(rows, target)
  }

  /// With stride 4, the first four of eight numbers have other twiddle factors than the last four.
  private func secondPass(
    _ from: Spectrum, _ to: Spectrum, _ twiddles: UnsafeMutablePointer<Float>
  ) {
    let quarter = count &>> 2
    for index in upTo(quarter, by: 8) {
      let (y0, y1, y2, y3) = butterfly(
        ComplexLanes(from, index), ComplexLanes(from, index &+ quarter),
        ComplexLanes(from, index &+ 2 &* quarter), ComplexLanes(from, index &+ 3 &* quarter))
      let (z1, z2, z3) = multiply((y1, y2, y3), by: twiddles + 6 &* index)
      let offset = 4 &* index
      split(y0, to, offset)
      split(z1, to, offset &+ 4)
      split(z2, to, offset &+ 8)
      split(z3, to, offset &+ 12)
    }
  }

  /// The first four numbers go to `offset`, and the last four to `offset` + 16.
  @inline(__always)
  private func split(_ numbers: ComplexLanes, _ to: Spectrum, _ offset: Int) {
    to.re.put(numbers.re.lowHalf, offset)
    to.re.put(numbers.re.highHalf, offset &+ 16)
    to.im.put(numbers.im.lowHalf, offset)
    to.im.put(numbers.im.highHalf, offset &+ 16)
  }

  /// Later passes, except the last, have a stride of 16 or more.
  private func pass(
    _ from: Spectrum, _ to: Spectrum, _ length: Int, _ stride: Int,
    _ twiddles: UnsafeMutablePointer<Float>
  ) {
    let parts = length &>> 2
    let quarter = count &>> 2
    for part in upTo(parts) {
      let w1 = twiddle(twiddles + part, parts)
      let w2 = twiddle(twiddles + (part &+ 2 &* parts), parts)
      let w3 = twiddle(twiddles + (part &+ 4 &* parts), parts)
      var index = part &* stride
      var offset = 4 &* index
      let end = index &+ stride
      while index < end {
        let (y0, y1, y2, y3) = butterfly(
          ComplexLanes(from, index), ComplexLanes(from, index &+ quarter),
          ComplexLanes(from, index &+ 2 &* quarter), ComplexLanes(from, index &+ 3 &* quarter))
        y0.store(to, offset)
        (y1 * w1).store(to, offset &+ stride)
        (y2 * w2).store(to, offset &+ 2 &* stride)
        (y3 * w3).store(to, offset &+ 3 &* stride)
        index &+= 8
        offset &+= 8
      }
    }
  }

  @inline(__always)
  private func twiddle(_ factors: UnsafeMutablePointer<Float>, _ parts: Int) -> ComplexLanes {
    ComplexLanes(Lanes(repeating: factors[0]), Lanes(repeating: factors[parts]))
  }

  private func lastPassOfFour(_ from: Spectrum, _ to: Spectrum) {
    let quarter = count &>> 2
    for index in upTo(quarter, by: 8) {
      let (y0, y1, y2, y3) = butterfly(
        ComplexLanes(from, index), ComplexLanes(from, index &+ quarter),
        ComplexLanes(from, index &+ 2 &* quarter), ComplexLanes(from, index &+ 3 &* quarter))
      y0.store(to, index)
      y1.store(to, index &+ quarter)
      y2.store(to, index &+ 2 &* quarter)
      y3.store(to, index &+ 3 &* quarter)
    }
  }

  private func lastPassOfTwo(_ from: Spectrum, _ to: Spectrum) {
    let half = count &>> 1
    for index in upTo(half, by: 8) {
      let (a, b) = (ComplexLanes(from, index), ComplexLanes(from, index &+ half))
      (a + b).store(to, index)
      (a - b).store(to, index &+ half)
    }
  }
}
