// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures the pitch of one window of the input for `VoiceDetector`, by autocorrelation below 4
/// kHz.
struct VoicePitch {
  private let window: StretchWindow
  private let fft: RealFFT
  private let spectrum: Spectrum
  /// From powers to autocorrelation, with only as many points as the bins up to 4 kHz need.
  private let shortFFT: RealFFT
  private let powers: Spectrum
  private let bins: Range<Int>
  private let lags: Range<Int>
  /// 1 / the window's autocorrelation, by lag. Without them, peaks at long lags would be too low.
  private let weights: UnsafeMutablePointer<Float>
  /// `powers` are around this input frame.
  private var middle: Int64 = .min
  /// Guide channels (`StretchHistory`) in `powers` so far.
  private var guides = 0

  /// The sound must correlate this well with itself one period later.
  private static let minPeak: Float = 0.8
  /// Relative to the highest peak. The first peak that's high enough is at the period. A later one
  /// may be at a multiple.
  private static let minOfHighest: Float = 0.92
  /// A harmonic's min power relative to the loudest bin: -40 dB.
  private static let minOfLoudest: Float = 1e-4
  /// A harmonic's min power relative to the middle between two harmonics.
  private static let minOfMiddle: Float = 2
  private static let maxHarmonics = 8

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    window = StretchWindow(sizes.voice, &memory, computing: computing)
    fft = RealFFT(2 &* sizes.voice, &memory, computing: computing)
    spectrum = Spectrum(fft.room, &memory)
    let binHz = Double(sizes.rate) / Double(fft.count)
    let end = min(Int(truncatingIfNeeded: rounded(4000 / binHz)), fft.half)
    bins = Range(uncheckedBounds: (Int(truncatingIfNeeded: rounded(60 / binHz)), end))
    var points = 64
    while points < 2 &* end { points = points &* 2 }
    shortFFT = RealFFT(points, &memory, computing: computing)
    powers = Spectrum(shortFFT.room, &memory)
    let shortRate = binHz * Double(points)
    lags = Range(
      uncheckedBounds: (
        Int(truncatingIfNeeded: rounded(shortRate / 500)),
        min(Int(truncatingIfNeeded: rounded(shortRate / 70)), points &>> 1 &- 1)
      ))
    weights = memory.allocate(Float.self, lags.upperBound &+ 1)
    if computing { computeWeights(step: fft.count &>> points.trailingZeroBitCount) }
  }

  private func computeWeights(step: Int) {
    let none = correlation(0)
    var lag = lags.lowerBound &- 1
    while lag <= lags.upperBound {
      weights[lag] = Float(none / max(correlation(lag &* step), 1e-9))
      lag &+= 1
    }
  }

  private func correlation(_ lag: Int) -> Double {
    var sum = 0.0
    var frame = 0
    while frame &+ lag < window.count {
      sum += Double(window.values[frame]) * Double(window.values[frame &+ lag])
      frame &+= 1
    }
    return sum
  }

  mutating func start() { middle = .min }

  /// Adds one more guide channel around input frame `position`, if there's one left. The whole
  /// window must have arrived.
  mutating func measureGuide(around position: Int64, _ history: StretchHistory) {
    if middle != position {
      (middle, guides) = (position, 0)
      powers.clear(from: 0, to: shortFFT.room)
    }
    guard guides < history.guides else { return }
    history.load(.guide(guides), position, window, fft)
    fft.forward(spectrum)
    for bin in upTo(bins.upperBound, from: bins.lowerBound) {
      powers.re[bin] += ComplexLanes(spectrum, bin).squarable.power[0]
    }
    guides &+= 1
  }

  /// Around input frame `position`. First adds the guide channels that `measureGuide` hasn't added.
  mutating func measure(around position: Int64, _ history: StretchHistory) -> PitchMeasure {
    repeat { measureGuide(around: position, history) } while guides < history.guides
    shortFFT.inverse(powers)
    let all = shortFFT.output.re[0] * Float(shortFFT.count)
    // the sum of the powers of a sine at -70 dBFS
    guard all > 4e-8 * Float(window.count) * Float(window.count) else { return PitchMeasure() }
    guard let lag = period(least: Self.minPeak * all / Float(shortFFT.count)) else {
      return PitchMeasure()
    }
    let period = Float(lag) + bend(lag)
    return PitchMeasure(
      frequency: 1 / period, harmonics: harmonics(spacing: Float(shortFFT.count) / period))
  }

  /// The first lag with a peak nearly as high as the highest one (`minOfHighest`), if that's above
  /// `least`.
  private func period(least: Float) -> Int? {
    var highest: Float = 0
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      highest = max(highest, value(lag))
      lag &+= 1
    }
    guard highest > least else { return nil }
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
    let output = shortFFT.output
    return (lag & 1 == 0 ? output.re[lag &>> 1] : output.im[lag &>> 1]) * weights[lag]
  }

  /// A peak's offset from `lag`, by the parabola through three values: -1/2 … 1/2.
  private func bend(_ lag: Int) -> Float {
    let (low, middle, high) = (value(lag &- 1), value(lag), value(lag &+ 1))
    let bend = low - 2 * middle + high
    return bend < 0 ? min(max(0.5 * (low - high) / bend, -0.5), 0.5) : 0
  }

  /// How many of the first eight multiples of `spacing` bins are peaks.
  private func harmonics(spacing: Float) -> Int {
    var loudest: Float = 0
    var bin = bins.lowerBound
    while bin < bins.upperBound {
      loudest = max(loudest, powers.re[bin])
      bin &+= 1
    }
    var count = 0
    var order: Float = 1
    while order <= Float(Self.maxHarmonics) {
      let middle = order * spacing
      guard middle + spacing / 2 < Float(bins.upperBound) else { return count }
      let (low, high) = (near(middle - spacing / 2), near(middle + spacing / 2))
      let between = max(powers.re[low], powers.re[high])
      var height: Float = 0
      bin = near(middle - spacing / 4)
      while bin <= near(middle + spacing / 4) {
        height = max(height, powers.re[bin])
        bin &+= 1
      }
      if height > Self.minOfMiddle * between, height > Self.minOfLoudest * loudest {
        count &+= 1
      }
      order += 1
    }
    return count
  }

  private func near(_ bin: Float) -> Int {
    Int(truncatingIfNeeded: rounded(Double(bin)))
  }
}

struct PitchMeasure: BitwiseCopyable, Equatable {
  /// 0 if there's no pitch. `VoiceEvidence` only uses ratios, so any unit will do.
  var frequency: Float = 0
  /// How many of the first eight there are.
  var harmonics = 0
}
