// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Eight numbers at once. The results don't depend on the CPU's vector width, because every lane is
/// computed in the same way, and hot loops never sum lanes.
typealias Lanes = SIMD8<Float>

extension UnsafeMutablePointer where Pointee == Float {
  /// Reads eight numbers, starting at `index`. They needn't be aligned.
  @inline(__always)
  func lanes(_ index: Int) -> Lanes { UnsafeMutableRawPointer(self + index).read(Lanes.self) }

  @inline(__always)
  func put(_ lanes: Lanes, _ index: Int) { UnsafeMutableRawPointer(self + index).write(lanes) }

  @inline(__always)
  func four(_ index: Int) -> SIMD4<Float> {
    UnsafeMutableRawPointer(self + index).read(SIMD4<Float>.self)
  }

  @inline(__always)
  func put(_ four: SIMD4<Float>, _ index: Int) {
    UnsafeMutableRawPointer(self + index).write(four)
  }

  /// `count` is rounded up to a multiple of eight.
  func scale(by factor: Float, _ count: Int) {
    for index in upTo(count, by: 8) {
      put(lanes(index) * factor, index)
    }
  }

  func fill(_ value: Float, _ count: Int) {
    for index in upTo(count) {
      self[index] = value
    }
  }
}

extension UnsafeMutablePointer where Pointee == UInt32 {
  func clear(_ count: Int) {
    for index in upTo(count) {
      self[index] = 0
    }
  }

  @inline(__always)
  func lanes(_ index: Int) -> SIMD8<UInt32> {
    UnsafeMutableRawPointer(self + index).read(SIMD8<UInt32>.self)
  }

  @inline(__always)
  func put(_ lanes: SIMD8<UInt32>, _ index: Int) {
    UnsafeMutableRawPointer(self + index).write(lanes)
  }
}

extension UnsafeMutablePointer where Pointee == UInt8 {
  /// Turns eight numbers starting at `index`, each 0 or 1, into masks: all bits set for 1, and 0
  /// for 0.
  @inline(__always)
  func marks(_ index: Int) -> SIMD8<UInt32> {
    let bytes = UnsafeMutableRawPointer(self + index).read(SIMD8<UInt8>.self)
    return SIMD8<UInt32>.zero &- SIMD8<UInt32>(truncatingIfNeeded: bytes)
  }
}

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

/// Complex numbers, with real and imaginary parts in separate arrays.
struct Spectrum {
  let re: UnsafeMutablePointer<Float>
  let im: UnsafeMutablePointer<Float>
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
  init(_ numbers: Spectrum, _ index: Int) {
    self.init(numbers.re.lanes(index), numbers.im.lanes(index))
  }

  @inline(__always)
  func store(_ numbers: Spectrum, _ index: Int) {
    numbers.re.put(re, index)
    numbers.im.put(im, index)
  }

  @inline(__always)
  static func + (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re + b.re, a.im + b.im)
  }

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

/// Tells `DenseTransients` if a sound has partials. They show up as peaks in the mean of several
/// power spectra with the longest window, but noise and transients don't.
struct PartialPeaks {
  private let window: StretchWindow
  private let fft: RealFFT
  private let spectrum: Spectrum
  private let means: UnsafeMutablePointer<Float>
  private let bins: Range<Int>
  /// The first bin above 800 Hz.
  private let high: Int
  private var count = 0
  /// The frame that the latest spectrum is centred on.
  private var middle: Int64 = .min
  /// Guide channels (`StretchHistory`) added to the latest spectrum so far.
  private var guides = 0

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
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout ScratchMemory, computing: Bool
  ) {
    self.window = window
    fft = RealFFT(window.count, &memory, computing: computing)
    spectrum = Spectrum(fft.room, &memory)
    means = memory.allocate(Float.self, fft.room)
    let binHz = Double(sizes.rate) / Double(fft.count)
    let first = max(Int(truncatingIfNeeded: rounded(50 / binHz)), Self.far)
    bins = Range(uncheckedBounds: (first, max(fft.half &- Self.far, first)))
    high = min(Int(truncatingIfNeeded: rounded(800 / binHz)), fft.half)
  }

  mutating func start() { (count, middle) = (0, .min) }

  /// Adds the spectrum around input frame `position`, except for guide channels that `addGuide` has
  /// already added.
  mutating func add(around position: Int64, _ history: StretchHistory) {
    repeat { addGuide(around: position, history) } while guides < history.guides
  }

  /// Adds one more guide channel around input frame `position`, if there's one left. The whole
  /// window must have arrived.
  mutating func addGuide(around position: Int64, _ history: StretchHistory) {
    if middle != position { begin(around: position) }
    guard guides < history.guides else { return }
    history.load(.guide(guides), position, window, fft)
    fft.forward(spectrum)
    let part = 1 / Float(count)
    for bin in upTo(fft.room, by: 8) {
      let power = ComplexLanes(spectrum, bin).squarable.power
      means.put(means.lanes(bin) + power * part, bin)
    }
    guides &+= 1
  }

  private mutating func begin(around position: Int64) {
    (middle, guides) = (position, 0)
    count = min(count &+ 1, Self.most)
    let part = 1 / Float(count)
    for bin in upTo(fft.room, by: 8) {
      means.put(count == 1 ? Lanes.zero : means.lanes(bin) * (1 - part), bin)
    }
  }

  /// True if we have enough spectra, enough of their power is above 800 Hz, and their mean doesn't
  /// show any partials.
  var areAbsent: Bool {
    guard count >= Self.least else { return false }
    var (low, all, loudest): (Float, Float, Float) = (0, 0, 0)
    var bin = bins.lowerBound
    while bin < bins.upperBound {
      all += means[bin]
      if bin < high { low += means[bin] }
      loudest = max(loudest, means[bin])
      bin &+= 1
    }
    guard all > 0, all - low > Self.minHigh * all else { return false }
    bin = bins.lowerBound
    while bin < bins.upperBound {
      let isLoud = means[bin] > Self.minOfLoudest * loudest
      if isLoud, means[bin] >= means[bin &- 1], means[bin] >= means[bin &+ 1],
        means[bin] > Self.minPeak * valley(around: bin)
      {
        return false
      }
      bin &+= 1
    }
    return true
  }

  /// The louder valley on either side.
  private func valley(around bin: Int) -> Float {
    var (below, above) = (means[bin &- Self.near], means[bin &+ Self.near])
    var distance = Self.near
    while distance <= Self.far {
      below = min(below, means[bin &- distance])
      above = min(above, means[bin &+ distance])
      distance &+= 1
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
  private let edges: UnsafeMutablePointer<Int>
  /// For each band, from 0 for decaying to 1 for steady.
  let shares: UnsafeMutablePointer<Float>
  /// For each band, the recent maximum of the power.
  let loudest: UnsafeMutablePointer<Float>

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
  init(_ room: Int, _ memory: inout ScratchMemory, computing: Bool) {
    edges = memory.allocate(Int.self, Self.most &+ 1)
    shares = memory.allocate(Float.self, Self.most)
    loudest = memory.allocate(Float.self, Self.most)
    var (count, edge) = (0, 0)
    while count < Self.most, edge < room {
      if computing { edges[count] = edge }
      count &+= 1
      edge = min(room, edge &+ max(16, (edge &>> 3) & ~7))
    }
    if computing { edges[count] = room }
    self.count = count
  }

  func start() {
    shares.fill(0, Self.most)
    loudest.fill(0, Self.most)
  }

  @inline(__always)
  func bins(_ band: Int) -> Range<Int> {
    Range(uncheckedBounds: (edges[band], edges[band &+ 1]))
  }

  func compare(_ powers: UnsafeMutablePointer<Float>, hasOnset: Bool) {
    let height = hasOnset ? Self.onsetGain : 1
    for band in upTo(count) {
      let bins = bins(band)
      var sum = Lanes.zero
      for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
        sum += powers.lanes(bin)
      }
      let power = sum.total
      let past = loudest[band] * (1 - Self.forgetting)
      loudest[band] = max(power * height, past, Self.silence)
      let share = power / loudest[band] - Self.least
      shares[band] = min(max(share / Self.least, 0), 1)
    }
  }

  /// Replaces the phases of decaying bands.
  func replace(_ phases: UnsafeMutablePointer<UInt32>, by others: UnsafeMutablePointer<UInt32>) {
    for band in upTo(count) {
      let bins = bins(band)
      let start = shares[band] <= 0 ? bins.lowerBound : bins.upperBound
      for bin in upTo(bins.upperBound, from: start, by: 8) {
        phases.put(others.lanes(bin), bin)
      }
    }
  }

  /// Scales by `dying` in a decaying band and by `steady` in a steady one, and interpolates in
  /// between.
  func scale(
    _ numbers: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>,
    dying: Float, steady: Float
  ) {
    for band in upTo(count) {
      let (bins, rest) = (bins(band), dying + (steady - dying) * shares[band])
      for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
        target.put(numbers.lanes(bin) * rest, bin)
      }
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
