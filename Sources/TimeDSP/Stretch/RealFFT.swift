// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The forward and inverse discrete Fourier transform of `count` real numbers, a power of two from
/// 64 to 32768.
///
/// A complex transform of half the size takes the even elements as real parts and the odd elements
/// as imaginary parts. Then symmetry separates the result (e.g. Press et al., "Numerical Recipes",
/// 12.3).
struct RealFFT {
  let count: Int
  /// A spectrum has the bins 0 … `half`.
  let half: Int
  private let complex: ComplexFFT
  /// exp (-2πi k / count), k = 0 … half / 2.
  private let twiddles: Spectrum
  /// The input of `forward`: complex number k holds the real numbers 2k and 2k + 1. `inverse`
  /// overwrites it.
  let packed: Spectrum
  private let work: Spectrum

  /// For a spectrum, to process it eight bins at a time.
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

  /// What `inverse` gives, packed like the input of `forward`.
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

  /// To `output`, scaled to undo `forward`. We ignore the imaginary parts of the first and the last
  /// bin.
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
    // the inverse transform: we exchange real and imaginary parts, transform, and exchange them
    // again
    complex.run(Spectrum(re: z.im, im: z.re), Spectrum(re: other.im, im: other.re))
  }

  /// Sixteen real numbers, from the even index `index` on.
  @inline(__always)
  func pack(_ numbers: SIMD16<Float>, _ index: Int) {
    packed.re.put(numbers.evenHalf, index &>> 1)
    packed.im.put(numbers.oddHalf, index &>> 1)
  }

  /// The conjugates of eight numbers from `index` on, in reverse order.
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

  /// There are `lead` more numbers before them.
  init(_ count: Int, lead: Int, _ memory: inout ScratchMemory) {
    let all = Spectrum(count &+ lead, &memory)
    self.init(re: all.re + lead, im: all.im + lead)
  }
}
