// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Follows a voice period by period: the input is read up to 8 ms aside, where it goes
/// on from the output best, and the better it does, the more of the input's own phases
/// are kept (kin to Moinet and Dutoit, "PVSOLA", DAFx 2011).
struct VoiceFollower {
  /// Frames that the input is read later than its place.
  var shift: Int64 = 0
  /// How well it goes on there, 0 … 1.
  var fit: Float = 0

  /// How much less a shift counts at the end of its range.
  private static let rimLoss: Float = 0.1

  /// Correlates what went out last with the input one hop before its place; `advance`
  /// is the product of their spectra, `work` a spectrum to work in.
  static func follow(
    _ advance: Spectrum, with work: Spectrum, _ fft: RealFFT, _ sizes: StretchSizes
  ) -> VoiceFollower {
    let end = bins(below: 5000, fft, sizes)
    var all: Float = 0
    var bin = 0
    while bin < end {
      let number = ComplexEight(advance, bin)
      all += number.power[0].squareRoot()
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
    guard all > 1e-12 else { return VoiceFollower() }
    return best(fft, all, sizes.slack)
  }

  private static func bins(below limit: Int, _ fft: RealFFT, _ sizes: StretchSizes) -> Int {
    let bin = (limit &* fft.count).dividedReportingOverflow(by: max(sizes.rate, 1)).partialValue
    return min(bin &+ 1, fft.half)
  }

  private static func best(_ fft: RealFFT, _ all: Float, _ slack: Int) -> VoiceFollower {
    let output = fft.output
    var (bestLag, bestScore, peak) = (0, -Float.greatestFiniteMagnitude, Float(0))
    var lag = 0 &- slack
    while lag <= slack {
      let place = lag & (fft.count &- 1)
      let value = place & 1 == 0 ? output.re[place &>> 1] : output.im[place &>> 1]
      let score = value * (1 - Self.rimLoss * Float(lag.magnitude) / Float(slack))
      if score > bestScore { (bestLag, bestScore) = (lag, score) }
      peak = max(peak, value)
      lag &+= 1
    }
    let fit = min(max((peak / all - 0.6) * 4, 0), 1)
    return VoiceFollower(shift: fit > 0 ? Int64(truncatingIfNeeded: 0 &- bestLag) : 0, fit: fit)
  }
}
