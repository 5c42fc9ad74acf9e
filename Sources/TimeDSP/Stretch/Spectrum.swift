// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Eight numbers at once. The results don't depend on the CPU's vector width, because every lane is
/// computed in the same way, and hot loops never sum lanes.
typealias Lanes = SIMD8<Float>

extension Lanes {
  @inline(__always)
  var bits: SIMD8<UInt32> { unsafeBitCast(self, to: SIMD8<UInt32>.self) }

  @inline(__always)
  init(bits: SIMD8<UInt32>) { self = unsafeBitCast(bits, to: Lanes.self) }

  @inline(__always)
  var magnitudes: Lanes { Lanes(bits: bits & 0x7fff_ffff) }

  /// Replaces a number by 0 if its square would be subnormal, because those are slow.
  @inline(__always)
  var squarable: Lanes {
    let under = Lanes(bits: magnitudes.bits &- Float(0x1p-63).bitPattern)
    return Lanes(bits: bits & ~under.signs)
  }

  /// We shuffle the lanes as integers. If we shuffled floats, the compiler would compute the
  /// preceding sums lane by lane.
  @inline(__always)
  var reversed: Lanes {
    let b = bits
    return Lanes(bits: SIMD8<UInt32>(b[7], b[6], b[5], b[4], b[3], b[2], b[1], b[0]))
  }

  @inline(__always)
  func interleaved(_ other: Lanes) -> SIMD16<Float> {
    let (a, b) = (bits, other.bits)
    var both = SIMD16<UInt32>()
    both.evenHalf = a
    both.oddHalf = b
    return unsafeBitCast(both, to: SIMD16<Float>.self)
  }
}

/// Complex numbers, with real and imaginary parts in separate arrays. There are 16 zeros before and
/// after them, so that you can read neighbours.
struct Spectrum: BitwiseCopyable {
  let re: Row<Float>
  let im: Row<Float>

  subscript(eight index: Int) -> ComplexLanes {
    @inline(__always) get { ComplexLanes(re[eight: index], im[eight: index]) }
    @inline(__always) nonmutating set {
      re[eight: index] = newValue.re
      im[eight: index] = newValue.im
    }
  }

  func clear(from start: Int = 0, to end: Int) {
    re.fill(0, from: start, to: end)
    im.fill(0, from: start, to: end)
  }
}

extension Spectrum {
  init(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.init(re: try memory.row(count &+ 16, lead: 16), im: try memory.row(count &+ 16, lead: 16))
  }
}

struct ComplexLanes {
  var re: Lanes
  var im: Lanes

  @inline(__always)
  init(_ re: Lanes, _ im: Lanes) {
    self.re = re
    self.im = im
  }

  @inline(__always)
  static func + (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re + b.re, a.im + b.im)
  }

  @inline(__always)
  static func += (a: inout ComplexLanes, b: ComplexLanes) { a = a + b }

  @inline(__always)
  static func - (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re - b.re, a.im - b.im)
  }

  @inline(__always)
  static func * (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
  }

  /// a × conj b.
  @inline(__always)
  func timesConjugate(_ b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(re * b.re + im * b.im, im * b.re - re * b.im)
  }

  /// i × self.
  @inline(__always)
  var rotated: ComplexLanes { ComplexLanes(Lanes.zero - im, re) }

  @inline(__always)
  var squarable: ComplexLanes { ComplexLanes(re.squarable, im.squarable) }

  /// |self|².
  @inline(__always)
  var power: Lanes { re * re + im * im }
}

// We stick to basic arithmetic, so that every CPU gets the same result.

extension Lanes {
  /// Base-2 logarithms of normal positive numbers, with an error below 1e-6.
  ///
  /// We write a number as 2^e × m with m from √½ to √2, and use log m = 2 artanh ((m - 1) / (m +
  /// 1)).
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

/// Measures the spectra of all guide channels (`StretchHistory`) around an input frame, one channel per
/// call, to spread the work over several calls.
struct GuideSpectra {
  let window: StretchWindow
  let fft: RealFFT
  /// The spectrum of the channel that `measureNext` measured last.
  let spectrum: Spectrum
  private var middle: Int64 = .min
  private var measured = 0

  init(_ window: StretchWindow, points: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.window = window
    fft = try RealFFT(points, &memory)
    spectrum = try Spectrum(fft.room, &memory)
  }

  /// Measures the next channel around input frame `position`. The whole window must have arrived.
  /// Returns true for the first channel, and `nil` if there isn't another one.
  mutating func measureNext(around position: Int64, _ history: StretchHistory) -> Bool? {
    if middle != position { (middle, measured) = (position, 0) }
    guard measured < history.guides else { return nil }
    history.load(.guide(measured), position, window, fft)
    fft.forward(spectrum)
    measured &+= 1
    return measured == 1
  }

  mutating func reset() { middle = .min }
}

/// Tells `DenseTransients` if a sound has partials. They show up as peaks in the mean of several
/// power spectra with the longest window, but noise and transients don't.
struct PartialPeaks {
  private var guides: GuideSpectra
  private let means: Row<Float>
  private let bins: Range<Int>
  /// The first bin above 800 Hz.
  private let high: Int
  private var count = 0

  /// How many spectra we need before we can decide.
  private static let least = 4
  /// The mean covers at most this many spectra.
  private static let most = 8
  /// A partial's min power relative to the louder of the valleys next to it: 7 dB.
  private static let minPeak: Float = 5
  /// A partial's min power relative to the loudest bin: -40 dB.
  private static let minOfLoudest: Float = 1e-4
  /// If there aren't any partials, at least this fraction of the power is above 800 Hz.
  private static let minHigh: Float = 0.3
  /// The min distance from a peak to a valley, in bins: half the main lobe of a Hann window.
  private static let near = 2
  /// The max distance from a peak to a valley, in bins.
  private static let far = 5

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    guides = try GuideSpectra(window, points: window.count, &memory)
    let fft = guides.fft
    means = try memory.row(fft.room)
    let binHz = Double(sizes.rate) / Double(fft.count)
    let first = max(nearestIndex(50 / binHz), Self.far)
    bins = Range(uncheckedBounds: (first, max(fft.half &- Self.far, first)))
    high = min(nearestIndex(800 / binHz), fft.half)
  }

  mutating func restart() {
    count = 0
    guides.reset()
  }

  /// Adds one more guide channel around input frame `position`. Returns `false` if there isn't one.
  mutating func addGuide(around position: Int64, _ history: StretchHistory) -> Bool {
    guard let isFirst = guides.measureNext(around: position, history) else { return false }
    if isFirst { count = min(count &+ 1, Self.most) }
    let part = 1 / Float(count)
    for bin in upTo(means.count, by: 8) {
      if isFirst { means[eight: bin] = count == 1 ? .zero : means[eight: bin] * (1 - part) }
      means[eight: bin] += guides.spectrum[eight: bin].squarable.power * part
    }
    return true
  }

  /// True if we have enough spectra, enough of their power is above 800 Hz, and their mean doesn't
  /// show any partials.
  var areAbsent: Bool {
    guard count >= Self.least else { return false }
    var (low, all, loudest): (Float, Float, Float) = (0, 0, 0)
    for bin in upTo(bins) {
      all += means[bin]
      if bin < high { low += means[bin] }
      loudest = max(loudest, means[bin])
    }
    guard all > 0, all - low > Self.minHigh * all else { return false }
    for bin in upTo(bins) {
      let isLoud = means[bin] > Self.minOfLoudest * loudest
      if isLoud, means[bin] >= means[bin &- 1], means[bin] >= means[bin &+ 1],
        means[bin] > Self.minPeak * valley(around: bin)
      {
        return false
      }
    }
    return true
  }

  /// The louder valley on either side.
  private func valley(around bin: Int) -> Float {
    var (below, above) = (means[bin &- Self.near], means[bin &+ Self.near])
    for distance in upTo(Self.far &+ 1, from: Self.near) {
      below = min(below, means[bin &- distance])
      above = min(above, means[bin &+ distance])
    }
    return max(below, above)
  }
}

/// Divides the spectrum into bands, and finds which of them are steady and which decay after a
/// transient.
///
/// A band is steady if its power is near its recent maximum, which decays by 4 % per frame. We
/// stretch decaying bands differently, because struck or plucked notes decay at the same rate
/// whatever the tempo.
struct SteadyBands {
  let count: Int
  /// Each band's first bin, and the bin after the last band, all multiples of eight.
  private let edges: Row<Int>
  /// For each band, from 0 for decaying to 1 for steady.
  let shares: Row<Float>
  /// For each band, the recent maximum of the power.
  let loudest: Row<Float>

  static let most = 56
  /// A band is decaying at this power relative to its recent maximum (-6 dB) or below, and steady
  /// at twice this power (-3 dB) or above.
  private static let least: Float = 0.25
  private static let forgetting: Float = 1 / 24
  /// A transient only fills part of its window, so we estimate its power as the mean times this.
  private static let onsetGain: Float = 2
  /// Anything below this is silence. It also keeps us clear of subnormal numbers.
  private static let silence: Float = 1e-18

  /// Divides `room` bins into bands. Each band has at least 16 bins, and at least an eighth of the
  /// number of bins below it, rounded down to a multiple of eight.
  init(_ room: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    edges = try memory.row(Self.most &+ 1)
    shares = try memory.row(Self.most)
    loudest = try memory.row(Self.most)
    var (count, edge) = (0, 0)
    while count < Self.most, edge < room {
      edges[count] = edge
      count &+= 1
      edge = min(room, edge &+ max(16, (edge &>> 3) & ~7))
    }
    edges[count] = room
    self.count = count
  }

  func bins(_ band: Int) -> Range<Int> {
    Range(uncheckedBounds: (edges[band], edges[band &+ 1]))
  }

  func compare(_ powers: Row<Float>, hasOnset: Bool) {
    let height = hasOnset ? Self.onsetGain : 1
    for band in upTo(count) {
      var sum = Lanes.zero
      for bin in upTo(bins(band), by: 8) { sum += powers[eight: bin] }
      let power = sum.total
      let past = loudest[band] * (1 - Self.forgetting)
      loudest[band] = max(power * height, past, Self.silence)
      let share = power / loudest[band] - Self.least
      shares[band] = min(max(share / Self.least, 0), 1)
    }
  }

  /// Replaces the phases of decaying bands.
  func replace(_ phases: Row<UInt32>, by others: Row<UInt32>) {
    for band in upTo(count) where shares[band] <= 0 {
      for bin in upTo(bins(band), by: 8) { phases[eight: bin] = others[eight: bin] }
    }
  }

  /// Scales by `dying` in a decaying band and by `steady` in a steady one, and interpolates in
  /// between.
  func scale(_ numbers: Row<Float>, into target: Row<Float>, dying: Float, steady: Float) {
    for band in upTo(count) {
      let rest = dying + (steady - dying) * shares[band]
      for bin in upTo(bins(band), by: 8) { target[eight: bin] = numbers[eight: bin] * rest }
    }
  }
}

extension Lanes {
  /// Summed in a fixed order.
  @inline(__always)
  var total: Float {
    let four = lowHalf + highHalf
    return (four[0] + four[2]) + (four[1] + four[3])
  }
}
