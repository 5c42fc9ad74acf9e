// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// For one sample rate, in frames. At 48 kHz, `step` is 64.
struct OnsetSizes {
  let rate: Int
  /// Between two successive spectra.
  let step: Int
  /// The low-latency window detects no onsets, because that needs more input in advance.
  let isUsed: Bool

  init(rate: Int, isLowLatency: Bool) {
    self.rate = rate
    isUsed = !isLowLatency
    // 64 × the power of two nearest to rate / 48 kHz
    var step: Int64 = 8
    let square = Int64(rate) &* Int64(rate)
    while step &* step &* 2 &* 562_500 < square { step = step &* 2 }
    self.step = Int(truncatingIfNeeded: step)
  }

  /// Input frames of one spectrum.
  var window: Int { 4 &* step }
  var transform: Int { max(256, window) }
  /// `OnsetPosition` averages the energy over this many frames.
  var blur: Int { step &>> 1 }
  /// `OnsetPosition` compares two averages of the energy at this distance.
  var rise: Int { (3 &* step) &>> 2 }
  /// `OnsetPosition` searches this far before the middle of the detected spectrum.
  var early: Int { 5 &* step }
  /// And this far after it.
  var late: Int { (step &* 25) &>> 3 }
  /// We confirm an onset with this many frames after it.
  var ahead: Int { isUsed ? 17 &* step : 0 }
  var past: Int { window }
}

/// Detects onsets, where transients begin, while the input arrives.
///
/// Every `step` frames, we compute a spectrum in 13 bands that are evenly spaced on a logarithmic
/// scale. We compare each band's power with its maximum in the 30 ms that ended 6.7 ms before. So
/// beating and the pulses of a voice are no onsets. The rise of a spectrum in dB is the mean of two
/// averages over the bands, one unweighted, the other weighted by power. An onset is a peak of the
/// rise. `OnsetPosition` then finds its exact frame.
struct OnsetDetector {
  private let sizes: OnsetSizes
  private let fft: RealFFT
  private let window: StretchWindow
  private let spectrum: Spectrum
  private let onsetPosition: OnsetPosition
  /// Each band's first bin, and the bin after the last band.
  private let edges: UnsafeMutablePointer<Int>
  private let bands: Int
  /// A ring buffer of the bands' powers, 16 numbers for each of the last 32 spectra.
  private let powers: UnsafeMutablePointer<Float>
  /// A ring buffer for the last 32 spectra, in dB.
  private let rises: UnsafeMutablePointer<Float>
  /// A ring buffer of onsets as input frames, in order of time.
  private let found: UnsafeMutablePointer<Int64>
  private var foundCount = 0
  private var spectra: Int64 = 0
  /// The next onset can't be before this spectrum, a few after the last onset.
  private var nextPeak: Int64 = 0
  /// The recent maximum of the total power, which decays by 4.9 dB per second.
  private var loudness: Float = 0

  private static let minRise: Float = 2.5
  private static let reach: Int64 = 10
  private static let capacity = 64

  init(_ sizes: OnsetSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    fft = RealFFT(sizes.transform, &memory, computing: computing)
    window = StretchWindow(sizes.window, &memory, computing: computing)
    spectrum = Spectrum(fft.room, &memory)
    onsetPosition = OnsetPosition(sizes, &memory)
    edges = memory.allocate(Int.self, 16)
    powers = memory.allocate(Float.self, 32 &* 16)
    rises = memory.allocate(Float.self, 32)
    found = memory.allocate(Int64.self, Self.capacity)
    // The edges of the bands in units of 187.5 Hz: 100^(k/14), rounded, for k = 1 … 14. They're in
    // a vector, because Apple's systems have no InlineArray before version 26.
    let steps = SIMD16<Int>(1, 2, 3, 4, 5, 7, 10, 14, 19, 27, 37, 52, 72, 100, 0, 0)
    var count = 0
    for index in upTo(14) {
      let edge = (steps[index] &* sizes.transform &* 375)
        .dividedReportingOverflow(by: 2 &* sizes.rate).partialValue
      let held = min(max(edge, 1), fft.half)
      if !computing || count == 0 || edges[count &- 1] < held {
        if computing { edges[count] = held }
        count &+= 1
      }
    }
    bands = max(count &- 1, 1)
  }

  mutating func start() {
    powers.fill(0, 32 &* 16)
    rises.fill(0, 32)
    (spectra, nextPeak, loudness) = (0, 3, 0)
    // the beginning of a stream counts as an onset
    found[0] = 0
    foundCount = 1
  }

  /// The onset nearest to frame `position`, less than `early` frames before it or less than `late`
  /// frames after it.
  func nearest(to position: Int64, early: Int64, late: Int64) -> Int64? {
    var best: Int64?
    for index in upTo(foundCount, from: max(0, foundCount &- Self.capacity)) {
      let onset = found[index & (Self.capacity &- 1)]
      let distance = onset &- position
      if distance > 0 &- early, distance < late,
        best.map({ distance.magnitude < ($0 &- position).magnitude }) ?? true
      {
        best = onset
      }
    }
    return best
  }

  mutating func run(_ history: StretchHistory) {
    guard sizes.isUsed else { return }
    let step = Int64(truncatingIfNeeded: sizes.step)
    while spectra &* step <= history.end {
      measure(history, end: spectra &* step)
      spectra &+= 1
      look(at: spectra &- 1 &- Self.reach, history)
    }
  }

  private mutating func measure(_ history: StretchHistory, end: Int64) {
    let row = powers + Int(truncatingIfNeeded: spectra & 31) &* 16
    row.fill(0, 16)
    for guide in upTo(history.guides) {
      history.load(
        .guide(guide), end &- Int64(truncatingIfNeeded: sizes.window &>> 1), window, fft)
      fft.forward(spectrum)
      addPowers(to: row)
    }
    var total: Float = 0
    for band in upTo(bands) {
      total += row[band]
    }
    loudness = max(total, loudness * 0.9985)
    rises[Int(truncatingIfNeeded: spectra & 31)] = rise(row, total)
  }

  private func addPowers(to row: UnsafeMutablePointer<Float>) {
    for band in upTo(bands) {
      var bin = edges[band]
      var sum: Float = 0
      while bin < edges[band &+ 1] {
        sum += spectrum.re[bin] * spectrum.re[bin] + spectrum.im[bin] * spectrum.im[bin]
        bin &+= 1
      }
      row[band] += sum
    }
  }

  /// By how many dB the powers in `row` are above the recent maxima.
  private func rise(_ row: UnsafeMutablePointer<Float>, _ total: Float) -> Float {
    let floor = loudness * 1e-5 + 1e-10
    var sum: Float = 0
    for half in upTo(16, by: 8) {
      var past = Lanes.zero
      var age: Int64 = 5
      while age <= 26 {
        let old = powers.lanes(Int(truncatingIfNeeded: (spectra &- age) & 31) &* 16 &+ half)
        past = past.replaced(by: old, where: (past - old).signs)
        age &+= 1
      }
      let now = row.lanes(half)
      let rise = ((now + floor) / (past + floor)).logarithms * 3.0103
      let share = now * (0.5 / (total + 1e-12)) + 0.5 / Float(bands)
      var lane = 0
      while lane < 8, half &+ lane < bands {
        sum += min(max(rise[lane], 0), 20) * share[lane]
        lane &+= 1
      }
    }
    return sum
  }

  /// There's an onset at spectrum `peak`, unless another one within `reach` rises more.
  private mutating func look(at peak: Int64, _ history: StretchHistory) {
    guard peak >= nextPeak else { return }
    let rise = rises[Int(truncatingIfNeeded: peak & 31)]
    guard rise > Self.minRise else { return }
    var other = max(peak &- Self.reach, 0)
    while other <= peak &+ Self.reach {
      if rises[Int(truncatingIfNeeded: other & 31)] > rise { return }
      other &+= 1
    }
    nextPeak = peak &+ 8
    let middle = (peak &- 2) &* Int64(truncatingIfNeeded: sizes.step)
    let onset = onsetPosition.find(around: middle, history)
    guard onset > Int64(truncatingIfNeeded: 8 &* sizes.step &- sizes.blur) else { return }
    found[foundCount & (Self.capacity &- 1)] = onset
    foundCount &+= 1
  }
}

extension Lanes {
  /// To base 2, for normal positive numbers, within 2e-5: the exponent plus a polynomial of the
  /// mantissa.
  @inline(__always)
  var logarithms: Lanes {
    let exponent = Lanes(bits: bits &>> 23 | 0x4b00_0000) - 8_388_735
    let m = Lanes(bits: bits & 0x007f_ffff | 0x3f80_0000)
    var p = m * 0.044873074 - 0.41655967
    p = (p * m + 1.6311369) * m - 3.5507758
    return exponent + ((p * m + 5.0916986) * m - 2.8003607)
  }
}
