// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Detects a single speaking or singing voice. It has one harmonic series, and its pitch keeps
/// changing, whereas instruments play notes with a constant pitch. The stretcher uses a shorter
/// window for a voice, so that the changing partials stay in their bins.
struct VoiceDetector {
  private var pitch: VoicePitch
  private let sizes: StretchSizes
  private var evidence = VoiceEvidence()
  /// The centre of the next window to measure. It's always a multiple of `step`, so that the result
  /// doesn't depend on the factor.
  private var next: Int64 = 0
  /// The voice ends at this input frame unless we detect it again.
  private var heldUntil: Int64 = .min

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    pitch = VoicePitch(sizes, &memory, computing: computing)
  }

  private var step: Int64 { Int64(truncatingIfNeeded: sizes.voice &>> 1) }

  mutating func start() {
    (evidence, next, heldUntil) = (VoiceEvidence(), 0, .min)
    pitch.start()
  }

  /// Does part of the next measurement as soon as its input has arrived, to spread the work over
  /// several calls. `isVoice` does the rest.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasVoice, sizes.window != TIMESTRETCH_SPEECH, next &+ step <= history.end else {
      return
    }
    pitch.measureGuide(around: next, history)
  }

  /// With the speech window, we treat every frame as a voice. Otherwise, we must have detected one
  /// at `position` or in the half second before it. Reads up to half a voice window of input after
  /// `position`.
  mutating func isVoice(at position: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasVoice else { return false }
    if sizes.window == TIMESTRETCH_SPEECH { return true }
    let last = position &+ step
    if next < last &- 2 &* step {
      // we've skipped frames without measuring them, so start over
      next = last & ~(step &- 1)
      evidence = VoiceEvidence()
    }
    while next <= last {
      let duration = Float(step) / Float(sizes.rate)
      evidence.add(pitch.measure(around: next, history), after: duration)
      if evidence.isVoice {
        heldUntil = next &+ Int64(truncatingIfNeeded: sizes.frames(milliseconds: 500))
      }
      next &+= step
    }
    return position < heldUntil
  }
}

/// Evidence for a voice, from successive measurements of the pitch. Changes of 700 to 7,000 cents
/// per second add to it, and a constant pitch reduces it. It decays within half a second.
struct VoiceEvidence: BitwiseCopyable {
  private var last = PitchMeasure()
  private(set) var sum: Float = 0

  /// It's a voice if the sum is above this. Each change of pitch adds 1.
  private static let needed: Float = 2
  /// Each measurement of a constant pitch subtracts this much.
  private static let stillness: Float = 0.5
  private static let minHarmonics = 4
  /// We treat the pitch as constant below this relative change per second (375 cents).
  private static let still: Float = 0.217
  /// The pitch of a voice changes at least this much per second: 700 cents.
  private static let moving: Float = 0.408
  /// The pitch of a voice changes at most this much per second: 7,000 cents.
  private static let jumping: Float = 4.24
  private static let memory: Float = 0.5

  var isVoice: Bool { sum > Self.needed }

  mutating func add(_ measure: PitchMeasure, after seconds: Float) {
    sum *= max(1 - seconds / Self.memory, 0)
    let (old, new) = (last, measure)
    last = new
    guard old.frequency > 0, new.frequency > 0 else { return }
    let ratio = max(new.frequency / old.frequency, old.frequency / new.frequency)
    let change = (ratio - 1) / seconds
    if change < Self.still {
      sum = max(sum - Self.stillness, 0)
    } else if change > Self.moving, change < Self.jumping,
      min(old.harmonics, new.harmonics) >= Self.minHarmonics
    {
      sum += 1
    }
  }
}

/// Measures the pitch of one window of the input for `VoiceDetector`, by autocorrelation below 4
/// kHz.
struct VoicePitch {
  private let window: StretchWindow
  private let fft: RealFFT
  private let spectrum: Spectrum
  /// Turns powers into an autocorrelation, with just enough points for the bins up to 4 kHz.
  private let shortFFT: RealFFT
  private let powers: Spectrum
  private let bins: Range<Int>
  private let autocorrelation: Autocorrelation
  /// The input frame that `powers` are centred on.
  private var middle: Int64 = .min
  /// Guide channels (`StretchHistory`) in `powers` so far.
  private var guides = 0

  /// The sound must correlate this well with itself one period later.
  private static let minPeak: Float = 0.8
  /// A harmonic's min power relative to the loudest bin: -40 dB.
  private static let minOfLoudest: Float = 1e-4
  /// A harmonic's min power relative to the midpoint between two harmonics.
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
    let lags = Range(
      uncheckedBounds: (
        Int(truncatingIfNeeded: rounded(shortRate / 500)),
        min(Int(truncatingIfNeeded: rounded(shortRate / 70)), points &>> 1 &- 1)
      ))
    autocorrelation = Autocorrelation(
      fft: shortFFT, lags: lags, weights: memory.allocate(Float.self, lags.upperBound &+ 1))
    if computing { computeWeights(step: fft.count &>> points.trailingZeroBitCount) }
  }

  private func computeWeights(step: Int) {
    let none = correlation(0)
    let lags = autocorrelation.lags
    var lag = lags.lowerBound &- 1
    while lag <= lags.upperBound {
      autocorrelation.weights[lag] = Float(none / max(correlation(lag &* step), 1e-9))
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
  fileprivate mutating func measureGuide(around position: Int64, _ history: StretchHistory) {
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

  /// Measures the pitch around input frame `position`, after adding any guide channels that
  /// `measureGuide` hasn't got to yet.
  mutating func measure(around position: Int64, _ history: StretchHistory) -> PitchMeasure {
    repeat { measureGuide(around: position, history) } while guides < history.guides
    shortFFT.inverse(powers)
    let all = shortFFT.output.re[0] * Float(shortFFT.count)
    // the sum of the powers of a sine at -70 dBFS
    guard all > 4e-8 * Float(window.count) * Float(window.count) else { return PitchMeasure() }
    let least = Self.minPeak * all / Float(shortFFT.count)
    guard let period = autocorrelation.period(above: least) else { return PitchMeasure() }
    return PitchMeasure(
      frequency: 1 / period, harmonics: harmonics(spacing: Float(shortFFT.count) / period))
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
  /// How many of the first eight harmonics are present.
  var harmonics = 0
}

/// Finds where to read an analysis frame of a voice so that it continues the waveform of the last
/// synthesis frame. We correlate that frame with the input around the position we'd like, and pick
/// the closest of the high peaks (McLeod and Wyvill, "A smarter way to find pitch", ICMC 2005).
///
/// We divide by the correlation of the two windows, which drops as they move apart. Otherwise,
/// distant peaks would be too low, and the peaks of a low voice would be pulled towards the centre.
struct VoiceSearch {
  /// How far we may read from where the time map says.
  private let slack: Int
  /// How many frames we search on either side of the wanted position: half a long period.
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
  /// returns where to read the current frame. `advance` is the product of the two spectra
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

  /// The number of bins below 5 kHz.
  private func bins(_ fft: RealFFT) -> Int {
    let bin = (5000 &* fft.count).dividedReportingOverflow(by: max(rate, 1)).partialValue
    return min(bin &+ 1, fft.half)
  }

  /// The lag of the high peak closest to `wanted`, and the height of the highest peak, or 0 if
  /// there isn't one.
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

  /// The correlation at a lag / the correlation of the windows at that lag.
  private func value(_ fft: RealFFT, _ lag: Int) -> Float {
    let index = lag & (fft.count &- 1)
    let value = index & 1 == 0 ? fft.output.re[index &>> 1] : fft.output.im[index &>> 1]
    return value * weights[Int(truncatingIfNeeded: lag.magnitude)]
  }
}

/// Where we read an analysis frame of a voice near an onset or an end, and how well it continues
/// the voice. It's up to 14 ms from where the time map says. Since we measure the phase advance
/// there too, every partial keeps its frequency.
struct VoiceFollower {
  /// Distance from where the time map says, in samples.
  var shift: Int64 = 0
  /// How well the input at that position continues the output, from 0 (not at all) to 1.
  var fit: Float = 0
  /// We're near an onset or an end, so we read at the original speed.
  var isRigid = false
}

/// Where we'd like to read an analysis frame of a voice. `VoiceSearch` finds the actual position,
/// which also depends on the voice's period.
struct ReadingPosition {
  /// Distance from where the time map says, in samples.
  var aside: Int64
  /// We have to read here, at the original speed, even if that doesn't continue the voice.
  var isRigid: Bool
}

/// Finds where a voice ends, as the input arrives. A voice stops just as abruptly in slow speech as
/// in fast speech, so the stretcher plays an end at its original speed. The 16 ms after an end are
/// at least 10 dB softer than the 16 ms before it, and the difference is larger than at
/// neighbouring positions.
///
/// We take the energy of sums of a few successive frames. That's a low-pass filter, which
/// attenuates sibilants.
struct VoiceEnds {
  /// In frames. 1.3 ms at 48 kHz.
  private let step: Int
  /// We sum this many frames before squaring, which keeps frequencies up to about 3 kHz.
  private let summed: Int
  /// A ring buffer of the energies of the last 128 steps.
  private let energies: UnsafeMutablePointer<Float>
  private var steps: Int64 = 0
  /// The recent maximum of a step's energy, which decays by 4.9 dB per second.
  private var loudness: Float = 0
  private let isUsed: Bool

  private static let capacity: Int64 = 128
  /// How many steps we compare before and after a position: 16 ms.
  private static let compared: Int64 = 12
  /// At an end, the energy falls more than at any of this many steps on either side.
  private static let around: Int64 = 4
  private static let minFall: Float = 10

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    isUsed = sizes.hasVoice
    step = sizes.onsets.step
    summed = max(step &>> 2, 1)
    energies = memory.allocate(Float.self, Int(truncatingIfNeeded: Self.capacity))
  }

  mutating func start() {
    energies.fill(0, Int(truncatingIfNeeded: Self.capacity))
    (steps, loudness) = (0, 0)
  }

  mutating func run(_ history: StretchHistory) {
    guard isUsed else { return }
    let length = Int64(truncatingIfNeeded: step)
    while (steps &+ 1) &* length <= history.end {
      let energy = energy(from: steps &* length, history)
      energies[Self.index(steps)] = energy
      loudness = max(energy, loudness * 0.9985)
      steps &+= 1
    }
  }

  private static func index(_ step: Int64) -> Int {
    Int(truncatingIfNeeded: step & (capacity &- 1))
  }

  private func energy(from first: Int64, _ history: StretchHistory) -> Float {
    var all: Float = 0
    for guide in upTo(history.guides) {
      var frame = first
      while frame < first &+ Int64(truncatingIfNeeded: step) {
        let end = frame &+ Int64(truncatingIfNeeded: summed)
        var sum: Float = 0
        while frame < end {
          sum += history.sample(ofGuide: guide, frame)
          frame &+= 1
        }
        all += sum * sum
      }
    }
    return all
  }

  /// The input frame of the nearest end, or `nil` if there isn't one within `reach` frames.
  func nearest(to position: Int64, reach: Int64) -> Int64? {
    let length = Int64(truncatingIfNeeded: step)
    let last = min((position &+ reach).quotient(by: length), steps &- Self.compared &- Self.around)
    let first = max(
      (position &- reach).quotient(by: length),
      steps &- Self.capacity &+ 2 &* Self.compared &+ Self.around, 0)
    var best: Int64?
    var index = first
    while index <= last {
      let end = index &* length
      if isEnd(index),
        best.map({ (end &- position).magnitude < ($0 &- position).magnitude }) ?? true
      {
        best = end
      }
      index &+= 1
    }
    return best
  }

  private func isEnd(_ index: Int64) -> Bool {
    let fall = fall(index)
    guard fall > Self.minFall else { return false }
    var other = index &- Self.around
    while other <= index &+ Self.around {
      if self.fall(other) > fall { return false }
      other &+= 1
    }
    return true
  }

  /// The energy before step `index` / the energy from that step onwards, or 0 if the sound before
  /// was short. It's limited to about 20 dB, because the voice has definitely ended by then, and a
  /// larger fall wouldn't tell us anything new.
  private func fall(_ index: Int64) -> Float {
    let before = sum(index &- Self.compared)
    let long = sum(index &- 2 &* Self.compared)
    if long < 0.1 * before { return 0 }
    return before / (sum(index) + 0.01 * (before + long) + loudness * 1e-5 + 1e-10)
  }

  private func sum(_ first: Int64) -> Float {
    var sum: Float = 0
    var index = first
    while index < first &+ Self.compared {
      sum += energies[Self.index(index)]
      index &+= 1
    }
    return sum
  }
}
