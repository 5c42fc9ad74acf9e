// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Sizes for a given sample rate, in frames. At 48 kHz, `step` is 64.
struct OnsetSizes {
  let rate: Int
  /// The distance between two successive spectra.
  let step: Int
  /// We don't detect onsets with the low-latency window, because we'd have to wait for more input.
  let isUsed: Bool

  init(rate: Int, isLowLatency: Bool) {
    self.rate = rate
    isUsed = !isLowLatency
    step = nearestPowerOfTwo(rate, over: 750, least: 8)
  }

  /// Input frames per spectrum.
  var window: Int { 4 &* step }
  var transform: Int { max(256, window) }
  /// `OnsetPosition` averages the energy over this many frames.
  fileprivate var blur: Int { step &>> 1 }
  /// `OnsetPosition` compares two averages of the energy that are this far apart.
  var rise: Int { (3 &* step) &>> 2 }
  /// `OnsetPosition` searches this far before the middle of the detected spectrum.
  var early: Int { 5 &* step }
  /// `OnsetPosition` searches this far after the middle of the detected spectrum.
  var late: Int { (step &* 25) &>> 3 }
  /// We need this many frames after an onset to confirm it.
  var ahead: Int { isUsed ? 17 &* step : 0 }
  var past: Int { window }
}

/// Detects onsets, which is where transients begin, as the input arrives.
///
/// Every `step` frames, we compute a spectrum in 13 bands that are evenly spaced on a logarithmic
/// scale. We compare each band's power with its maximum in the 30 ms that ended 6.7 ms before, so
/// that we don't mistake beating or the pulses of a voice for onsets. The rise of a spectrum in dB
/// is the mean of two averages over the bands, one unweighted, the other weighted by power. We look
/// for peaks in the rise, and `OnsetPosition` then finds the exact frame of the onset.
struct OnsetDetector {
  private let sizes: OnsetSizes
  private var guides: GuideSpectra
  private let onsetPosition: OnsetPosition
  /// Each band's first bin, and the bin after the last band.
  private let edges: Row<Int>
  private let bands: Int
  /// A ring buffer of the bands' powers, 16 numbers for each of the last 32 spectra.
  private let powers: Row<Float>
  /// A ring buffer of the rises of the last 32 spectra, in dB.
  private let rises: Row<Float>
  /// A ring buffer of onsets as input frames, in chronological order. The beginning of a stream
  /// counts as an onset.
  private let found: Row<Int64>
  private var foundCount = 1
  private var spectra: Int64 = 0
  /// We don't look for the next onset before this spectrum, which is a few after the last onset.
  private var nextPeak: Int64 = 3
  /// The recent maximum of the total power, which decays by 4.9 dB per second.
  private var loudness: Float = 0

  private static let minRise: Float = 2.5
  private static let reach: Int64 = 10
  private static let capacity = 64

  init(_ sizes: OnsetSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.sizes = sizes
    let window = try StretchWindow(sizes.window, &memory)
    guides = try GuideSpectra(window, points: sizes.transform, &memory)
    onsetPosition = try OnsetPosition(sizes, &memory)
    edges = try memory.row(16)
    powers = try memory.row(32 &* 16)
    rises = try memory.row(32)
    found = try memory.row(Self.capacity)
    // The edges of the bands in units of 187.5 Hz: 100^(k/14), rounded, for k = 1 … 14. We use a
    // vector because Apple's systems don't have InlineArray before version 26.
    let steps = SIMD16<Int>(1, 2, 3, 4, 5, 7, 10, 14, 19, 27, 37, 52, 72, 100, 0, 0)
    var count = 0
    for index in upTo(14) {
      let edge = (steps[index] &* sizes.transform &* 375).quotient(by: 2 &* sizes.rate)
      let clamped = min(max(edge, 1), guides.fft.half)
      if count == 0 || edges[count &- 1] < clamped {
        edges[count] = clamped
        count &+= 1
      }
    }
    bands = max(count &- 1, 1)
  }

  /// The onset nearest to frame `position`, less than `early` frames before it or less than `late`
  /// frames after it.
  func nearest(to position: Int64, early: Int64, late: Int64) -> Int64? {
    var best: Int64?
    for index in upTo(foundCount, from: max(0, foundCount &- Self.capacity)) {
      let onset = found[index & (Self.capacity &- 1)]
      let distance = onset &- position
      if distance > 0 &- early, distance < late { best = nearer(best, onset, to: position) }
    }
    return best
  }

  mutating func run(_ history: StretchHistory) {
    guard sizes.isUsed else { return }
    let step = Int64(sizes.step)
    while spectra &* step <= history.end {
      measure(history, end: spectra &* step)
      spectra &+= 1
      look(at: spectra &- 1 &- Self.reach, history)
    }
  }

  private static func slot(_ spectrum: Int64) -> Int { Int(truncatingIfNeeded: spectrum & 31) }

  private mutating func measure(_ history: StretchHistory, end: Int64) {
    let row = Self.slot(spectra) &* 16
    powers.fill(0, from: row, to: row &+ 16)
    let middle = end &- Int64(sizes.window &>> 1)
    while guides.measureNext(around: middle, history) != nil { addPowers(to: row) }
    var total: Float = 0
    for band in upTo(row &+ bands, from: row) { total += powers[band] }
    loudness = max(total, loudness * 0.9985)
    rises[Self.slot(spectra)] = rise(row, total)
  }

  private func addPowers(to row: Int) {
    for band in upTo(bands) {
      var sum: Float = 0
      for bin in upTo(edges[band &+ 1], from: edges[band]) {
        let (re, im) = (guides.spectrum.re[bin], guides.spectrum.im[bin])
        sum += re * re + im * im
      }
      powers[row &+ band] += sum
    }
  }

  /// How far the powers in `row` are above the recent maxima, in dB.
  private func rise(_ row: Int, _ total: Float) -> Float {
    let floor = loudness * 1e-5 + 1e-10
    var sum: Float = 0
    for half in upTo(16, by: 8) {
      var past = Lanes.zero
      for age in upTo(27, from: 5) {
        let old = powers[eight: Self.slot(spectra &- Int64(age)) &* 16 &+ half]
        past = past.replaced(by: old, where: (past - old).signs)
      }
      let now = powers[eight: row &+ half]
      let rise = ((now + floor) / (past + floor)).binaryLogarithms * 3.0103
      let share = now * (0.5 / (total + 1e-12)) + 0.5 / Float(bands)
      for lane in upTo(min(8, bands &- half)) {
        sum += min(max(rise[lane], 0), 20) * share[lane]
      }
    }
    return sum
  }

  /// Records an onset at spectrum `peak`, unless another spectrum within `reach` has a larger rise.
  private mutating func look(at peak: Int64, _ history: StretchHistory) {
    guard peak >= nextPeak else { return }
    let rise = rises[Self.slot(peak)]
    guard rise > Self.minRise else { return }
    for other in upTo(peak &+ Self.reach &+ 1, from: max(peak &- Self.reach, 0)) {
      if rises[Self.slot(other)] > rise { return }
    }
    nextPeak = peak &+ 8
    let onset = onsetPosition.find(around: (peak &- 2) &* Int64(sizes.step), history)
    guard onset > Int64(8 &* sizes.step &- sizes.blur) else { return }
    found[foundCount & (Self.capacity &- 1)] = onset
    foundCount &+= 1
  }
}

/// The one that's nearer to `position`.
func nearer(_ one: Int64?, _ other: Int64?, to position: Int64) -> Int64? {
  guard let one, let other else { return one ?? other }
  return (one &- position).magnitude <= (other &- position).magnitude ? one : other
}

/// Finds the exact frame of an onset that `OnsetDetector` has detected, by looking for a rise in
/// the power of the linear prediction error. If we looked at the power of the sound itself, a
/// ringing note could mask the onset. But a ringing note is predictable, so it adds nothing to the
/// prediction error.
struct OnsetPosition {
  private let sizes: OnsetSizes
  private let prediction: LinearPrediction
  private let samples: Row<Float>
  /// The power of the prediction error in each of `span` frames.
  private let powers: Row<Float>

  init(_ sizes: OnsetSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.sizes = sizes
    prediction = try LinearPrediction(16 &* sizes.step, &memory)
    let span = sizes.early &+ sizes.late &+ 4 &* sizes.step
    samples = try memory.row(max(prediction.count, span) &+ 24)
    powers = try memory.row(span &+ 16)
  }

  /// The search range plus two steps on either side.
  private var span: Int { sizes.early &+ sizes.late &+ 4 &* sizes.step }

  /// Returns the last frame before the onset, between `early` frames before `middle` and `late`
  /// frames after it.
  func find(around middle: Int64, _ history: StretchHistory) -> Int64 {
    let first = middle &- Int64(sizes.early &+ 2 &* sizes.step)
    powers.fill(0)
    for guide in upTo(history.guides) {
      addPowers(ofGuide: guide, from: first, history)
    }
    return first &+ Int64(change(around: steepest()))
  }

  /// Adds the powers of `span` frames, starting at `first`. We compute the prediction weights from
  /// frames before `first` and the first `sizes.step` frames after it.
  private func addPowers(ofGuide guide: Int, from first: Int64, _ history: StretchHistory) {
    load(guide, first &- Int64(prediction.count &- sizes.step), prediction.count, history)
    let weights = prediction.weights(samples)
    let order = LinearPrediction.order
    load(guide, first &- Int64(order), span &+ order, history)
    for frame in upTo(span, by: 8) {
      var rest = Lanes.zero
      for age in upTo(order &+ 1) { rest += samples[eight: frame &+ order &- age] * weights[age] }
      powers[eight: frame] += rest * rest
    }
  }

  private func load(_ guide: Int, _ first: Int64, _ count: Int, _ history: StretchHistory) {
    for frame in upTo(count) {
      samples[frame] = history.sample(ofGuide: guide, first &+ Int64(frame))
    }
    samples.fill(0, from: count, to: count &+ 8)
  }

  /// The frame at which the moving average of the energy grows the most within `rise` frames, as a
  /// ratio.
  private func steepest() -> Int {
    let (half, rise) = (sizes.blur &>> 1, sizes.rise)
    let first = 2 &* sizes.step
    var (best, bestFrame) = (-1.0, first)
    var (before, after) = (energy(first, half), energy(first &+ rise, half))
    let floor = 1e-9 * Double(sizes.blur)
    for frame in upTo(span &- first &- rise, from: first) {
      let growth = (max(after, 0) + floor) / (max(before, 0) + floor)
      if growth > best { (best, bestFrame) = (growth, frame &+ rise &>> 1) }
      before += Double(powers[frame &+ half]) - Double(powers[frame &- half])
      after += Double(powers[frame &+ rise &+ half]) - Double(powers[frame &+ rise &- half])
    }
    return bestFrame
  }

  /// The last frame before the power changes, at most `sizes.step` frames from `middle`. We model
  /// the error as Gaussian noise with one level before the change and another after it, and choose
  /// the frame with the maximum likelihood (Hinkley, "Inference about the change-point in a
  /// sequence of random variables", 1970).
  private func change(around middle: Int) -> Int {
    let reach = sizes.step
    let (first, end) = (middle &- reach, middle &+ reach)
    let all = energy(middle, reach)
    // 40 dB below the mean, so that digital silence has a finite logarithm
    let floor = (all / Double(2 &* reach) + 1e-9) * 1e-4
    var (before, least, bestFrame) = (0.0, Float.infinity, middle)
    for frame in upTo(end, from: first &+ 1) {
      before += Double(powers[frame &- 1])
      let (old, new) = (Double(frame &- first), Double(end &- frame))
      var levels = Lanes(repeating: 1)
      levels[0] = Float(before / old + floor)
      levels[1] = Float((all - before) / new + floor)
      let logarithms = levels.binaryLogarithms
      let unlikeliness = Float(old) * logarithms[0] + Float(new) * logarithms[1]
      if unlikeliness < least { (least, bestFrame) = (unlikeliness, frame &- 1) }
    }
    return bestFrame
  }

  private func energy(_ frame: Int, _ half: Int) -> Double {
    var sum = 0.0
    for index in upTo(frame &+ half, from: frame &- half) { sum += Double(powers[index]) }
    return sum
  }
}

/// Predicts each sample of a sound from the eight samples before it, by Burg's method (J. P. Burg,
/// "Maximum Entropy Spectral Analysis", 1975). Ringing is predictable, but a transient isn't.
struct LinearPrediction {
  /// How many samples we compute the weights from.
  let count: Int
  private let forward: Row<Float>
  private let backward: Row<Float>

  static let order = 8

  init(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.count = count
    forward = try memory.row(count &+ 16)
    backward = try memory.row(count &+ 16)
  }

  /// The prediction error is a weighted sum of a sample and the eight before it. Returns the
  /// weights, starting with the sample's own, which is 1. They minimize the error over the first
  /// `count` samples.
  func weights(_ samples: Row<Float>) -> SIMD16<Float> {
    forward.copy(samples, count)
    backward.copy(samples, count)
    forward.fill(0, from: count)
    backward.fill(0, from: count)
    var weights = SIMD16<Float>.zero
    weights[0] = 1
    for order in upTo(Self.order &+ 1, from: 1) {
      let reflection = reflect(count &- order)
      let before = weights
      for number in upTo(order &+ 1, from: 1) {
        // the & keeps the compiler from inserting bounds checks
        weights[number & 15] += reflection * before[(order &- number) & 15]
      }
    }
    return weights
  }

  /// One step of Burg's recursion predicts each forward error from the previous backward error and
  /// vice versa, and subtracts the predictions. `left` errors remain. Returns the reflection
  /// coefficient.
  private func reflect(_ left: Int) -> Float {
    // there's no forward error for it, but it may be part of a group of eight
    backward[left] = 0
    var (both, all) = (Lanes.zero, Lanes.zero)
    for index in upTo(left, by: 8) {
      let (a, b) = (forward[eight: index &+ 1], backward[eight: index])
      both += a * b
      all += a * a + b * b
    }
    let reflection = -2 * both.total / (all.total + 1e-12)
    for index in upTo(left, by: 8) {
      let (a, b) = (forward[eight: index &+ 1], backward[eight: index])
      forward[eight: index] = a + b * reflection
      backward[eight: index] = b + a * reflection
    }
    return reflection
  }
}

/// Preserves the waveform of a transient (related to Röbel, "A new approach to transient processing
/// in the phase vocoder", DAFx 2003).
///
/// If an output frame contains an onset, we take the bins that have risen since before the onset,
/// and read them at the same distance from the onset as they'll have in the output. These bins are
/// then a copy of the input. Overlapping copies add up coherently, so the onset and the sound after
/// it keep their level. The next frame continues from the phases of the copy.
struct RigidTransient {
  /// The gain of fixed bins in this frame. It's 0 if the onset is after the end of the output
  /// frame, because its bins mustn't be heard yet.
  private(set) var gain: Float = 1
  /// The input frame on which the copy with the fixed bins is centred.
  private(set) var position: Int64 = 0
  /// The onset and the window of `phases.before`.
  private var known: Int64 = .min
  private var knownWindow = 0
  private(set) var hasFixed = false

  /// 6 dB.
  private static let minRise: Float = 4

  /// If `frame` contains an onset, fixes the bins of its transient.
  mutating func find(
    _ frame: StretchFrame, hop: Int64, _ map: TimeCurve, _ onsets: OnsetDetector,
    _ history: StretchHistory, _ analysis: StretchAnalysis, _ sizes: StretchSizes
  ) {
    let phases = analysis.phases
    release(phases)
    guard let onset = Self.onset(in: frame, onsets, sizes) else { return }
    // whole frames, because a fractional shift would ring before the onset
    let there = map.nearest(to: onset) &- frame.centre
    let half = Int64(frame.window &>> 1)
    // in the output, the onset is before the window, so the transient is over
    if there < 0 &- half { return }
    gain = there > half ? 0 : 1
    if known != onset || knownWindow != frame.window {
      if gain != 0 { gain = Self.gain(there, hop, analysis.window) }
      (known, knownWindow) = (onset, frame.window)
      let before = onset &- half &- Int64((3 &* sizes.onsets.step) &>> 1)
      analysis.measureCopies(before, history, phases.before)
    }
    position = onset &- min(there, half)
    hasFixed = true
    analysis.measureCopies(position, history, phases.copyPower)
    analysis.fix(risenBy: Self.minRise)
  }

  /// The gain of the first copy of an onset, `there` frames after the centre of its frame. When
  /// playing fast, earlier frames overlap the onset but were made before its input had arrived. The
  /// first copy makes up for them, so that the onset keeps its level.
  private static func gain(_ there: Int64, _ hop: Int64, _ window: StretchWindow) -> Float {
    let own = window.value(at: Double(there))
    guard hop > 0, own > 0.1 else { return 1 }
    var missed = 0.0
    for distance in upTo(Int64(window.count &>> 1), from: there &+ hop, by: hop) {
      let value = window.value(at: Double(distance))
      missed += value * value
    }
    return Float(min(1 + missed / (own * own), 3))
  }

  /// Frees the bins fixed in the last frame, and resets the gain to 1.
  mutating func release(_ phases: PhaseIntegration) {
    if hasFixed { phases.isFixed.fill(0, to: phases.bins) }
    (hasFixed, gain) = (false, 1)
  }

  static func onset(
    in frame: StretchFrame, _ onsets: OnsetDetector, _ sizes: StretchSizes
  ) -> Int64? {
    guard sizes.onsets.isUsed else { return nil }
    let reach = Int64(frame.window &>> 1 &- sizes.onsets.step &>> 1)
    return onsets.nearest(to: frame.position, early: reach, late: reach)
  }
}

extension StretchAnalysis {
  /// Fixes all bins that have more than `rise` times their power before the onset, either in this
  /// frame or in the copy. We rotate them by the phase difference between the copy and this frame.
  fileprivate func fix(risenBy rise: Float) {
    for bin in upTo(fft.room, by: 8) {
      let (here, there) = (phases.power[eight: bin], phases.copyPower[eight: bin])
      let most = here.replaced(by: there, where: (here - there).signs)
      let marks = (phases.before[eight: bin] * rise - most).signs
      var product = ComplexLanes(.zero, .zero)
      for guide in upTo(copies.count) {
        product += copies[guide][eight: bin].timesConjugate(spectra[guide][eight: bin])
      }
      phases.isFixed[eight: bin] = marks
      phases.rotations[eight: bin] =
        phases.rotations[eight: bin].replaced(by: product.cycles.phases, where: marks)
    }
  }

  func place(_ copy: Spectrum, in spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let marks = phases.isFixed[eight: bin]
      let (old, new) = (spectrum[eight: bin], copy[eight: bin])
      spectrum[eight: bin] = ComplexLanes(
        old.re.replaced(by: new.re, where: marks), old.im.replaced(by: new.im, where: marks))
    }
  }

  func placeAll() {
    for guide in upTo(copies.count) { place(copies[guide], in: spectra[guide]) }
    for bin in upTo(fft.room, by: 8) {
      phases.lastPower[eight: bin] = phases.lastPower[eight: bin].replaced(
        by: phases.copyPower[eight: bin], where: phases.isFixed[eight: bin])
    }
  }
}

/// Detects dense transients, such as applause, rain and crackle: sounds with at least 30 transients
/// per second and no partials. A short window keeps each of the transients short.
struct DenseTransients {
  private let sizes: StretchSizes
  private var rate: TransientRate
  private var partials: PartialPeaks
  /// The centre of the next window to measure. It's always a multiple of `step`, so that the result
  /// doesn't depend on the factor.
  private var next: Int64 = 0
  private var isDense = false

  private static let minPerSecond: Float = 30

  /// The gain that makes a transient in the middle of overlapping frames as loud as in the input.
  /// It's the ratio of two sums of overlapping windows, one for a steady sound and one for the
  /// transient, limited to ±6 dB.
  static func gain(at factor: Double, _ window: StretchWindow) -> Float {
    let hop = max(1, Double(window.count &>> 2) * min(1, factor))
    var sum = 0.0
    for index in upTo(25, from: -24) {
      let distance = Double(index) * hop
      sum += window.value(at: distance / factor) * window.value(at: distance)
    }
    // the squares of a Hann window add up to 0.375 × its length
    let steady = 0.375 * Double(window.count) / hop
    return Float(min(2, max(0.5, steady / max(sum, 1e-6))))
  }

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    self.sizes = sizes
    rate = TransientRate(sizes)
    partials = try PartialPeaks(sizes, window, &memory)
  }

  private var step: Int64 { Int64(sizes.longest &>> 1) }

  /// Does part of the next measurement as soon as its input has arrived, to spread the work over
  /// several calls. `areDense` does the rest.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasDense else { return }
    rate.run(history, to: min(next &+ step, history.end))
    if next &+ step <= history.end, hasTransients {
      _ = partials.addGuide(around: next, history)
    }
  }

  fileprivate var hasTransients: Bool { rate.perSecond >= Self.minPerSecond }

  /// Reads up to half of the longest window of input after `position`.
  mutating func areDense(at position: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasDense else { return false }
    // we've skipped frames without measuring them, so start over
    if next &+ 2 &* step < position {
      next = position & ~(step &- 1)
      isDense = false
      rate.restart(at: next &- step)
      partials.restart()
    }
    // we wait a quarter of a step longer than we have to, so that `prepare` has time to do its part
    while next <= position &- step &>> 2 {
      measure(history)
      next &+= step
    }
    return isDense
  }

  private mutating func measure(_ history: StretchHistory) {
    rate.run(history, to: next &+ step)
    if hasTransients {
      while partials.addGuide(around: next, history) {}
      isDense = partials.areAbsent
    } else {
      partials.restart()
      isDense = false
    }
  }
}

/// Counts the transients per second in the input, for `DenseTransients`. We divide the input into
/// short steps, and count those that are 6 dB louder than the mean of the three before. The level
/// of noise fluctuates less than that, and a note only rises once.
///
/// We take the energy of the differences between successive frames. That's a high-pass filter,
/// which attenuates low notes.
struct TransientRate {
  /// In frames. 1.3 ms at 48 kHz.
  private let step: Int64
  /// How much of `count` is left after one step.
  private let remembering: Float
  private var steps: Int64 = 1
  /// The energies of the last three steps.
  private var past = SIMD4<Float>.zero
  private var wasTransient = true
  private var count: Float = 0
  /// The recent maximum of a step's energy, which decays by 4.9 dB per second.
  private var loudness: Float = 0

  private static let minRise: Float = 4
  /// The time constant of `count`, in seconds.
  private static let memory = 0.15

  init(_ sizes: StretchSizes) {
    step = Int64(sizes.onsets.step)
    remembering = Float(1 - Double(step) / Double(sizes.rate) / Self.memory)
  }

  fileprivate var perSecond: Float { count / Float(Self.memory) }

  /// Starts over with the first step after frame `start`.
  mutating func restart(at start: Int64) {
    steps = max(start, 0).quotient(by: step) &+ 1
    (past, wasTransient, count, loudness) = (.zero, true, 0, 0)
  }

  mutating func run(_ history: StretchHistory, to end: Int64) {
    while (steps &+ 1) &* step <= end {
      add(energy(from: steps &* step, history))
      steps &+= 1
    }
  }

  private mutating func add(_ energy: Float) {
    loudness = max(energy, loudness * 0.9985)
    let floor = loudness * 1e-4 + 1e-12
    let mean = (past[0] + past[1] + past[2]) / 3
    let isTransient = energy + floor > Self.minRise * (mean + floor) && !wasTransient
    count = count * remembering + (isTransient ? 1 : 0)
    wasTransient = isTransient
    past = SIMD4(energy, past[0], past[1], 0)
  }

  private func energy(from first: Int64, _ history: StretchHistory) -> Float {
    var all: Float = 0
    for guide in upTo(history.guides) {
      var before = history.sample(ofGuide: guide, first &- 1)
      for frame in upTo(first &+ step, from: first) {
        let now = history.sample(ofGuide: guide, frame)
        all += (now - before) * (now - before)
        before = now
      }
    }
    return all
  }
}
