// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds the position at which a voice continues the last output. The output is correlated with the
/// input within a period around the wanted position. Among the high peaks of the correlation, the
/// one nearest to the wanted position is chosen (McLeod and Wyvill, "A smarter way to find pitch",
/// ICMC 2005).
///
/// Correlations are divided by the overlap of the two windows, because windows that are farther
/// apart have less in common. Otherwise, peaks would be lower the farther away they are, and peaks
/// of a low voice would be shifted towards the centre.
struct VoiceSearch {
  /// Maximum distance of the search, in frames.
  private let slack: Int
  /// Number of frames on either side of the wanted position that are searched: half of a long
  /// period.
  private let reach: Int
  private let rate: Int
  /// 1 / the correlation that results from the overlap of two windows alone, by their distance in
  /// frames.
  private let weights: UnsafeMutablePointer<Float>

  /// Minimum height of a peak, relative to the highest one.
  private static let leastPeak: Float = 0.9

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

  /// The autocorrelation of a Hann window at a lag of `way` times its length; 1 at 0.
  private static func common(_ way: Double) -> Double {
    ((1 - way) * (2 + cosPi(2 * way)) + 1.5 / .pi * sinPi(2 * way)) / 3
  }

  /// Correlates the last output with the input one hop before the position of the frame. `advance`
  /// is the product of the two spectra. `work` is overwritten.
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

  /// Number of bins below 5 kHz.
  private func bins(_ fft: RealFFT) -> Int {
    let bin = (5000 &* fft.count).dividedReportingOverflow(by: max(rate, 1)).partialValue
    return min(bin &+ 1, fft.half)
  }

  /// The high peak nearest to a lag, and the height of the highest peak. The height is 0 if there
  /// is no peak.
  private func nearest(to wanted: Int, _ fft: RealFFT) -> (lag: Int, height: Float) {
    let (first, last) = (max(wanted &- reach, 0 &- slack), min(wanted &+ reach, slack))
    var height: Float = 0
    var lag = first
    while lag <= last {
      height = max(height, value(fft, lag))
      lag &+= 1
    }
    var way = 0
    while way <= reach {
      let (low, high) = (wanted &- way, wanted &+ way)
      if low >= first, isPeak(fft, low, Self.leastPeak * height) { return (low, height) }
      if high <= last, isPeak(fft, high, Self.leastPeak * height) { return (high, height) }
      way &+= 1
    }
    return (wanted, 0)
  }

  private func isPeak(_ fft: RealFFT, _ lag: Int, _ least: Float) -> Bool {
    let middle = value(fft, lag)
    return middle >= least && middle >= value(fft, lag &- 1) && middle >= value(fft, lag &+ 1)
  }

  /// The correlation at a lag, corrected for the overlap of the windows.
  private func value(_ fft: RealFFT, _ lag: Int) -> Float {
    let index = lag & (fft.count &- 1)
    let value = index & 1 == 0 ? fft.output.re[index &>> 1] : fft.output.im[index &>> 1]
    return value * weights[Int(truncatingIfNeeded: lag.magnitude)]
  }
}
