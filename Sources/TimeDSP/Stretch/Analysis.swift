// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The lengths of a stretcher's windows and buffers at a given sample rate, in frames.
struct StretchSizes {
  let window: TimeStretchWindow
  /// The default window. Voices and dense transients may get a shorter one.
  let longest: Int
  let voice: Int
  let dense: Int
  /// The window we measure spectral envelopes with when moving formants.
  let envelope: Int
  let onsets: OnsetSizes
  let rate: Int

  /// `rate` is in Hz, and clamped to 8 … 192 kHz.
  init(_ window: TimeStretchWindow, rate: UInt32) {
    self.window = window
    self.rate = Int(truncatingIfNeeded: min(max(rate, 8000), 192_000))
    // 85 ms
    let music = nearestPowerOfTwo(85 &* self.rate, over: 1000, least: 256)
    switch window {
    case TIMESTRETCH_LOW_LATENCY: longest = max(music &>> 2, 128)
    case TIMESTRETCH_SPEECH: longest = music &>> 1
    default: longest = music
    }
    envelope = min(longest, music &>> 1)
    voice = window == TIMESTRETCH_AUTO ? music &>> 1 : longest
    dense = window == TIMESTRETCH_AUTO ? music &>> 3 : longest
    onsets = OnsetSizes(rate: self.rate, isLowLatency: window == TIMESTRETCH_LOW_LATENCY)
  }

  func frames(milliseconds: Int) -> Int {
    (rate &* milliseconds).dividedReportingOverflow(by: 1000).partialValue
  }

  /// In a voice, `Stretcher.readingPosition` may move an analysis frame up to this far from its place
  /// in the time map.
  var aside: Int { hasVoice ? frames(milliseconds: 8) : 0 }

  /// For a voice, we may read an analysis frame this far away from its place on the time map. That's
  /// because continuing the voice can take us another 6 ms, half a period of 83 Hz, away from where
  /// `Stretcher.readingPosition` asks to read it.
  var slack: Int { hasVoice ? aside &+ frames(milliseconds: 6) : 0 }

  /// Frames may be treated as a voice if `window` is auto or speech.
  var hasVoice: Bool { window == TIMESTRETCH_AUTO || window == TIMESTRETCH_SPEECH }

  /// We only detect dense transients if `window` is auto.
  var hasDense: Bool { dense < longest }

  /// How much input we need after the centre of an analysis frame.
  var ahead: Int { longest &>> 1 &+ max(slack, onsets.ahead) &+ 1 }

  /// The same at `speed`. If the sound is very slow or very fast, we read the copy of a transient
  /// (`RigidTransient`) later than its frame.
  func ahead(at speed: Double) -> Int64 {
    let half = Double(longest &>> 1)
    guard onsets.isUsed else { return Int64(ahead) }
    return max(Int64(ahead), rounded(half * (2 - min(speed, 1 / speed))) &+ 2)
  }

  /// How much input we need before the centre of the next analysis frame. Most of it is for the
  /// window before an onset (`RigidTransient`), which itself may be half a window before the
  /// centre.
  var past: Int {
    longest &+ longest &>> 1 &+ frames(milliseconds: 20) &+ slack &+ onsets.past
  }

  var kept: Int { past &+ max(ahead, longest &+ 2) &+ longest }
}

/// The power of two closest to `numerator` / `denominator` on a logarithmic scale, or `least`.
func nearestPowerOfTwo(_ numerator: Int, over denominator: Int, least: Int64) -> Int {
  var power = least
  let (square, unit) = (Int64(numerator) &* Int64(numerator), Int64(denominator))
  while power &* power &* 2 &* unit &* unit < square { power = power &* 2 }
  return Int(truncatingIfNeeded: power)
}

/// A Hann window: w(n) = sin² (π (n + 1/2) / count). It's symmetric about n = count / 2 - 1/2.
struct StretchWindow {
  let values: Row<Float>

  init(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    values = try memory.row(count)
    for index in upTo(count) {
      let sine = sinPi((Double(index) + 0.5) / Double(count))
      values[index] = Float(sine * sine)
    }
  }

  var count: Int { values.count }

  /// The autocorrelation of a Hann window at a lag of `distance` window lengths, relative to lag 0.
  static func correlation(_ distance: Double) -> Double {
    if distance >= 1 { return 0 }
    return ((1 - distance) * (2 + cosPi(2 * distance)) + 1.5 / .pi * sinPi(2 * distance)) / 3
  }

  /// We put the second half of the window first in the input of `fft`, and the first half last, so
  /// that phases are relative to the centre of the window.
  func index(of frame: Int, in fft: RealFFT) -> Int {
    let index = frame &- count &>> 1
    return index < 0 ? fft.count &+ index : index
  }

  /// The value nearest to `distance` frames after the middle, or 0 outside the window.
  func value(at distance: Double) -> Double {
    let index = nearestIndex(distance) &+ count &>> 1
    return index >= 0 && index < count ? Double(values[index]) : 0
  }
}

/// The recent input of a stretcher, channel by channel. S16 and F32 become `Float`, and S32 and F64
/// become `Double`, so that we can output the unmodified input exactly. The stream is preceded by
/// silence.
///
/// All channels get the same phase rotations, which keeps the stereo image intact. We compute them
/// from at most eight guide channels. If there are up to eight channels, each is its own guide. If
/// there are more, guide channel g is the sum of channels g, g + 8, g + 16, ….
struct StretchHistory {
  let shape: AudioShape
  /// How many samples we keep of each channel.
  private let capacity: Int
  /// When we drop old frames, we keep this many of the latest ones.
  private let kept: Int
  /// The samples of S16 and F32, channel by channel.
  private let narrow: Row<Float>
  /// The samples of S32 and F64, channel by channel.
  private let wide: Row<Double>
  /// The guide channels, if they're sums.
  private let sums: Row<Float>
  private var first: Int64
  /// The stream position after the last frame that we hold.
  private(set) var end: Int64 = 0

  static let maxGuides = 8

  init(_ shape: AudioShape, _ sizes: StretchSizes, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.shape = shape
    kept = sizes.kept
    capacity = kept &+ sizes.longest
    narrow = try memory.row(shape.isWide ? 0 : shape.channels &* capacity)
    wide = try memory.row(shape.isWide ? shape.channels &* capacity : 0)
    sums = try memory.row(shape.channels > Self.maxGuides ? Self.maxGuides &* capacity : 0)
    first = 0 &- Int64(sizes.past)
  }

  var guides: Int { min(shape.channels, Self.maxGuides) }
  private var hasSums: Bool { shape.channels > Self.maxGuides }

  /// Appends repetitions of the last `period` frames, each at `gain` relative to the one before, or
  /// silence if `gain` is 0.
  mutating func extend(_ frames: Int, repeating period: Int, gain: Float) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let start = channel &* capacity &+ index
      for sample in upTo(start &+ frames, from: start) {
        if shape.isWide {
          wide[sample] = gain == 0 ? 0 : wide[sample &- period] * Double(gain)
        } else {
          narrow[sample] = gain == 0 ? 0 : narrow[sample &- period] * gain
        }
      }
    }
    finish(index, frames)
  }

  mutating func append(_ input: FrameCursor, _ frames: Int) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let start = channel &* capacity &+ index
      shape.read(channel, of: input, frames) { frame, number in
        if shape.isWide {
          wide[start &+ frame] = number
        } else {
          narrow[start &+ frame] = Float(number)
        }
      }
    }
    finish(index, frames)
  }

  /// Makes room for `frames` more frames, and returns the index of the first one. If that means
  /// dropping old frames, we only keep the last `kept`, because they have to be moved. `frames` is
  /// at most the longest window.
  private mutating func makeRoom(_ frames: Int) -> Int {
    let held = Int(truncatingIfNeeded: end &- first)
    if held &+ frames <= capacity { return held }
    let gone = held &- kept
    for plane in upTo(wide.count, by: capacity) { wide.move(from: plane &+ gone, to: plane, kept) }
    for plane in upTo(narrow.count, by: capacity) {
      narrow.move(from: plane &+ gone, to: plane, kept)
    }
    for plane in upTo(sums.count, by: capacity) { sums.move(from: plane &+ gone, to: plane, kept) }
    first &+= Int64(gone)
    return kept
  }

  /// The new frames are at `index`.
  private mutating func finish(_ index: Int, _ frames: Int) {
    end &+= Int64(frames)
    guard hasSums else { return }
    for frame in upTo(index &+ frames, from: index) {
      for guide in upTo(Self.maxGuides) {
        var sum: Float = 0
        for channel in upTo(shape.channels, from: guide, by: Self.maxGuides) {
          sum += Float(number(channel, frame)).reasonable
        }
        sums[guide &* capacity &+ frame] = sum
      }
    }
  }

  /// The index in a channel's plane of stream position `frame`, or `nil` unless we hold all `count`
  /// frames that start there.
  func index(of frame: Int64, _ count: Int) -> Int? {
    guard frame >= first, frame &+ Int64(count) <= end else { return nil }
    return Int(truncatingIfNeeded: frame &- first)
  }

  /// The sample at `index` of a channel's plane.
  func number(_ channel: Int, _ index: Int) -> Double {
    let index = channel &* capacity &+ index
    return shape.isWide ? wide[index] : Double(narrow[index])
  }

  /// The sample at stream position `frame`, or 0 if we no longer hold it.
  func sample(ofGuide guide: Int, _ frame: Int64) -> Float {
    guard let index = index(of: frame, 1) else { return 0 }
    return hasSums ? sums[guide &* capacity &+ index] : Float(number(guide, index)).reasonable
  }

  @inline(__always)
  private func sixteen(_ source: StretchSource, _ index: Int) -> SIMD16<Float> {
    switch source {
    case .guide(let guide) where hasSums:
      return sums[sixteen: guide &* capacity &+ index].reasonable
    case .guide(let channel), .channel(let channel):
      let index = channel &* capacity &+ index
      return (shape.isWide ? SIMD16(wide[sixteen: index]) : narrow[sixteen: index]).reasonable
    }
  }

  /// Writes the windowed frames around `centre` to the input of `fft`, padded with zeros. The
  /// second half of the window comes first and the first half last, so that phases are relative to
  /// the centre. If we're missing any of the frames, everything is 0.
  func load(_ source: StretchSource, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT) {
    let half = window.count &>> 1
    guard let index = index(of: centre &- Int64(half), window.count) else {
      fft.packed.clear(to: fft.half)
      return
    }
    for frame in upTo(window.count, by: 16) {
      let numbers = sixteen(source, index &+ frame) * window.values[sixteen: frame]
      fft.pack(numbers, window.index(of: frame, in: fft))
    }
    fft.packed.clear(from: half &>> 1, to: fft.half &- half &>> 1)
  }
}

/// What a spectrum is computed from.
enum StretchSource {
  case guide(Int)
  case channel(Int)
}

extension Float {
  /// We treat samples this loud or louder as corrupt, and replace them by 0.
  fileprivate static var loudest: Float { 1e10 }
  /// Smaller samples become 0. They're inaudible, and their powers would be subnormal, which is
  /// slow on most CPUs.
  fileprivate static var softest: Float { 1e-9 }

  /// Replaces NaN, infinity and values outside `softest ..< loudest` by 0.
  var reasonable: Float { magnitude >= Float.softest && magnitude < Float.loudest ? self : 0 }
}

extension SIMD16<Float> {
  @inline(__always)
  fileprivate var reasonable: SIMD16<Float> {
    let bits = unsafeBitCast(self, to: SIMD16<UInt32>.self)
    let magnitude = bits & 0x7fff_ffff
    let over = magnitude &- Float.softest.bitPattern
    let under = Float.loudest.bitPattern &- magnitude
    let beyond = unsafeBitCast(over | under, to: SIMD16<Int32>.self) &>> 31
    let marks = unsafeBitCast(beyond, to: SIMD16<UInt32>.self)
    return unsafeBitCast(bits & ~marks, to: SIMD16<Float>.self)
  }
}

/// The spectra of analysis frames and their phase differences, for one window length. A stretcher
/// has up to three analyses, which share memory. Where we sum over the guide channels
/// (`StretchHistory`), the loudest channel has the most influence.
struct StretchAnalysis {
  private(set) var fft: RealFFT
  private(set) var window: StretchWindow
  /// The spectrum of each guide channel. This is the last synthesis frame until `measureSlope`
  /// replaces it with the current analysis frame.
  let spectra: Row<Spectrum>
  /// The same for the copies of `RigidTransient`.
  let copies: Row<Spectrum>
  private(set) var phases: PhaseIntegration
  let other: Spectrum
  /// For each bin, a × conj(b), summed over the guide channels. a is the spectrum of the last
  /// synthesis frame, and b is the spectrum of the input one hop before the current analysis frame.
  /// The argument is the rotation that continues the phase of the last synthesis frame. Once we
  /// know the rotations, we reuse the memory as scratch space.
  let advance: Spectrum
  /// For each bin k of the current analysis frame X, X[k] × conj(X[k - 1]), summed over the guide
  /// channels. The argument tells us where in the window this bin's sound is.
  let slope: Spectrum
  /// `slope` for the input one hop before the current analysis frame.
  let slopeBefore: Spectrum

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    fft = try RealFFT(2 &* sizes.longest, &memory)
    window = try StretchWindow(sizes.longest, &memory)
    phases = try PhaseIntegration(sizes.longest &+ 1, &memory)
    spectra = try memory.row(guides)
    copies = try memory.row(guides)
    for guide in upTo(guides) {
      spectra[guide] = try Spectrum(fft.room, &memory)
      copies[guide] = try Spectrum(fft.room, &memory)
    }
    other = try Spectrum(fft.room, &memory)
    advance = try Spectrum(fft.room, &memory)
    slope = try Spectrum(fft.room, &memory)
    slopeBefore = try Spectrum(fft.room, &memory)
  }

  /// An analysis with a shorter window of `count` frames, which shares the rows.
  func shorter(_ count: Int, _ memory: inout Arena) throws(TimeDSPStatus) -> StretchAnalysis {
    var shorter = self
    shorter.fft = try RealFFT(2 &* count, &memory)
    shorter.window = try StretchWindow(count, &memory)
    shorter.phases.bins = count &+ 1
    return shorter
  }

  /// Sets `spectrum` to that of the input around `position`.
  func measure(
    _ source: StretchSource, _ position: Int64, _ history: StretchHistory, into spectrum: Spectrum
  ) {
    history.load(source, position, window, fft)
    fft.forward(spectrum)
  }

  /// Recomputes the last frame's spectra with this window, from the input around `position`. If
  /// `rotating` is set, the rotations are applied too, which gives you the spectra of the synthesis
  /// frame.
  func restate(_ position: Int64, _ history: StretchHistory, rotating: Bool) {
    phases.lastPower.fill(0, to: fft.room)
    if !rotating { phases.rotations.fill(0, to: phases.bins) }
    for guide in upTo(spectra.count) {
      measure(.guide(guide), position, history, into: spectra[guide])
      if rotating { rotate(spectra[guide]) }
      addPower(spectra[guide], to: phases.lastPower)
    }
  }

  /// Sets `advance` and `slopeBefore` from the input `hop` frames before `position`.
  func measureAdvance(_ position: Int64, hop: Int64, _ history: StretchHistory) {
    advance.clear(to: fft.room)
    slopeBefore.clear(to: fft.room)
    for guide in upTo(spectra.count) {
      measure(.guide(guide), position &- hop, history, into: other)
      addAdvance(spectra[guide])
      addSlope(other, to: slopeBefore)
    }
  }

  /// Computes the spectra of the analysis frame at `position`, `slope` and `phases.power`. If
  /// `comparing` is set, this also sets `advance` to a × conj(b), where a is the spectrum of the
  /// last synthesis frame and b is the new one.
  func measureSlope(_ position: Int64, _ history: StretchHistory, comparing: Bool = false) {
    phases.power.fill(0, to: fft.room)
    slope.clear(to: fft.room)
    if comparing { advance.clear(to: fft.room) }
    for guide in upTo(spectra.count) {
      let spectrum = spectra[guide]
      if comparing {
        measure(.guide(guide), position, history, into: other)
        addAdvance(spectrum)
        for bin in upTo(fft.room, by: 8) { spectrum[eight: bin] = other[eight: bin] }
      } else {
        measure(.guide(guide), position, history, into: spectrum)
      }
      addSlope(spectrum, to: slope)
      addPower(spectrum, to: phases.power)
    }
  }

  private func addAdvance(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      advance[eight: bin] += spectrum[eight: bin].timesConjugate(other[eight: bin])
    }
  }

  private func addSlope(_ spectrum: Spectrum, to slope: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      slope[eight: bin] += spectrum[eight: bin].timesConjugate(spectrum[eight: bin &- 1])
    }
  }

  private func addPower(_ spectrum: Spectrum, to powers: Row<Float>) {
    for bin in upTo(fft.room, by: 8) { powers[eight: bin] += spectrum[eight: bin].power }
  }

  /// Turns the spectra of the guide channels from an analysis frame into a synthesis frame.
  func rotateAll() {
    for guide in upTo(spectra.count) { rotate(spectra[guide]) }
    for bin in upTo(fft.room, by: 8) { phases.lastPower[eight: bin] = phases.power[eight: bin] }
  }

  func rotate(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      spectrum[eight: bin] =
        spectrum[eight: bin] * ComplexLanes(unit: phases.rotations[eight: bin])
    }
  }

  /// Multiplies `spectrum` by `fixed` for fixed bins (`PhaseIntegration`), by `gains` for all
  /// others, and by `formants` for all bins. `nil` means gains of 1. If `isWidened` is set, we
  /// switch to a wider window first (`widened`).
  func scaled(
    _ spectrum: Spectrum, fixed: Float, gains: Row<Float>?, formants: Row<Float>?, isWidened: Bool
  ) -> Spectrum {
    if fixed == 1, gains == nil, formants == nil { return spectrum }
    let fixed = Lanes(repeating: fixed)
    for bin in upTo(fft.room, by: 8) {
      let free = gains?[eight: bin] ?? Lanes(repeating: 1)
      var factor = free.replaced(by: fixed, where: phases.isFixed[eight: bin])
      if let formants { factor *= formants[eight: bin] }
      let numbers = isWidened ? widened(spectrum, bin) : spectrum[eight: bin]
      other[eight: bin] = ComplexLanes(numbers.re * factor, numbers.im * factor)
    }
    return other
  }

  /// Each of eight bins x becomes x + d × (x - (y + z) / 2), where y and z are its neighbours, and
  /// d is its element of `widening`. As the spectrum has twice as many points as the window and is
  /// centred on time 0, this multiplies the window by 1 + d × (1 - cos πt), with t from -1/2 to
  /// 1/2.
  @inline(__always)
  private func widened(_ spectrum: Spectrum, _ bin: Int) -> ComplexLanes {
    let numbers = spectrum[eight: bin]
    let sides = spectrum[eight: bin &- 1] + spectrum[eight: bin &+ 1]
    let share = phases.widening[eight: bin]
    return ComplexLanes(
      numbers.re + share * (numbers.re - sides.re * 0.5),
      numbers.im + share * (numbers.im - sides.im * 0.5))
  }

  /// Reads the guide channels' spectra around `position` into `copies`, and sums their power.
  func measureCopies(_ position: Int64, _ history: StretchHistory, _ powers: Row<Float>) {
    powers.fill(0, to: fft.room)
    for guide in upTo(copies.count) {
      measure(.guide(guide), position, history, into: copies[guide])
      addPower(copies[guide], to: powers)
    }
  }
}
