// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds where to read an analysis frame of a voice so that it continues the waveform of the last
/// synthesis frame. We correlate that frame with the input around the wanted position. Among the
/// high peaks of the correlation, the one nearest to the wanted position wins (McLeod and Wyvill,
/// "A smarter way to find pitch", ICMC 2005).
///
/// We divide by the correlation of the two windows, which falls with their distance. Otherwise,
/// distant peaks would be too low, and the peaks of a low voice would shift towards the centre.
struct VoiceSearch {
  /// From where the time map says to where we read, at most.
  private let slack: Int
  /// We search this many frames on either side of the wanted position: half of a long period.
  private let reach: Int
  private let rate: Int
  /// 1 / the correlation of two windows, by their distance in frames.
  private let weights: UnsafeMutablePointer<Float>

  /// Relative to the highest peak.
  private static let minPeak: Float = 0.9

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    (slack, reach, rate) = (sizes.slack, sizes.slack &- sizes.aside, sizes.rate)
    weights = memory.allocate(Float.self, slack &+ 2)
    guard computing else { return }
    var lag = 0
    while lag < slack &+ 2 {
      weights[lag] = Float(1 / Self.common(Double(lag) / Double(sizes.voice)))
      lag &+= 1
    }
  }

  /// The autocorrelation of a Hann window at a lag of `distance` window lengths, relative to lag 0.
  private static func common(_ distance: Double) -> Double {
    ((1 - distance) * (2 + cosPi(2 * distance)) + 1.5 / .pi * sinPi(2 * distance)) / 3
  }

  /// Correlates the last synthesis frame with the input one hop before the current frame, and
  /// returns where to read that. `advance` is the product of the two spectra
  /// (`StretchAnalysis.advance`). Overwrites `work`.
  func follow(
    _ advance: Spectrum, with work: Spectrum, _ fft: RealFFT, toward position: ReadingPosition
  ) -> VoiceFollower {
    let end = bins(fft)
    var all: Float = 0
    var bin = 0
    while bin < end {
      let number = ComplexLanes(advance, bin)
      all += number.squarable.power[0].squareRoot()
      work.re[bin] = number.re[0]
      work.im[bin] = number.im[0]
      bin &+= 1
    }
    while bin < fft.room {
      work.re[bin] = 0
      work.im[bin] = 0
      bin &+= 1
    }
    fft.inverse(work)
    all = all * 2 / Float(fft.count)
    let (lag, height) = nearest(to: 0 &- Int(truncatingIfNeeded: position.aside), fft)
    let fit = all > 1e-12 ? min(max((height / all - 0.6) * 4, 0), 1) : 0
    let aside = position.isRigid ? position.aside : 0
    return VoiceFollower(
      shift: fit > 0 ? Int64(truncatingIfNeeded: 0 &- lag) : aside, fit: fit,
      isRigid: position.isRigid)
  }

  /// Below 5 kHz.
  private func bins(_ fft: RealFFT) -> Int {
    let bin = (5000 &* fft.count).dividedReportingOverflow(by: max(rate, 1)).partialValue
    return min(bin &+ 1, fft.half)
  }

  /// The lag of the high peak nearest to `wanted`, and the height of the highest peak, or 0 if
  /// there's none.
  private func nearest(to wanted: Int, _ fft: RealFFT) -> (lag: Int, height: Float) {
    let (first, last) = (max(wanted &- reach, 0 &- slack), min(wanted &+ reach, slack))
    var height: Float = 0
    var lag = first
    while lag <= last {
      height = max(height, value(fft, lag))
      lag &+= 1
    }
    var distance = 0
    while distance <= reach {
      let (low, high) = (wanted &- distance, wanted &+ distance)
      if low >= first, isPeak(fft, low, Self.minPeak * height) { return (low, height) }
      if high <= last, isPeak(fft, high, Self.minPeak * height) { return (high, height) }
      distance &+= 1
    }
    return (wanted, 0)
  }

  private func isPeak(_ fft: RealFFT, _ lag: Int, _ least: Float) -> Bool {
    let middle = value(fft, lag)
    return middle >= least && middle >= value(fft, lag &- 1) && middle >= value(fft, lag &+ 1)
  }

  /// The correlation at a lag / the correlation of the windows there.
  private func value(_ fft: RealFFT, _ lag: Int) -> Float {
    let index = lag & (fft.count &- 1)
    let value = index & 1 == 0 ? fft.output.re[index &>> 1] : fft.output.im[index &>> 1]
    return value * weights[Int(truncatingIfNeeded: lag.magnitude)]
  }
}
