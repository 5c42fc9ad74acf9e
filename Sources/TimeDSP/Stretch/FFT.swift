// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The discrete Fourier transform of `count` complex numbers. `count` must be a power of two from 32
/// to 16384.
///
/// This is a radix-4 Stockham transform (Van Loan, "Computational Frameworks for the Fast Fourier
/// Transform", 1992, section 1.7). Each pass reads one array, and writes the other in the order
/// that the next pass needs. Within a pass, `stride` successive numbers share their twiddle
/// factors, and we process eight numbers at a time. In the first two passes, `stride` is below
/// eight, so not all eight share them.
struct ComplexFFT {
  let count: Int
  /// The twiddle factors w, w² and w³ of each pass except the last. Each step of the first two
  /// passes has six rows of eight numbers: the real parts of w, the imaginary parts of w, and so
  /// on. In the second pass, each factor is repeated four times. Each later pass has six longer
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

  fileprivate var endsInFirst: Bool {
    var (length, passes) = (count, 0)
    while length > 1 {
      length = length &>> 2
      passes &+= 1
    }
    return passes & 1 == 0
  }

  /// Transforms `first`, using `second` as scratch memory. The result ends up in one or the other
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

  /// The stride is 1, so the results of eight butterflies are interleaved.
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

  /// The stride is 4, so the first four of eight numbers have different twiddle factors from the
  /// last four.
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

  /// Runs one of the later passes, but not the last. The stride is 16 or more.
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

/// The forward and inverse discrete Fourier transform of `count` real numbers, a power of two from
/// 64 to 32768.
///
/// We run a complex transform of half the size, with the even elements as real parts and the odd
/// elements as imaginary parts, and then use symmetry to separate the result (e.g. Press et al.,
/// "Numerical Recipes", 12.3).
struct RealFFT {
  let count: Int
  /// The bins of a spectrum are numbered from 0 to `half`.
  let half: Int
  private let complex: ComplexFFT
  /// exp (-2πi k / count), k = 0 … half / 2.
  private let twiddles: Spectrum
  /// The input of `forward`: complex number k holds the real numbers 2k and 2k + 1. `inverse`
  /// overwrites it.
  let packed: Spectrum
  private let work: Spectrum

  /// The size of a spectrum's arrays, with padding so that we can process eight bins at a time.
  var room: Int { half &+ 8 }

  init(_ count: Int, _ memory: inout ScratchMemory, computing: Bool) {
    self.count = count
    half = count &>> 1
    complex = ComplexFFT(half, &memory, computing: computing)
    twiddles = Spectrum(half &>> 1 &+ 8, &memory)
    packed = Spectrum(half &+ 8, &memory)
    work = Spectrum(half &+ 8, &memory)
    guard computing else { return }
    var index = 0
    while index < half &>> 1 &+ 8 {
      let halfCycles = -2 * Double(index) / Double(count)
      twiddles.re[index] = Float(cosPi(halfCycles))
      twiddles.im[index] = Float(sinPi(halfCycles))
      index &+= 1
    }
  }

  /// The result of `inverse`, packed like the input of `forward`.
  var output: Spectrum { complex.endsInFirst ? packed : work }

  /// Transforms `packed`: result[k] = Σ x[n] exp (-2πi k n / count).
  func forward(_ result: Spectrum) {
    complex.run(packed, work)
    let z = complex.endsInFirst ? packed : work
    let (first, firstIm) = (z.re[0], z.im[0])
    var low = 1
    while low < half &>> 1 {
      // the last eight numbers overlap the previous eight
      low = min(low, half &>> 1 &- 8)
      let high = half &- low &- 7
      let (a, b) = (ComplexLanes(z, low), mirrored(z, high))
      let even = ComplexLanes(a.re + b.re, a.im + b.im)
      let odd = ComplexLanes(a.im - b.im, b.re - a.re) * ComplexLanes(twiddles, low)
      let (upper, lower) = (even + odd, even - odd)
      ComplexLanes(upper.re * 0.5, upper.im * 0.5).store(result, low)
      result.re.put((lower.re * 0.5).reversed, high)
      result.im.put((lower.im * -0.5).reversed, high)
      low &+= 8
    }
    result.re[half &>> 1] = z.re[half &>> 1]
    result.im[half &>> 1] = -z.im[half &>> 1]
    result.re[0] = first + firstIm
    result.im[0] = 0
    result.re[half] = first - firstIm
    result.im[half] = 0
    clearEnd(result)
  }

  /// Transforms back to `output`, scaled so that it undoes `forward`. We ignore the imaginary parts
  /// of the first and last bins.
  func inverse(_ spectrum: Spectrum) {
    let scale = 1 / Float(count)
    let (z, other) = (packed, work)
    var low = 1
    while low < half &>> 1 {
      low = min(low, half &>> 1 &- 8)
      let high = half &- low &- 7
      let (a, b) = (ComplexLanes(spectrum, low), mirrored(spectrum, high))
      let even = ComplexLanes((a.re + b.re) * scale, (a.im + b.im) * scale)
      let w = ComplexLanes(twiddles, low)
      let difference = ComplexLanes((a.re - b.re) * scale, (a.im - b.im) * scale)
      let odd = (difference * ComplexLanes(w.re, Lanes.zero - w.im)).rotated
      (even + odd).store(z, low)
      let lower = even - odd
      z.re.put(lower.re.reversed, high)
      z.im.put((Lanes.zero - lower.im).reversed, high)
      low &+= 8
    }
    z.re[half &>> 1] = spectrum.re[half &>> 1] * 2 * scale
    z.im[half &>> 1] = spectrum.im[half &>> 1] * -2 * scale
    z.re[0] = (spectrum.re[0] + spectrum.re[half]) * scale
    z.im[0] = (spectrum.re[0] - spectrum.re[half]) * scale
    // for the inverse transform, we swap real and imaginary parts, transform, and swap them back
    complex.run(Spectrum(re: z.im, im: z.re), Spectrum(re: other.im, im: other.re))
  }

  /// Stores sixteen real numbers, starting at the even index `index`.
  @inline(__always)
  func pack(_ numbers: SIMD16<Float>, _ index: Int) {
    packed.re.put(numbers.evenHalf, index &>> 1)
    packed.im.put(numbers.oddHalf, index &>> 1)
  }

  /// The conjugates of the eight numbers starting at `index`, in reverse order.
  @inline(__always)
  private func mirrored(_ numbers: Spectrum, _ index: Int) -> ComplexLanes {
    ComplexLanes(
      numbers.re.lanes(index).reversed, Lanes.zero - numbers.im.lanes(index).reversed)
  }

  private func clearEnd(_ spectrum: Spectrum) {
    for index in upTo(room, from: half &+ 1) {
      spectrum.re[index] = 0
      spectrum.im[index] = 0
    }
  }
}

extension Spectrum {
  init(_ count: Int, _ memory: inout ScratchMemory) {
    self.init(re: memory.allocate(Float.self, count), im: memory.allocate(Float.self, count))
  }

  /// Allocates `lead` more numbers before them.
  init(_ count: Int, lead: Int, _ memory: inout ScratchMemory) {
    let all = Spectrum(count &+ lead, &memory)
    self.init(re: all.re + lead, im: all.im + lead)
  }
}

/// The autocorrelation of a sound, as just computed from powers by `RealFFT.inverse`. If the sound
/// has a pitch, there are peaks at multiples of its period.
struct Autocorrelation {
  let fft: RealFFT
  let lags: Range<Int>
  /// 1 / the window's autocorrelation, by lag. Without them, peaks at long lags would be too low.
  let weights: UnsafeMutablePointer<Float>

  /// Relative to the highest peak. We take the first peak that's high enough as the period, because
  /// later ones may be multiples of it.
  private static let minOfHighest: Float = 0.92

  func value(_ lag: Int) -> Float {
    let output = fft.output
    return (lag & 1 == 0 ? output.re[lag &>> 1] : output.im[lag &>> 1]) * weights[lag]
  }

  /// The period in samples, which may be between two lags. `nil` unless the highest value is above
  /// `least`.
  func period(above least: Float) -> Float? {
    var highest: Float = 0
    for lag in upTo(lags.upperBound, from: lags.lowerBound) {
      highest = max(highest, value(lag))
    }
    guard highest > least else { return nil }
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      let height = value(lag)
      if height >= Self.minOfHighest * highest, height >= value(lag &- 1),
        height >= value(lag &+ 1)
      {
        return Float(lag) + bend(lag)
      }
      lag &+= 1
    }
    return nil
  }

  /// A peak's offset from `lag`, -1/2 … 1/2, from the parabola through three values.
  private func bend(_ lag: Int) -> Float {
    let (low, middle, high) = (value(lag &- 1), value(lag), value(lag &+ 1))
    let bend = low - 2 * middle + high
    return bend < 0 ? min(max(0.5 * (low - high) / bend, -0.5), 0.5) : 0
  }
}
