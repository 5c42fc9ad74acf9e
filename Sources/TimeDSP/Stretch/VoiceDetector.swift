// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Tells one voice alone from all else: the correlation of its spectrum's magnitudes
/// has a peak at its period, and chords and drums have none as high.
struct VoiceDetector {
  private let window: StretchWindow
  private let fft: RealFFT
  private let spectrum: Spectrum
  /// Magnitudes up to 4 kHz, and what they become: only so many points as they need.
  private let shortFFT: RealFFT
  private let magnitudes: Spectrum
  private let bins: Range<Int>
  private let lags: Range<Int>
  /// 1 / the square root of the window's own correlation, by lag.
  private let weights: UnsafeMutablePointer<Float>
  private let sizes: StretchSizes
  /// The output frame up to which a voice is taken to go on.
  private var heldUntil: Int64 = .min

  /// What the peak must have of the power. Speech has 0.6 to 0.75.
  private static let leastPeak: Float = 0.5

  init(_ sizes: StretchSizes, _ arena: inout Arena, computing: Bool) {
    self.sizes = sizes
    window = StretchWindow(sizes.voice, &arena, computing: computing)
    fft = RealFFT(2 &* sizes.voice, &arena, computing: computing)
    spectrum = Spectrum(fft.room, &arena)
    let binHz = Double(sizes.rate) / Double(fft.count)
    let end = min(Int(truncatingIfNeeded: rounded(4000 / binHz)), fft.half)
    bins = Range(uncheckedBounds: (Int(truncatingIfNeeded: rounded(60 / binHz)), end))
    var points = 64
    while points < 2 &* end { points = points &* 2 }
    shortFFT = RealFFT(points, &arena, computing: computing)
    magnitudes = Spectrum(shortFFT.room, &arena)
    let shortRate = binHz * Double(points)
    lags = Range(
      uncheckedBounds: (
        Int(truncatingIfNeeded: rounded(shortRate / 400)),
        min(Int(truncatingIfNeeded: rounded(shortRate / 92)), points &>> 1)
      ))
    weights = arena.take(Float.self, lags.upperBound)
    if computing { computeWeights(step: fft.count &>> points.trailingZeroBitCount) }
  }

  private func computeWeights(step: Int) {
    let none = correlation(0)
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      weights[lag] = Float((none / max(correlation(lag &* step), 1e-9)).squareRoot())
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

  mutating func start() { heldUntil = .min }

  /// Whether the frame at `place`, heard at `centre`, is to be treated as a voice: it
  /// is one, or one was heard in the 0.35 s of input before.
  mutating func isVoice(
    at place: Int64, _ centre: Int64, factor: Double, _ history: StretchHistory
  ) -> Bool {
    guard sizes.hasVoice else { return false }
    if sizes.window == TIMESTRETCH_SPEECH { return true }
    let held = rounded(0.35 * Double(sizes.rate) * max(factor, 0.3))
    // It is looked for again once half of that is over.
    if centre < heldUntil, heldUntil &- centre > held &>> 1 { return true }
    if peak(at: place, history) > Self.leastPeak { heldUntil = centre &+ held }
    return centre < heldUntil
  }

  /// The highest correlation at a period from 92 to 400 Hz; 0 for silence, and before the
  /// stream.
  private func peak(at place: Int64, _ history: StretchHistory) -> Float {
    guard place &+ Int64(truncatingIfNeeded: window.count &>> 1) > 0 else { return 0 }
    magnitudes.clear(from: 0, to: shortFFT.room)
    var guide = 0
    while guide < history.guides {
      history.load(.guide(guide), place, window, fft)
      fft.forward(spectrum)
      var bin = bins.lowerBound
      while bin < bins.upperBound {
        magnitudes.re[bin] += ComplexEight(spectrum, bin).power[0].squareRoot()
        bin &+= 1
      }
      guide &+= 1
    }
    shortFFT.inverse(magnitudes)
    let output = shortFFT.output
    let all = output.re[0]
    guard all * Float(shortFFT.count) > 2e-3 * Float(window.count) else { return 0 }
    var best: Float = 0
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      let value = lag & 1 == 0 ? output.re[lag &>> 1] : output.im[lag &>> 1]
      best = max(best, value * weights[lag])
      lag &+= 1
    }
    return best / all
  }
}
