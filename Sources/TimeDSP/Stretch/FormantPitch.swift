// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds the period of a voice in a power spectrum, by autocorrelation below 4 kHz.
/// `FormantEnvelope` smooths the spectrum by this period. This also decides if the sound has enough
/// partials to measure formants.
struct FormantPitch {
  private let fft: RealFFT
  private let powers: Spectrum
  private let bins: Range<Int>
  private let lags: Range<Int>
  /// 1 / the window's autocorrelation, by lag. Without them, peaks at long lags would be too low.
  private let weights: UnsafeMutablePointer<Float>

  /// The autocorrelation's highest peak must be at least this high, relative to lag 0.
  private static let minPeak: Float = 0.6
  /// The peak that we choose must be at least this high, relative to the highest one.
  private static let minOfHighest: Float = 0.92
  /// A partial's min power relative to the loudest bin: -40 dB.
  private static let minOfLoudest: Float = 1e-4
  /// A partial's min power relative to the middle between two partials.
  private static let minOfMiddle: Float = 2
  /// With fewer partials, a sound is a tone, and has no formants.
  private static let minPartials = 3
  /// If no more bins than these are within 40 dB of the loudest one, a sound without a pitch is a
  /// few tones. From twice as many on, it's noise or many tones.
  private static let fewBins = 16

  init(_ fft: RealFFT, rate: Int, _ memory: inout ScratchMemory, computing: Bool) {
    self.fft = fft
    powers = Spectrum(fft.room, &memory)
    let binHz = Double(rate) / Double(fft.count)
    let end = min(Int(truncatingIfNeeded: rounded(4000 / binHz)), fft.half)
    bins = Range(uncheckedBounds: (Int(truncatingIfNeeded: rounded(60 / binHz)), end))
    let longest = min(Int(truncatingIfNeeded: rounded(Double(rate) / 70)), fft.half &- 2)
    let shortest = Int(truncatingIfNeeded: rounded(Double(rate) / 700))
    lags = Range(uncheckedBounds: (min(shortest, longest), longest))
    weights = memory.allocate(Float.self, fft.half &+ 1)
    if computing { computeWeights() }
  }

  /// For a Hann window (Boersma, "Accurate short-term analysis of the fundamental frequency",
  /// 1993). The autocorrelation is circular, like that of the sound.
  private func computeWeights() {
    var lag = 0
    while lag <= fft.half {
      let x = Double(lag) / Double(fft.count)
      weights[lag] = Float(1 / max(Self.correlation(x) + Self.correlation(1 - x), 1e-3))
      lag &+= 1
    }
  }

  private static func correlation(_ x: Double) -> Double {
    (1 - x) * (2.0 / 3 + cosPi(2 * x) / 3) + sinPi(2 * x) / (2 * .pi)
  }

  func measure(_ all: UnsafeMutablePointer<Float>, loudest: Float) -> FormantReliability {
    powers.clear(from: 0, to: fft.room)
    for bin in upTo(bins.upperBound, from: bins.lowerBound) {
      powers.re[bin] = all[bin]
    }
    fft.inverse(powers)
    if let lag = period() {
      let spacing = Float(fft.count) / (Float(lag) + bend(lag))
      if partials(all, spacing: spacing) >= Self.minPartials {
        return FormantReliability(period: Float(fft.count) / spacing, share: 1)
      }
    }
    let few = Float(Self.fewBins)
    let filled = Float(filledBins(all, loudest: loudest))
    return FormantReliability(period: 0, share: min(max(filled / few - 1, 0), 1))
  }

  /// The first lag with a peak nearly as high as the highest one (`minOfHighest`).
  private func period() -> Int? {
    var highest = Self.minPeak * value(0)
    var hasPeak = false
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      if value(lag) > highest { (highest, hasPeak) = (value(lag), true) }
      lag &+= 1
    }
    guard hasPeak else { return nil }
    lag = lags.lowerBound
    while lag < lags.upperBound {
      let height = value(lag)
      if height >= Self.minOfHighest * highest, height >= value(lag &- 1),
        height >= value(lag &+ 1)
      {
        return lag
      }
      lag &+= 1
    }
    return nil
  }

  private func value(_ lag: Int) -> Float {
    let output = fft.output
    return (lag & 1 == 0 ? output.re[lag &>> 1] : output.im[lag &>> 1]) * weights[lag]
  }

  /// A peak's offset from `lag`, by the parabola through three values: -1/2 … 1/2.
  private func bend(_ lag: Int) -> Float {
    let (low, middle, high) = (value(lag &- 1), value(lag), value(lag &+ 1))
    let bend = low - 2 * middle + high
    return bend < 0 ? min(max(0.5 * (low - high) / bend, -0.5), 0.5) : 0
  }

  /// Counts the multiples of `spacing` bins that are peaks, up to `minPartials`.
  private func partials(_ all: UnsafeMutablePointer<Float>, spacing: Float) -> Int {
    let least =
      Self.minOfLoudest * peak(all, from: Float(bins.lowerBound), to: Float(bins.upperBound))
    var count = 0
    var order: Float = 1
    while count < Self.minPartials, (order + 0.5) * spacing < Float(bins.upperBound) {
      let middle = order * spacing
      let between = max(all[near(middle - spacing / 2)], all[near(middle + spacing / 2)])
      let height = peak(all, from: middle - spacing / 4, to: middle + spacing / 4)
      if height > Self.minOfMiddle * between, height > least { count &+= 1 }
      order += 1
    }
    return count
  }

  private func peak(_ all: UnsafeMutablePointer<Float>, from first: Float, to last: Float) -> Float
  {
    var peak: Float = 0
    var bin = near(first)
    while bin <= near(last) {
      peak = max(peak, all[bin])
      bin &+= 1
    }
    return peak
  }

  private func filledBins(_ all: UnsafeMutablePointer<Float>, loudest: Float) -> Int {
    var count = 0
    var bin = 0
    while bin <= fft.half {
      if all[bin] > Self.minOfLoudest * loudest { count &+= 1 }
      bin &+= 1
    }
    return count
  }

  private func near(_ bin: Float) -> Int {
    Int(truncatingIfNeeded: rounded(Double(bin)))
  }
}

/// How reliably formants can be measured, as `FormantPitch` finds.
struct FormantReliability: BitwiseCopyable {
  /// In frames, or 0 if there's no pitch.
  var period: Float
  /// Apply this much of the formant gains, from 0 to 1.
  var share: Float

  var hasPitch: Bool { period > 0 }
}
