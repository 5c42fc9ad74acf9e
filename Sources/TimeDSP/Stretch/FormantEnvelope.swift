// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures the spectral envelope of a sound: a smooth curve over the partials, wherever they are.
///
/// We average powers over two thirds of the distance f between partials, so that the envelope
/// doesn't fluctuate with the pulses of a voice. Then a lifter, a filter of the cepstrum, smooths
/// the logarithms of the averages, with zeros at multiples of 1 / f (Morise, "CheapTrick, a
/// spectral envelope estimator for high-quality speech synthesis", Speech Communication 67, 2015).
struct FormantEnvelope {
  let fft: RealFFT
  let window: StretchWindow
  private let pitch: FormantPitch
  private let spectrum: Spectrum
  let powers: UnsafeMutablePointer<Float>
  /// For each edge between two bins, the sum of all powers below it. The first edge is `margin`
  /// bins below bin 0.
  private let sums: UnsafeMutablePointer<Double>
  private let lifter: UnsafeMutablePointer<Float>
  /// The result: for each bin, the base-2 logarithm of the envelope's power.
  let logs: UnsafeMutablePointer<Float>
  /// A sound without a pitch counts as having this one: 1/250 s, in frames.
  private let usualPeriod: Float

  private static let margin = 64
  /// We add this share of the highest power to all averages, so that much softer bins don't affect
  /// the smoothing.
  private static let floor: Float = 1e-10
  /// Softer sounds are silence: the peak power of a sine of -120 dBFS / the square of the window
  /// length.
  private static let silence: Float = 1e-13
  /// The spectral recovery coefficient q1 of CheapTrick.
  private static let recovery: Float = -0.15

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    fft = RealFFT(sizes.envelope, &memory, computing: computing)
    window = StretchWindow(sizes.envelope, &memory, computing: computing)
    pitch = FormantPitch(fft, rate: sizes.rate, &memory, computing: computing)
    spectrum = Spectrum(fft.room, &memory)
    powers = memory.allocate(Float.self, fft.room)
    sums = memory.allocate(Double.self, fft.half &+ 2 &* Self.margin)
    lifter = memory.allocate(Float.self, fft.half &+ 8)
    logs = memory.allocate(Float.self, fft.room)
    usualPeriod = Float(sizes.rate) / 250
  }

  /// Measures the envelope of the windowed frame in `fft.packed`. `nil` for silence, or a sound of
  /// a few tones.
  func measure() -> FormantReliability? {
    fft.forward(spectrum)
    var loudest: Float = 0
    var bin = 0
    while bin <= fft.half {
      powers[bin] = ComplexLanes(spectrum, bin).squarable.power[0]
      loudest = max(loudest, powers[bin])
      bin &+= 1
    }
    guard loudest > Self.silence * Float(fft.count) * Float(fft.count) else { return nil }
    let trust = pitch.measure(powers, loudest: loudest)
    guard trust.share > 0 else { return nil }
    let period = trust.hasPitch ? trust.period : usualPeriod
    if trust.hasPitch {
      fillBelow(Int(truncatingIfNeeded: rounded(Double(Float(fft.count) / period))))
    }
    average(over: Float(fft.count) / period * (1.0 / 3), floor: loudest * Self.floor)
    lift(period)
    return trust
  }

  /// Below the lowest partial, in bin `partial`, there's a gap. Bins k and `partial` - k both get
  /// the sum of their powers.
  private func fillBelow(_ partial: Int) {
    var bin = 0
    while 2 &* bin <= partial {
      let other = partial &- bin
      let sum = powers[bin] + powers[other]
      powers[bin] = sum
      if bin > 0 { powers[other] = sum }
      bin &+= 1
    }
  }

  /// Over `reach` bins on either side of each bin. Adds `floor`, and writes the base-2 logarithms
  /// to `spectrum`.
  private func average(over reach: Float, floor: Float) {
    let reach = Double(min(max(reach, 0.5), Float(Self.margin &- 4)))
    sums[0] = 0
    var index = 0
    while index &+ 1 < fft.half &+ 2 &* Self.margin {
      let bin = index &- Self.margin
      let folded = bin < 0 ? 0 &- bin : bin > fft.half ? 2 &* fft.half &- bin : bin
      sums[index &+ 1] = sums[index] + Double(powers[max(folded, 0)])
      index &+= 1
    }
    var bin = 0
    while bin <= fft.half {
      let middle = Double(bin &+ Self.margin) + 0.5
      let mean = (sum(below: middle + reach) - sum(below: middle - reach)) / (2 * reach)
      spectrum.re[bin] = Float(max(mean, 0)) + floor
      bin &+= 1
    }
    bin = 0
    while bin < fft.half {
      spectrum.re.put(spectrum.re.lanes(bin).binaryLogarithms, bin)
      bin &+= 8
    }
    spectrum.re[fft.half] = Lanes(repeating: spectrum.re[fft.half]).binaryLogarithms[0]
    spectrum.im.fill(0, fft.room)
  }

  private func sum(below edge: Double) -> Double {
    let whole = Int(truncatingIfNeeded: rounded(edge - 0.5))
    let distance = edge - Double(whole)
    return sums[whole] + (sums[whole &+ 1] - sums[whole]) * distance
  }

  private func lift(_ period: Float) {
    computeLifter(period)
    fft.inverse(spectrum)
    let (cepstrum, packed, half) = (fft.output, fft.packed, fft.half)
    for pair in upTo(half) {
      let (even, odd) = (2 &* pair, 2 &* pair &+ 1)
      packed.re[pair] = cepstrum.re[pair] * lifter[even <= half ? even : fft.count &- even]
      packed.im[pair] = cepstrum.im[pair] * lifter[odd <= half ? odd : fft.count &- odd]
    }
    fft.forward(spectrum)
    for bin in upTo(fft.room, by: 8) {
      logs.put(spectrum.re.lanes(bin), bin)
    }
  }

  /// sin (πx) / (πx) × (1 - 2 × r + 2 × r × cos (2πx)), where x is quefrency / period, and r is
  /// `recovery`.
  private func computeLifter(_ period: Float) {
    let first = Lanes(0, 1, 2, 3, 4, 5, 6, 7)
    var lag = 0
    while lag < fft.half &+ 8 {
      let x = (first + Float(lag)) * (1 / period)
      let sine = ComplexLanes(unit: (x * 0.5).phases).im
      let recovered = 1 - 4 * Self.recovery * sine * sine
      lifter.put(sine * recovered / (x * .pi + .leastNormalMagnitude), lag)
      lag &+= 8
    }
    lifter[0] = 1
  }
}
