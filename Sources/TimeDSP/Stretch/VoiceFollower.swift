// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Follows a voice period by period: the input is read up to 8 ms aside, where it goes
/// on from the output best, and the better it does, the more of the input's own phases
/// are kept (kin to Moinet and Dutoit, "PVSOLA", DAFx 2011).
struct VoiceFollower {
  /// Frames that the input is read later than its place, and what that lacks.
  var shift: Int64 = 0
  var fraction: Float = 0
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
    var (lag, bestScore, peak) = (0, -Float.greatestFiniteMagnitude, Float(0))
    var place = 0 &- slack
    while place <= slack {
      let value = value(fft, place)
      let score = value * (1 - Self.rimLoss * Float(place.magnitude) / Float(slack))
      if score > bestScore { (lag, bestScore) = (place, score) }
      peak = max(peak, value)
      place &+= 1
    }
    let fit = min(max((peak / all - 0.6) * 4, 0), 1)
    guard fit > 0 else { return VoiceFollower() }
    return VoiceFollower(
      shift: Int64(truncatingIfNeeded: 0 &- lag), fraction: 0 - top(fft, lag), fit: fit)
  }

  /// The correlation at a lag.
  private static func value(_ fft: RealFFT, _ lag: Int) -> Float {
    let place = lag & (fft.count &- 1)
    return place & 1 == 0 ? fft.output.re[place &>> 1] : fft.output.im[place &>> 1]
  }

  /// How far beyond `lag` the correlation has its peak, -1/2 … 1/2: that of the cosine
  /// through three values, a cos ω (n - peak).
  private static func top(_ fft: RealFFT, _ lag: Int) -> Float {
    let (low, middle, high) = (value(fft, lag &- 1), value(fft, lag), value(fft, lag &+ 1))
    let cosine = (low + high) / (2 * middle)
    guard middle > 0, cosine.magnitude < 1 else { return 0 }
    let sine = (1 - cosine * cosine).squareRoot()
    let step = turns(cosine, sine)
    guard step > 1e-4 else { return 0 }
    return min(max(turns(2 * middle * sine, high - low) / step, -0.5), 0.5)
  }

  private static func turns(_ x: Float, _ y: Float) -> Float {
    ComplexEight(Eight(repeating: x), Eight(repeating: y)).turns[0]
  }

  /// Moves angles towards those of the input's own phases. What the shift lacks of a whole
  /// frame stays in them: it would be lost frame by frame, and with it the pitch.
  func relax(_ phases: PhaseIntegration, _ fft: RealFFT) {
    if fit > 0 { phases.shrink(by: 1 - 0.8 * fit, to: fraction / Float(fft.count)) }
  }
}
