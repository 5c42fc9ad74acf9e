// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Measures the spectral envelope of a sound: a smooth curve over the partials that doesn't depend
/// on where they are.
///
/// We average powers over two thirds of the spacing f of the partials, so that the envelope doesn't
/// fluctuate with the pulses of a voice. Then we smooth the logarithms of the averages with a
/// lifter, a filter on the cepstrum, which has zeros at multiples of 1 / f (Morise, "CheapTrick, a
/// spectral envelope estimator for high-quality speech synthesis", Speech Communication 67, 2015).
struct FormantEnvelope {
  let fft: RealFFT
  let window: StretchWindow
  private let autocorrelation: Autocorrelation
  fileprivate let spectrum: Spectrum
  let powers: Row<Float>
  /// For each edge between two bins, the sum of all powers below it. The first edge is `margin`
  /// bins below bin 0.
  private let sums: Row<Double>
  private let lifter: Row<Float>
  /// The result: for each bin, the base-2 logarithm of the envelope's power.
  fileprivate let logs: Row<Float>
  /// The spacing of partials that we assume for a sound without a pitch, in bins: 250 Hz.
  private let usualSpacing: Float

  private static let margin = 64
  /// The sound must correlate this well with itself one period later.
  private static let minPeak: Float = 0.6
  /// If it has fewer partials, a sound is just a tone and doesn't have formants.
  private static let minPartials = 3
  /// We count the bins within 40 dB of the loudest one. If there's no pitch and the count is at most
  /// this high, the sound is just a few tones. At twice this count, it's noise or a lot of tones,
  /// but only if they fill half of the range between the lowest and the highest bin.
  private static let fewBins: Float = 16
  /// We add this fraction of the highest power to all averages, so that much softer bins don't
  /// affect the smoothing.
  private static let floor: Float = 1e-10
  /// Anything softer is silence. It's the peak power of a sine at -120 dBFS / the square of the
  /// window length.
  private static let silence: Float = 1e-13
  /// If a partial is 8 dB below its neighbours, it may be missing.
  private static let minHole: Float = 2.7
  /// The spectral recovery coefficient q1 of CheapTrick.
  private static let recovery: Float = -0.15

  init(_ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    fft = try RealFFT(sizes.envelope, &memory)
    window = try StretchWindow(sizes.envelope, &memory)
    autocorrelation = try Autocorrelation(
      points: sizes.envelope, window: sizes.envelope, rate: sizes.rate, highest: 1400, &memory)
    spectrum = try Spectrum(fft.room, &memory)
    powers = try memory.row(fft.room)
    sums = try memory.row(fft.half &+ 2 &* Self.margin)
    lifter = try memory.row(fft.room)
    logs = try memory.row(fft.room)
    usualSpacing = 250 * Float(fft.count) / Float(sizes.rate)
  }

  /// `powers` with any missing partials filled in. `average` uses it and then clears it.
  private var filled: Row<Float> { spectrum.im }

  /// Measures the envelope of the windowed frame in `fft.packed`. Returns how much of the formant
  /// gains to apply, from 0 to 1. It's 0 for silence, or for a sound with just a few tones.
  func measure() -> Float {
    fft.forward(spectrum)
    // the bins after the last are 0, because we process eight at a time
    for bin in upTo(fft.room, by: 8) { powers[eight: bin] = spectrum[eight: bin].squarable.power }
    let loudest = powers.highest(from: 0, to: Float(fft.half))
    guard loudest > Self.silence * Float(fft.count) * Float(fft.count) else { return 0 }
    for bin in upTo(autocorrelation.bins) { autocorrelation.powers.re[bin] = powers[bin] }
    let pitch = autocorrelation.findPitch(
      above: Self.minPeak, Self.minPartials, of: autocorrelation.bins.upperBound)
    let partials = pitch.flatMap { $0.isHarmonic ? $0.spacing : nil }
    let share = partials == nil ? noisiness(loudest: loudest) : 1
    if share <= 0 { return 0 }
    let spacing = partials ?? usualSpacing
    for bin in upTo(fft.room, by: 8) { filled[eight: bin] = powers[eight: bin] }
    if partials != nil { bridgeHoles(spacing, least: loudest * Autocorrelation.minOfLoudest) }
    average(over: spacing * (1.0 / 3), floor: loudest * Self.floor)
    lift(Float(fft.count) / spacing)
    return share
  }

  /// From 0 for a few tones, or for tones that are far apart, to 1 for noise.
  private func noisiness(loudest: Float) -> Float {
    var (first, last, count) = (fft.half, 0, Float(0))
    for bin in upTo(fft.half &+ 1) where powers[bin] > Autocorrelation.minOfLoudest * loudest {
      (first, last) = (min(first, bin), bin)
      count += 1
    }
    let density = count / Float(max(last &- first, 0) &+ 1)
    return min(max(count / Self.fewBins - 1, 0), 1) * min(max(4 * density - 1, 0), 1)
  }

  /// Some sounds only have every second or third multiple of `spacing`, or lack the lowest ones.
  /// Adds the missing partials to `filled`, at the level that their neighbours suggest, so that the
  /// envelope doesn't follow individual partials. The envelope is flat below the lowest partial
  /// that's louder than `least`.
  private func bridgeHoles(_ spacing: Float, least: Float) {
    let end = nearestIndex((Float(fft.half) - 2) / spacing) &- 1
    let faint = Lanes(repeating: least).binaryLogarithms[0]
    var lowest = 1
    while lowest < end, partial(lowest, spacing) < faint { lowest &+= 1 }
    let onset = partial(lowest, spacing)
    // partials -n and n are the same
    var (below2, below, own) = (partial(2, spacing), partial(1, spacing), partial(0, spacing))
    var above = below
    for order in upTo(end) {
      let above2 = partial(order &+ 2, spacing)
      let one = Self.fill(own, expecting: (below + above) / 2, over: 1)
      let two = Self.fill(
        own, expecting: max(below2 + 2 * above, 2 * below + above2) * (1.0 / 3), over: 2)
      let height = max(one, two, order < lowest ? onset : own)
      if height > own { addPartial(Float(order) * spacing, height) }
      (below2, below, own, above) = (below, own, above, above2)
    }
  }

  /// The new height of a partial, given the height that its neighbours suggest. We leave a hole of
  /// `minHole` alone, because it may be natural, and fill one that's twice as deep completely. A
  /// hole over two partials has to be twice as deep as that.
  private static func fill(_ own: Float, expecting expected: Float, over partials: Float) -> Float {
    let (hole, least) = (expected - own, partials * minHole)
    return hole > least ? expected - max(2 * least - hole, 0) : own
  }

  /// Adds a partial shaped like the main lobe of a Hann window. `height` is a base-2 logarithm.
  private func addPartial(_ position: Float, _ height: Float) {
    let power = Lanes(repeating: height).binaryPowers[0]
    let middle = nearestIndex(position)
    filled[middle] += power
    filled[middle &+ 1] += power / 4
    if middle > 0 { filled[middle &- 1] += power / 4 }
  }

  /// The height of a partial as the base-2 logarithm of its power.
  private func partial(_ order: Int, _ spacing: Float) -> Float {
    let (middle, reach) = (Float(order) * spacing, spacing / 4)
    let power = powers.highest(
      from: max(middle - reach, 0), to: min(middle + reach, Float(fft.half)))
    return Lanes(repeating: max(power, 1e-30)).binaryLogarithms[0]
  }

  /// Averages `filled` over `reach` bins on either side of each bin. Adds `floor`, and writes the
  /// base-2 logarithms to `spectrum`.
  private func average(over reach: Float, floor: Float) {
    let reach = Double(min(max(reach, 0.5), Float(Self.margin &- 4)))
    for index in upTo(sums.count &- 1) {
      let bin = index &- Self.margin
      let folded = bin < 0 ? 0 &- bin : bin > fft.half ? 2 &* fft.half &- bin : bin
      sums[index &+ 1] = sums[index] + Double(filled[max(folded, 0)])
    }
    for bin in upTo(fft.half &+ 1) {
      let middle = Double(bin &+ Self.margin) + 0.5
      let mean = (sum(below: middle + reach) - sum(below: middle - reach)) / (2 * reach)
      spectrum.re[bin] = Float(max(mean, 0)) + floor
    }
    for bin in upTo(fft.half, by: 8) {
      spectrum.re[eight: bin] = spectrum.re[eight: bin].binaryLogarithms
    }
    spectrum.re[fft.half] = Lanes(repeating: spectrum.re[fft.half]).binaryLogarithms[0]
    spectrum.im.fill(0, to: fft.room)
  }

  private func sum(below edge: Double) -> Double {
    let whole = nearestIndex(edge - 0.5)
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
    for bin in upTo(fft.room, by: 8) { logs[eight: bin] = spectrum.re[eight: bin] }
  }

  /// sin (πx) / (πx) × (1 - 2 × r + 2 × r × cos (2πx)), where x is quefrency / period, and r is
  /// `recovery`.
  private func computeLifter(_ period: Float) {
    let first = Lanes(0, 1, 2, 3, 4, 5, 6, 7)
    for lag in upTo(lifter.count, by: 8) {
      let x = (first + Float(lag)) * (1 / period)
      let sine = ComplexLanes(unit: (x * 0.5).phases).im
      let recovered = 1 - 4 * Self.recovery * sine * sine
      lifter[eight: lag] = sine * recovered / (x * .pi + .leastNormalMagnitude)
    }
    lifter[0] = 1
  }
}

/// The recent input of a chain, mixed down to one channel. We measure formants here rather than in
/// the stretcher's input, because a scaler before the stretcher that raises the pitch removes the
/// highest frequencies and their formants.
struct FormantHistory {
  /// A ring buffer.
  private let frames: Row<Float>
  private var end: Int64

  /// The weight of each channel after the first. It's below 1, so that two channels with opposite
  /// phases don't cancel out.
  private static let side: Float = 0.7
  /// The min factor of the scaler before the stretcher. Below it, we don't move formants, because
  /// we'd need a longer history.
  fileprivate static let minFactor = 0.125

  /// `start` is the stream position of the first frame that you'll append.
  init(_ sizes: StretchSizes, from start: Int64, _ memory: inout Arena) throws(TimeDSPStatus) {
    let held = sizes.ahead &+ 2 &* sizes.longest &+ sizes.slack &+ 2 &* Scratch.capacity
    // a power of two
    var capacity = 1024
    while capacity < 8 &* held &+ sizes.envelope { capacity = capacity &* 2 }
    frames = try memory.row(capacity)
    end = start
  }

  /// Appends the first `count` frames of `input`.
  mutating func append(_ input: FrameCursor, _ count: Int, _ shape: AudioShape) {
    for channel in upTo(shape.channels) {
      shape.read(channel, of: input, count) { frame, number in
        let sound = Float(number).reasonable
        let index = index(end &+ Int64(frame))
        frames[index] = channel == 0 ? sound : frames[index] + sound * Self.side
      }
    }
    end &+= Int64(count)
  }

  private func index(_ frame: Int64) -> Int {
    Int(truncatingIfNeeded: frame) & (frames.count &- 1)
  }

  /// Writes the windowed frames around `centre` to the input of `fft`. Frames before the start of
  /// the stream, and those that haven't arrived yet, are silent. If any of the frames has been
  /// overwritten, this returns `false` and doesn't write anything.
  func load(_ centre: Int64, _ window: StretchWindow, _ fft: RealFFT) -> Bool {
    let first = centre &- Int64(window.count &>> 1)
    guard first >= end &- Int64(frames.count) else { return false }
    for pair in upTo(window.count &>> 1) {
      let frame = first &+ Int64(2 &* pair)
      fft.packed.re[pair] = value(frame) * window.values[2 &* pair]
      fft.packed.im[pair] = value(frame &+ 1) * window.values[2 &* pair &+ 1]
    }
    return true
  }

  private func value(_ frame: Int64) -> Float {
    frame < end ? frames[index(frame)] : 0
  }
}

/// How formants move, starting at one of the stretcher's input frames and lasting until the next
/// law.
struct FormantLaw: BitwiseCopyable {
  /// The curve of the scaler before the stretcher. Starting at the law's first frame, it maps the
  /// stretcher's input frames to positions in the chain's input, where we measure formants.
  let section: CurveSection
  /// A partial at frequency f of the input gets the level that the input's envelope has at f ×
  /// `ratio`. If it's 1, formants don't move.
  let ratio: Double
  /// The power is also multiplied by this, to keep the loudness when the pitch changes.
  let level: Double

  /// The first of the stretcher's input frames that the law applies to.
  var frame: Int64 { section.output.high }

  /// How many input frames of the chain make one input frame of the stretcher.
  var step: Double { section.speed }

  func position(of other: Int64) -> Double {
    section.input.value + section.input(of: Double(other &- frame))
  }
}

/// Computes the gains that move formants, the resonances of a voice or an instrument. Each bin of a
/// synthesis frame gets the level that the input's spectral envelope has at another frequency,
/// which depends on the `FormantLaw`.
struct FormantMover: ~Copyable {
  private let memory: Arena
  private let shape: AudioShape
  private var history: FormantHistory
  /// In chronological order. If there are too many, we drop the oldest.
  private var laws: FixedArray<FormantLaw>
  private let envelope: FormantEnvelope
  /// Gains for the bins of `envelope`, as base-2 logarithms until `power(_:less:)` converts them.
  private let coarse: Row<Float>
  /// The resulting gains for the bins of the stretcher.
  private let gains: Row<Float>

  /// The max gain or loss as a base-2 logarithm: 30 dB. A larger gain could make inaudible noise
  /// audible.
  private static let most: Float = 5
  /// The max loss of the sound's power as a base-2 logarithm: 2.4 dB.
  private static let maxLoss: Float = 0.8

  /// `frame` is the stream position of the chain's next input frame.
  ///
  /// Throws if we run out of memory.
  init(_ shape: AudioShape, _ sizes: StretchSizes, from frame: Int64) throws(TimeDSPStatus) {
    var memory = Arena()
    let history = try FormantHistory(sizes, from: frame, &memory)
    let envelope = try FormantEnvelope(sizes, &memory)
    let coarse: Row<Float> = try memory.row(envelope.fft.room)
    let gains: Row<Float> = try memory.row(sizes.longest &+ 16)
    let laws = try FixedArray<FormantLaw>(capacity: 256)
    (self.history, self.envelope, self.coarse, self.gains) = (history, envelope, coarse, gains)
    self.laws = laws
    self.shape = shape
    self.memory = memory
  }

  /// The chain has consumed the first `count` frames of `input`.
  mutating func receive(_ input: FrameCursor, _ count: Int) { history.append(input, count, shape) }

  /// Drops all other laws that begin at the same frame or later.
  mutating func append(_ law: FormantLaw) {
    while let last = laws.last, last.frame >= law.frame { laws.removeLast() }
    if laws.isFull { laws.removeFirst() }
    laws.append(law)
  }

  /// An input frame of the stretcher.
  mutating func forget(before frame: Int64) {
    while let second = laws[1], second.frame <= frame { laws.removeFirst() }
  }

  /// An input frame of the stretcher. `nil` before the first law.
  private func law(at frame: Int64) -> FormantLaw? {
    var index = laws.count &- 1
    while let law = laws[index], law.frame > frame { index &-= 1 }
    return laws[index]
  }

  /// An input frame of the stretcher.
  func moves(at frame: Int64) -> Bool { law(at: frame).map { $0.ratio != 1 } ?? false }

  /// The gains of the first `bins` bins of a synthesis frame whose analysis frame is centred on
  /// `frame`. The stretcher has received all input frames before `end`. Returns `nil` if formants
  /// don't move at `frame`, or if we can't measure them there.
  func findGains(at frame: Int64, bins: Int, before end: Int64) -> Row<Float>? {
    guard let law = self.law(at: frame), law.ratio != 1,
      law.step >= 1, law.step * FormantHistory.minFactor <= 1
    else { return nil }
    let centre = rounded(law.position(of: frame))
    let half = Int64(envelope.window.count &>> 1)
    // We mustn't look at frames that the stretcher hasn't received, even if they've already
    // arrived. Otherwise, the output would depend on how you split the input into buffers.
    guard let last = self.law(at: end), Double(centre &+ half) <= last.position(of: end),
      history.load(centre, envelope.window, envelope.fft)
    else { return nil }
    let trust = envelope.measure()
    guard trust > 0 else { return nil }
    findCoarse(law)
    let (right, excess) = balance(law)
    let share = trust * right
    guard share > 0 else { return nil }
    power(share, less: excess)
    spread(step: Float(envelope.fft.half) / Float(bins &- 1) / Float(law.step), bins)
    return gains
  }

  /// Sets `coarse` to the gains of the envelope's bins, as base-2 logarithms.
  private func findCoarse(_ law: FormantLaw) {
    let (logs, half) = (envelope.logs, envelope.fft.half)
    let level = Lanes(repeating: Float(law.level)).binaryLogarithms[0]
    var position: Double = 0
    for bin in upTo(half &+ 1) {
      let held = min(position, Double(half))
      let whole = min(Int(truncatingIfNeeded: timedsp_whole_part(held)), half &- 1)
      let distance = Float(held - Double(whole))
      let moved = logs[whole] + (logs[whole &+ 1] - logs[whole]) * distance
      coarse[bin] = min(max((moved - logs[bin] + level) * 0.5, 0 - Self.most), Self.most)
      position += law.ratio
    }
    coarse.fill(0, from: half &+ 1)
  }

  /// Converts the logarithms in `coarse`, scaled by `share`, to gains that are lower by `excess`, a
  /// base-2 logarithm of power.
  private func power(_ share: Float, less excess: Float) {
    let half = envelope.fft.half
    let less = excess * 0.5
    for bin in upTo(half, by: 8) {
      coarse[eight: bin] = ((coarse[eight: bin] - less) * share).binaryPowers
    }
    coarse[half] = Lanes(repeating: (coarse[half] - less) * share).binaryPowers[0]
  }

  /// Limits how much the gains change the level of the sound. You should only apply `share` of
  /// them, 0 … 1. If you applied them in full, the sound would be too loud by `excess`, a base-2
  /// logarithm of power. It's negative if the sound would be too soft.
  ///
  /// The share is 1 if the gains lower the power by at most 9 dB, and drops to 0 at 15 dB. A loss
  /// that large means that the sound only has a few partials, and that the moved envelope is low at
  /// all of them. A sound with many partials may get too loud instead.
  private func balance(_ law: FormantLaw) -> (share: Float, excess: Float) {
    let end = Double(envelope.fft.half) / law.step
    let squares = envelope.spectrum.re
    for bin in upTo(envelope.fft.room, by: 8) {
      squares[eight: bin] = (coarse[eight: bin] * 2).binaryPowers
    }
    let kept = keptAtPeaks(squares, lastBin(end))
    let after = power(lastBin(end), times: squares)
    let wanted = power(lastBin(end * law.ratio)) * Float(law.level / law.ratio)
    let excess = max(logarithm(after / wanted), 0)
    let lost = max(excess - kept - Self.maxLoss, 0)
    return (min(max((5 + kept) / 2, 0), 1), excess - lost)
  }

  /// How much the gains change the power, as a base-2 logarithm. We only look at peaks, because
  /// elsewhere our window's leakage may get large gains. The stretcher's windows are longer, so
  /// they leak less.
  private func keptAtPeaks(_ squares: Row<Float>, _ last: Int) -> Float {
    let powers = envelope.powers
    var (before, after) = (Lanes.zero, Lanes.zero)
    for bin in upTo(last, from: 1, by: 8) {
      let (low, here, high) = (
        powers[eight: bin &- 1], powers[eight: bin], powers[eight: bin &+ 1]
      )
      let isPeak = (here .> low .& here .>= high)
      let scale = 1 / (here + .leastNormalMagnitude)
      let left = (low * scale).replacing(with: 0, where: .!isPeak)
      let right = (high * scale).replacing(with: 0, where: .!isPeak)
      let (left2, right2) = (left * left, right * right)
      let sum =
        left2 * squares[eight: bin &- 1] + squares[eight: bin] + right2 * squares[eight: bin &+ 1]
      let power = (low + here + high).replacing(with: 0, where: .!isPeak)
      before += power
      after += power * sum / (left2 + 1 + right2)
    }
    return logarithm((after.total + .leastNormalMagnitude) / (before.total + .leastNormalMagnitude))
  }

  private func logarithm(_ ratio: Float) -> Float {
    Lanes(repeating: min(max(ratio, 1e-9), 1e9)).binaryLogarithms[0]
  }

  private func lastBin(_ end: Double) -> Int {
    nearestIndex(min(end, Double(envelope.fft.half)))
  }

  private func power(_ last: Int, times squares: Row<Float>? = nil) -> Float {
    var sum = Lanes.zero
    for bin in upTo(last, by: 8) {
      sum += envelope.powers[eight: bin] * (squares?[eight: bin] ?? .one)
    }
    return sum.total + .leastNormalMagnitude
  }

  /// Interpolates `gains` from `coarse`. Each bin of the stretcher is as wide as `step` bins of the
  /// envelope.
  private func spread(step: Float, _ bins: Int) {
    let half = envelope.fft.half
    for bin in upTo(bins) {
      let position = min(Float(bin) * step, Float(half))
      let whole = min(Int(truncatingIfNeeded: timedsp_whole_part(Double(position))), half &- 1)
      let distance = position - Float(whole)
      gains[bin] = coarse[whole] + (coarse[whole &+ 1] - coarse[whole]) * distance
    }
    gains.fill(1, from: bins, to: bins &+ 8)
  }
}
