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
  private let twiddles: Row<Float>
  private let rows: Row<Float>

  private typealias Four = (ComplexLanes, ComplexLanes, ComplexLanes, ComplexLanes)

  init(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.count = count
    // first two passes: 6 × (count / 4) numbers each, and all later passes together: fewer than
    // 6 × (count / 8)
    twiddles = try memory.row(6 &* (count &>> 2 &* 2 &+ count &>> 3))
    rows = try memory.row(32)
    compute()
  }

  private func compute() {
    var (length, factors, stride) = (count, 0, 1)
    while length > 4 {
      let parts = length &>> 2
      let copies = stride == 4 ? 4 : 1
      let row = stride <= 4 ? 8 : parts
      for index in upTo(parts &* copies) {
        let halfCycles = -2 * Double(copies == 4 ? index &>> 2 : index) / Double(length)
        // the number of parts is a power of two
        let column = index & (row &- 1)
        let first = factors &+ 6 &* (index &- column) &+ column
        for power in upTo(3) {
          let angle = halfCycles * Double(power &+ 1)
          twiddles[first &+ 2 &* power &* row] = Float(cosPi(angle))
          twiddles[first &+ (2 &* power &+ 1) &* row] = Float(sinPi(angle))
        }
      }
      factors &+= 6 &* parts &* copies
      length = parts
      stride = stride &* 4
    }
  }

  fileprivate var endsInFirst: Bool { ((count.trailingZeroBitCount &+ 1) &>> 1) & 1 == 0 }

  /// Transforms `first`, using `second` as scratch memory. The result ends up in one or the other
  /// (`endsInFirst`).
  func run(_ first: Spectrum, _ second: Spectrum) {
    var (from, to) = (first, second)
    firstPass(from, to)
    swap(&from, &to)
    var (length, stride, factors) = (count &>> 2, 4, 6 &* (count &>> 2))
    while length > 4 {
      if stride == 4 { secondPass(from, to, factors) } else { pass(from, to, stride, factors) }
      factors &+= 6 &* (stride == 4 ? count &>> 2 : length &>> 2)
      swap(&from, &to)
      length = length &>> 2
      stride = stride &* 4
    }
    if length == 4 { lastPassOfFour(from, to) } else { lastPassOfTwo(from, to) }
  }

  /// Eight butterflies. Their numbers are a quarter apart.
  @inline(__always)
  private func butterflies(_ from: Spectrum, _ index: Int) -> Four {
    let quarter = count &>> 2
    let (a, b) = (from[eight: index], from[eight: index &+ quarter])
    let (c, d) = (from[eight: index &+ 2 &* quarter], from[eight: index &+ 3 &* quarter])
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    // difference ∓ i × other
    let second = ComplexLanes(difference.re + other.im, difference.im - other.re)
    let fourth = ComplexLanes(difference.re - other.im, difference.im + other.re)
    return (sum + otherSum, second, sum - otherSum, fourth)
  }

  /// The same, multiplied by the factors of the first two passes.
  @inline(__always)
  private func butterflies(_ from: Spectrum, _ index: Int, by factors: Int) -> Four {
    let (y0, y1, y2, y3) = butterflies(from, index)
    return (y0, y1 * eight(factors), y2 * eight(factors &+ 16), y3 * eight(factors &+ 32))
  }

  @inline(__always)
  private func eight(_ factors: Int) -> ComplexLanes {
    ComplexLanes(twiddles[eight: factors], twiddles[eight: factors &+ 8])
  }

  /// The stride is 1, so the results of eight butterflies are interleaved.
  private func firstPass(_ from: Spectrum, _ to: Spectrum) {
    for part in upTo(count &>> 2, by: 8) {
      let (z0, z1, z2, z3) = butterflies(from, part, by: 6 &* part)
      weave(z0.re, z1.re, z2.re, z3.re, to.re.address(4 &* part, 32))
      weave(z0.im, z1.im, z2.im, z3.im, to.im.address(4 &* part, 32))
    }
  }

  /// Interleaves the lanes: `a[0]`, `b[0]`, `c[0]`, `d[0]`, `a[1]`, ….
  @inline(__always)
  private func weave(
    _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ target: UnsafeMutablePointer<Float>
  ) {
    rows[eight: 0] = a
    rows[eight: 8] = b
    rows[eight: 16] = c
    rows[eight: 24] = d
    timedsp_weave(rows.address(0, 32), target)
  }

  /// The stride is 4, so the first four of eight numbers have different twiddle factors from the
  /// last four.
  private func secondPass(_ from: Spectrum, _ to: Spectrum, _ factors: Int) {
    for index in upTo(count &>> 2, by: 8) {
      let (z0, z1, z2, z3) = butterflies(from, index, by: factors &+ 6 &* index)
      let offset = 4 &* index
      split(z0, to, offset)
      split(z1, to, offset &+ 4)
      split(z2, to, offset &+ 8)
      split(z3, to, offset &+ 12)
    }
  }

  /// The first four numbers go to `offset`, and the last four to `offset` + 16.
  @inline(__always)
  private func split(_ numbers: ComplexLanes, _ to: Spectrum, _ offset: Int) {
    to.re[four: offset] = numbers.re.lowHalf
    to.re[four: offset &+ 16] = numbers.re.highHalf
    to.im[four: offset] = numbers.im.lowHalf
    to.im[four: offset &+ 16] = numbers.im.highHalf
  }

  /// Runs one of the later passes, but not the last. The stride is 16 or more.
  private func pass(_ from: Spectrum, _ to: Spectrum, _ stride: Int, _ factors: Int) {
    let parts = (count &>> 2) &>> stride.trailingZeroBitCount
    for part in upTo(parts) {
      let first = factors &+ part
      let w1 = twiddle(first, parts)
      let w2 = twiddle(first &+ 2 &* parts, parts)
      let w3 = twiddle(first &+ 4 &* parts, parts)
      let start = part &* stride
      for index in upTo(start &+ stride, from: start, by: 8) {
        let (y0, y1, y2, y3) = butterflies(from, index)
        let offset = 3 &* start &+ index
        to[eight: offset] = y0
        to[eight: offset &+ stride] = y1 * w1
        to[eight: offset &+ 2 &* stride] = y2 * w2
        to[eight: offset &+ 3 &* stride] = y3 * w3
      }
    }
  }

  @inline(__always)
  private func twiddle(_ factors: Int, _ parts: Int) -> ComplexLanes {
    ComplexLanes(
      Lanes(repeating: twiddles[factors]), Lanes(repeating: twiddles[factors &+ parts]))
  }

  private func lastPassOfFour(_ from: Spectrum, _ to: Spectrum) {
    let quarter = count &>> 2
    for index in upTo(quarter, by: 8) {
      let (y0, y1, y2, y3) = butterflies(from, index)
      to[eight: index] = y0
      to[eight: index &+ quarter] = y1
      to[eight: index &+ 2 &* quarter] = y2
      to[eight: index &+ 3 &* quarter] = y3
    }
  }

  private func lastPassOfTwo(_ from: Spectrum, _ to: Spectrum) {
    let half = count &>> 1
    for index in upTo(half, by: 8) {
      let (a, b) = (from[eight: index], from[eight: index &+ half])
      to[eight: index] = a + b
      to[eight: index &+ half] = a - b
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

  init(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.count = count
    half = count &>> 1
    complex = try ComplexFFT(half, &memory)
    twiddles = try Spectrum(half &>> 1 &+ 8, &memory)
    packed = try Spectrum(half &+ 8, &memory)
    work = try Spectrum(half &+ 8, &memory)
    for index in upTo(half &>> 1 &+ 8) {
      let halfCycles = -2 * Double(index) / Double(count)
      twiddles.re[index] = Float(cosPi(halfCycles))
      twiddles.im[index] = Float(sinPi(halfCycles))
    }
  }

  /// The result of `inverse`, packed like the input of `forward`.
  var output: Spectrum { complex.endsInFirst ? packed : work }

  /// A real number of the result of `inverse`.
  func number(_ index: Int) -> Float {
    index & 1 == 0 ? output.re[index &>> 1] : output.im[index &>> 1]
  }

  /// Transforms `packed`: result[k] = Σ x[n] exp (-2πi k n / count).
  func forward(_ result: Spectrum) {
    complex.run(packed, work)
    let (z, middle) = (output, half &>> 1)
    let (first, firstIm) = (z.re[0], z.im[0])
    for start in upTo(middle, from: 1, by: 8) {
      // the last eight numbers overlap the previous eight
      let low = min(start, middle &- 8)
      let high = half &- low &- 7
      let (a, b) = (z[eight: low], mirrored(z, high))
      let even = a + b
      let odd = ComplexLanes(a.im - b.im, b.re - a.re) * twiddles[eight: low]
      let (upper, lower) = (even + odd, even - odd)
      result[eight: low] = ComplexLanes(upper.re * 0.5, upper.im * 0.5)
      result[eight: high] = ComplexLanes((lower.re * 0.5).reversed, (lower.im * -0.5).reversed)
    }
    result.re[middle] = z.re[middle]
    result.im[middle] = -z.im[middle]
    result.re[0] = first + firstIm
    result.im[0] = 0
    result.re[half] = first - firstIm
    result.im[half] = 0
    result.clear(from: half &+ 1, to: room)
  }

  /// Transforms back to `output`, scaled so that it undoes `forward`. We ignore the imaginary parts
  /// of the first and last bins.
  func inverse(_ spectrum: Spectrum) {
    let (scale, middle) = (1 / Float(count), half &>> 1)
    for start in upTo(middle, from: 1, by: 8) {
      let low = min(start, middle &- 8)
      let high = half &- low &- 7
      let (a, b) = (spectrum[eight: low], mirrored(spectrum, high))
      let even = ComplexLanes((a.re + b.re) * scale, (a.im + b.im) * scale)
      let w = twiddles[eight: low]
      let difference = ComplexLanes((a.re - b.re) * scale, (a.im - b.im) * scale)
      let odd = (difference * ComplexLanes(w.re, Lanes.zero - w.im)).rotated
      packed[eight: low] = even + odd
      let lower = even - odd
      packed[eight: high] = ComplexLanes(lower.re.reversed, (Lanes.zero - lower.im).reversed)
    }
    packed.re[middle] = spectrum.re[middle] * 2 * scale
    packed.im[middle] = spectrum.im[middle] * -2 * scale
    packed.re[0] = (spectrum.re[0] + spectrum.re[half]) * scale
    packed.im[0] = (spectrum.re[0] - spectrum.re[half]) * scale
    // for the inverse transform, we swap real and imaginary parts, transform, and swap them back
    complex.run(Spectrum(re: packed.im, im: packed.re), Spectrum(re: work.im, im: work.re))
  }

  /// Stores sixteen real numbers, starting at the even index `index`.
  @inline(__always)
  func pack(_ numbers: SIMD16<Float>, _ index: Int) {
    packed[eight: index &>> 1] = ComplexLanes(numbers.evenHalf, numbers.oddHalf)
  }

  /// The conjugates of the eight numbers starting at `index`, in reverse order.
  @inline(__always)
  private func mirrored(_ numbers: Spectrum, _ index: Int) -> ComplexLanes {
    ComplexLanes(
      numbers.re[eight: index].reversed, Lanes.zero - numbers.im[eight: index].reversed)
  }
}

/// Finds the pitch of a sound by autocorrelation, computed from the powers of its bins up to 4 kHz.
/// If it has a pitch, there are peaks at multiples of its period.
struct Autocorrelation {
  /// It has just enough points for `bins`.
  private let fft: RealFFT
  /// The bins from 60 Hz to 4 kHz.
  let bins: Range<Int>
  /// Set the powers of `bins` before you call `findPitch`. The imaginary parts are 0.
  let powers: Spectrum
  private let lags: Range<Int>
  /// 1 / the window's autocorrelation, by lag (Boersma, "Accurate short-term analysis of the
  /// fundamental frequency", 1993). Without them, peaks at long lags would be too low.
  private let weights: Row<Float>

  /// Relative to the highest peak. We take the first peak that's high enough as the period, because
  /// later ones may be multiples of it.
  private static let minOfHighest: Float = 0.92
  /// A partial's min power relative to the loudest bin: -40 dB.
  static let minOfLoudest: Float = 1e-4
  /// A partial's min power relative to the midpoint between two partials.
  private static let minOfMiddle: Float = 2

  /// The powers are those of a spectrum of `points` points, with a Hann window of `window` frames.
  /// The pitch is from 70 to `highest` Hz.
  init(
    points: Int, window: Int, rate: Int, highest: Double, _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    let binHz = Double(rate) / Double(points)
    bins = Range(
      uncheckedBounds: (nearestIndex(60 / binHz), min(nearestIndex(4000 / binHz), points &>> 1)))
    var count = 64
    while count < 2 &* bins.upperBound { count = count &* 2 }
    fft = try RealFFT(count, &memory)
    powers = try Spectrum(fft.room, &memory)
    let lagRate = binHz * Double(count)
    let longest = min(nearestIndex(lagRate / 70), fft.half &- 2)
    let shortest = max(nearestIndex(lagRate / highest), 1)
    lags = Range(uncheckedBounds: (min(shortest, longest), longest))
    weights = try memory.row(fft.half &+ 1)
    let all = Double(points) / Double(window)
    for lag in upTo(weights.count) {
      let distance = all * Double(lag) / Double(count)
      // it's circular, like the sound's
      let correlation =
        StretchWindow.correlation(distance) + StretchWindow.correlation(all - distance)
      weights[lag] = Float(1 / max(correlation, 1e-3))
    }
  }

  /// The sum of all powers, once you've called `findPitch`.
  var total: Float { fft.number(0) * Float(fft.count) }

  /// The spacing of the partials in bins. The sound must correlate with itself one period later by
  /// more than `least`. `isHarmonic` is set if at least `needed` of the first `orders` partials are
  /// present.
  func findPitch(
    above least: Float, _ needed: Int, of orders: Int
  ) -> (spacing: Float, isHarmonic: Bool)? {
    fft.inverse(powers)
    guard let period = period(above: least * value(0)) else { return nil }
    let spacing = Float(fft.count) / period
    return (spacing, hasPartials(needed, of: orders, spacing: spacing))
  }

  private func value(_ lag: Int) -> Float { fft.number(lag) * weights[lag] }

  /// The period in samples, which may be between two lags. `nil` unless the highest value is above
  /// `least`.
  private func period(above least: Float) -> Float? {
    var highest: Float = 0
    for lag in upTo(lags) { highest = max(highest, value(lag)) }
    guard highest > least else { return nil }
    for lag in upTo(lags) {
      let height = value(lag)
      if height >= Self.minOfHighest * highest, height >= value(lag &- 1),
        height >= value(lag &+ 1)
      {
        return Float(lag) + bend(lag)
      }
    }
    return nil
  }

  /// A peak's offset from `lag`, -1/2 … 1/2, from the parabola through three values.
  private func bend(_ lag: Int) -> Float {
    let (low, middle, high) = (value(lag &- 1), value(lag), value(lag &+ 1))
    let bend = low - 2 * middle + high
    return bend < 0 ? min(max(0.5 * (low - high) / bend, -0.5), 0.5) : 0
  }

  /// True if at least `needed` of the first `orders` multiples of `spacing` bins are peaks.
  private func hasPartials(_ needed: Int, of orders: Int, spacing: Float) -> Bool {
    let powers = powers.re
    let loudest = powers.highest(from: Float(bins.lowerBound), to: Float(bins.upperBound &- 1))
    var found = 0
    for order in upTo(orders &+ 1, from: 1) {
      let middle = Float(order) * spacing
      guard found < needed, middle + spacing / 2 < Float(bins.upperBound) else { break }
      let between = max(
        powers[nearestIndex(middle - spacing / 2)], powers[nearestIndex(middle + spacing / 2)])
      let height = powers.highest(from: middle - spacing / 4, to: middle + spacing / 4)
      if height > Self.minOfMiddle * between, height > Self.minOfLoudest * loudest { found &+= 1 }
    }
    return found >= needed
  }
}

extension Row<Float> {
  /// The highest number at the indices nearest to `first` … `last`, or 0 if it's below that.
  func highest(from first: Float, to last: Float) -> Float {
    var highest: Float = 0
    for index in upTo(nearestIndex(last) &+ 1, from: nearestIndex(first)) {
      highest = max(highest, self[index])
    }
    return highest
  }
}

func nearestIndex(_ value: Double) -> Int { Int(truncatingIfNeeded: rounded(value)) }

func nearestIndex(_ value: Float) -> Int { nearestIndex(Double(value)) }
