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

  init(_ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.sizes = sizes
    pitch = try VoicePitch(sizes, &memory)
  }

  private var step: Int64 { Int64(sizes.voice &>> 1) }

  /// Does part of the next measurement as soon as its input has arrived, to spread the work over
  /// several calls. `isVoice` does the rest.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasVoice, sizes.window != TIMESTRETCH_SPEECH, next &+ step <= history.end else {
      return
    }
    _ = pitch.addGuide(around: next, history)
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
        heldUntil = next &+ Int64(sizes.frames(milliseconds: 500))
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
    } else if change > Self.moving, change < Self.jumping, old.isHarmonic, new.isHarmonic {
      sum += 1
    }
  }
}

/// Measures the pitch of one window of the input for `VoiceDetector`, by autocorrelation below 4
/// kHz.
struct VoicePitch {
  private var guides: GuideSpectra
  private let autocorrelation: Autocorrelation

  /// The sound must correlate this well with itself one period later.
  private static let minPeak: Float = 0.8
  private static let minHarmonics = 4
  private static let maxHarmonics = 8

  init(_ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    let window = try StretchWindow(sizes.voice, &memory)
    guides = try GuideSpectra(window, points: 2 &* sizes.voice, &memory)
    autocorrelation = try Autocorrelation(
      points: 2 &* sizes.voice, window: sizes.voice, rate: sizes.rate, highest: 500, &memory)
  }

  /// Adds one more guide channel around input frame `position`. Returns `false` if there isn't one.
  fileprivate mutating func addGuide(around position: Int64, _ history: StretchHistory) -> Bool {
    guard let isFirst = guides.measureNext(around: position, history) else { return false }
    let powers = autocorrelation.powers.re
    for bin in upTo(autocorrelation.bins) {
      let power = guides.spectrum[eight: bin].squarable.power[0]
      powers[bin] = isFirst ? power : powers[bin] + power
    }
    return true
  }

  /// Measures the pitch around input frame `position`, after adding any guide channels that we
  /// haven't got to yet.
  mutating func measure(around position: Int64, _ history: StretchHistory) -> PitchMeasure {
    while addGuide(around: position, history) {}
    let pitch = autocorrelation.findPitch(
      above: Self.minPeak, Self.minHarmonics, of: Self.maxHarmonics)
    // the sum of the powers of a sine at -70 dBFS
    let frames = Float(guides.window.count)
    guard let pitch, autocorrelation.total > 4e-8 * frames * frames else { return PitchMeasure() }
    return PitchMeasure(frequency: pitch.spacing, isHarmonic: pitch.isHarmonic)
  }
}

struct PitchMeasure {
  /// 0 if there's no pitch. `VoiceEvidence` only uses ratios, so any unit will do.
  var frequency: Float = 0
  /// True if at least four of the first eight harmonics are present.
  var isHarmonic = false
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
  private let weights: Row<Float>

  /// Relative to the highest peak.
  private static let minPeak: Float = 0.9

  init(_ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    (slack, reach, rate) = (sizes.slack, sizes.slack &- sizes.aside, sizes.rate)
    weights = try memory.row(slack &+ 2)
    for lag in upTo(weights.count) {
      weights[lag] = Float(1 / StretchWindow.correlation(Double(lag) / Double(sizes.voice)))
    }
  }

  /// Correlates the last synthesis frame with the input one hop before the current frame, and
  /// returns where to read the current frame. `advance` is the product of the two spectra
  /// (`StretchAnalysis.advance`). Overwrites `work`.
  func follow(
    _ advance: Spectrum, with work: Spectrum, _ fft: RealFFT, toward position: VoiceFollower
  ) -> VoiceFollower {
    // up to 5 kHz
    let end = min((5000 &* fft.count).quotient(by: rate) &+ 1, fft.half)
    var all: Float = 0
    for bin in upTo(end) {
      let number = advance[eight: bin]
      all += number.squarable.power[0].squareRoot()
      work.re[bin] = number.re[0]
      work.im[bin] = number.im[0]
    }
    work.clear(from: end, to: fft.room)
    fft.inverse(work)
    all = all * 2 / Float(fft.count)
    let (lag, height) = nearest(to: 0 &- Int(truncatingIfNeeded: position.shift), fft)
    let fit = all > 1e-12 ? min(max((height / all - 0.6) * 4, 0), 1) : 0
    let aside = position.isRigid ? position.shift : 0
    return VoiceFollower(
      shift: fit > 0 ? Int64(0 &- lag) : aside, fit: fit,
      isRigid: position.isRigid)
  }

  /// The lag of the high peak closest to `wanted`, and the height of the highest peak, or 0 if
  /// there isn't one.
  private func nearest(to wanted: Int, _ fft: RealFFT) -> (lag: Int, height: Float) {
    let (first, last) = (max(wanted &- reach, 0 &- slack), min(wanted &+ reach, slack))
    var height: Float = 0
    for lag in upTo(last &+ 1, from: first) { height = max(height, value(fft, lag)) }
    for distance in upTo(reach &+ 1) {
      let (low, high) = (wanted &- distance, wanted &+ distance)
      if low >= first, isPeak(fft, low, Self.minPeak * height) { return (low, height) }
      if high <= last, isPeak(fft, high, Self.minPeak * height) { return (high, height) }
    }
    return (wanted, 0)
  }

  private func isPeak(_ fft: RealFFT, _ lag: Int, _ least: Float) -> Bool {
    let middle = value(fft, lag)
    return middle >= least && middle >= value(fft, lag &- 1) && middle >= value(fft, lag &+ 1)
  }

  /// The correlation at a lag / the correlation of the windows at that lag.
  private func value(_ fft: RealFFT, _ lag: Int) -> Float {
    fft.number(lag & (fft.count &- 1)) * weights[Int(truncatingIfNeeded: lag.magnitude)]
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
  /// We're near an onset or an end, so we read at the original speed, even if that doesn't continue
  /// the voice.
  var isRigid = false
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
  private let step: Int64
  /// We sum this many frames before squaring, which keeps frequencies up to about 3 kHz.
  private let summed: Int64
  /// A ring buffer of the energies of the last 128 steps.
  private let energies: Row<Float>
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

  init(_ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    isUsed = sizes.hasVoice
    step = Int64(sizes.onsets.step)
    summed = max(step &>> 2, 1)
    energies = try memory.row(Int(Self.capacity))
  }

  mutating func run(_ history: StretchHistory) {
    guard isUsed else { return }
    while (steps &+ 1) &* step <= history.end {
      let energy = energy(from: steps &* step, history)
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
      for start in upTo(first &+ step, from: first, by: summed) {
        var sum: Float = 0
        for frame in upTo(start &+ summed, from: start) {
          sum += history.sample(ofGuide: guide, frame)
        }
        all += sum * sum
      }
    }
    return all
  }

  /// The input frame of the nearest end, or `nil` if there isn't one within `reach` frames.
  func nearest(to position: Int64, reach: Int64) -> Int64? {
    let last = min((position &+ reach).quotient(by: step), steps &- Self.compared &- Self.around)
    let first = max(
      (position &- reach).quotient(by: step),
      steps &- Self.capacity &+ 2 &* Self.compared &+ Self.around, 0)
    var best: Int64?
    for index in upTo(last &+ 1, from: first) where isEnd(index) {
      best = nearer(best, index &* step, to: position)
    }
    return best
  }

  private func isEnd(_ index: Int64) -> Bool {
    let fall = fall(index)
    guard fall > Self.minFall else { return false }
    for other in upTo(index &+ Self.around &+ 1, from: index &- Self.around) {
      if self.fall(other) > fall { return false }
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
    for index in upTo(first &+ Self.compared, from: first) { sum += energies[Self.index(index)] }
    return sum
  }
}
