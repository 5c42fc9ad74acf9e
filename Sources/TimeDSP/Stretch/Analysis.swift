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

  init(_ window: TimeStretchWindow, rate: Int) {
    self.window = window
    self.rate = rate
    // the power of two closest to 85 ms on a logarithmic scale
    var nearest: Int64 = 256
    let square = 85 &* 85 &* Int64(rate) &* Int64(rate)
    while nearest &* nearest &* 2 &* 1_000_000 < square { nearest = nearest &* 2 }
    let music = Int(truncatingIfNeeded: nearest)
    switch window {
    case TIMESTRETCH_LOW_LATENCY: longest = max(music &>> 2, 128)
    case TIMESTRETCH_SPEECH: longest = music &>> 1
    default: longest = music
    }
    envelope = min(longest, music &>> 1)
    voice = window == TIMESTRETCH_AUTO ? music &>> 1 : longest
    dense = window == TIMESTRETCH_AUTO ? music &>> 3 : longest
    onsets = OnsetSizes(rate: rate, isLowLatency: window == TIMESTRETCH_LOW_LATENCY)
  }

  /// Bins in a spectrum of the longest window. The FFT has twice as many points as the window.
  var bins: Int { longest &+ 1 }

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
    guard onsets.isUsed else { return Int64(truncatingIfNeeded: ahead) }
    let copy = rounded(half * (2 - min(speed, 1 / speed))) &+ 2
    return max(Int64(truncatingIfNeeded: ahead), copy)
  }

  /// How much input we need before the centre of the next analysis frame. Most of it is for the
  /// window before an onset (`RigidTransient`), which itself may be half a window before the
  /// centre.
  var past: Int {
    longest &+ longest &>> 1 &+ frames(milliseconds: 20) &+ slack &+ onsets.past
  }

  var kept: Int { past &+ max(ahead, longest &+ 2) &+ longest }
}

/// A Hann window: w(n) = sin² (π (n + 1/2) / count). It's symmetric about n = count / 2 - 1/2.
struct StretchWindow {
  let count: Int
  let values: UnsafeMutablePointer<Float>

  init(_ count: Int, _ memory: inout ScratchMemory, computing: Bool) {
    self.count = count
    values = memory.allocate(Float.self, count)
    guard computing else { return }
    for index in upTo(count) {
      let sine = sinPi((Double(index) + 0.5) / Double(count))
      values[index] = Float(sine * sine)
    }
  }

  @inline(__always)
  func sixteen(_ index: Int) -> SIMD16<Float> {
    UnsafeMutableRawPointer(values + index).read(SIMD16<Float>.self)
  }

  /// We put the second half of the window first in the input of `fft`, and the first half last, so
  /// that phases are relative to the centre of the window.
  @inline(__always)
  func index(of frame: Int, in fft: RealFFT) -> Int {
    let index = frame &- count &>> 1
    return index < 0 ? fft.count &+ index : index
  }

  /// The value nearest to `distance` frames after the middle, or 0 outside the window.
  func value(at distance: Double) -> Double {
    let index = rounded(distance) &+ Int64(truncatingIfNeeded: count &>> 1)
    guard index >= 0, index < Int64(truncatingIfNeeded: count) else { return 0 }
    return Double(values[Int(truncatingIfNeeded: index)])
  }
}

/// Works out how much memory a stretcher needs, and creates one in a block of that size.
///
/// The size doesn't depend on the factor. At 48 kHz in F32, music needs 1.1 MiB for one channel,
/// and 0.15 MiB for each additional channel.
struct StretchLayout {
  let shape: AudioShape
  let sizes: StretchSizes

  /// `rate` sets the length of the windows. It's in Hz, and clamped to 8 … 192 kHz.
  init(_ shape: AudioShape, _ window: TimeStretchWindow, rate: UInt32) {
    self.shape = shape
    sizes = StretchSizes(window, rate: Int(truncatingIfNeeded: min(max(rate, 8000), 192_000)))
  }

  /// Bytes for the stretcher itself, rounded up to a cache line.
  private var head: Int { (MemoryLayout<Stretcher>.size &+ 63) & ~63 }

  var bytes: Int {
    var memory = ScratchMemory(nil)
    _ = Stretcher(shape, sizes, &memory, computing: false)
    return head &+ memory.bytes
  }

  /// `block` must be `bytes` long and aligned to 64 bytes.
  func makeStretcher(
    in block: UnsafeMutableRawPointer, _ factor: Fraction
  ) -> UnsafeMutablePointer<Stretcher> {
    var memory = ScratchMemory(block + head)
    var stretcher = Stretcher(shape, sizes, &memory, computing: true)
    stretcher.start(factor)
    let pointer = block.bindMemory(to: Stretcher.self, capacity: 1)
    pointer.initialize(to: stretcher)
    return pointer
  }
}

/// Divides a block of memory into arrays, each at the start of a cache line. Allocate everything
/// twice in the same order: first without a block, to find out its size in `bytes`, and then in the
/// block. We put a fence between the arrays, so that AddressSanitizer catches out-of-bounds
/// accesses.
struct ScratchMemory {
  private let base: UnsafeMutableRawPointer?
  private(set) var bytes = 0

  init(_ base: UnsafeMutableRawPointer?) { self.base = base }

  /// The array is uninitialized. You mustn't access it if there's no block.
  mutating func allocate<Value: BitwiseCopyable>(
    _ type: Value.Type, _ count: Int
  ) -> UnsafeMutablePointer<Value> {
    let used = count &* MemoryLayout<Value>.stride
    let size = ((used &+ 63) & ~63) &+ 64
    let address = base.map { $0 + bytes } ?? Self.nowhere
    if base != nil { timedsp_fence(address + used, size &- used) }
    bytes &+= size
    return address.bindMemory(to: type, capacity: count)
  }

  /// Not null, and never accessed.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }
}

/// A sample type that the stretcher can read and write. Full scale is ±1 as a `Number`.
protocol StretchSample: BitwiseCopyable {
  /// The type in which `StretchHistory` stores samples. It can represent every sample exactly.
  associatedtype Number: BitwiseCopyable
  var number: Number { get }
  init(clamped number: Number)
  /// Integers are clipped.
  init(near value: Float)
}

extension Int16: StretchSample {
  typealias Number = Float

  @inline(__always)
  var number: Float { Float(self) * 0x1p-15 }
  @inline(__always)
  init(clamped number: Float) { self.init(near: number) }
  @inline(__always)
  init(near value: Float) { self.init(nearest: Double(value) * 0x1p15) }
}

extension Int32: StretchSample {
  typealias Number = Double

  @inline(__always)
  var number: Double { Double(self) * 0x1p-31 }
  @inline(__always)
  init(clamped number: Double) { self.init(nearest: number * 0x1p31) }
  @inline(__always)
  init(near value: Float) { self.init(nearest: Double(value) * 0x1p31) }
}

extension Float: StretchSample {
  typealias Number = Float

  @inline(__always)
  var number: Float { self }
  @inline(__always)
  init(clamped number: Float) { self = number }
  @inline(__always)
  init(near value: Float) { self = value }
}

extension Double: StretchSample {
  typealias Number = Double

  @inline(__always)
  var number: Double { self }
  @inline(__always)
  init(clamped number: Double) { self = number }
  @inline(__always)
  init(near value: Float) { self.init(value) }
}

/// The recent input of a stretcher, channel by channel. S16 and F32 become `Float`, and S32 and F64
/// become `Double`, so that we can output the unmodified input exactly.
///
/// All channels get the same phase rotations, which keeps the stereo image intact. We compute them
/// from at most eight guide channels. If there are up to eight channels, each is its own guide. If
/// there are more, guide channel g is the sum of channels g, g + 8, g + 16, ….
struct StretchHistory {
  let shape: AudioShape
  private let capacity: Int
  /// Frames that we keep before the position of the next analysis frame.
  private let past: Int
  /// When we drop old frames, we keep this many of the latest ones.
  private let kept: Int
  private let planes: UnsafeMutableRawPointer
  private let sums: UnsafeMutablePointer<Float>
  private(set) var first: Int64 = 0
  /// The stream position after the last frame that we hold.
  private(set) var end: Int64 = 0

  static let maxGuides = 8

  init(_ shape: AudioShape, _ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    self.shape = shape
    past = sizes.past
    kept = sizes.kept
    capacity = kept &+ sizes.longest
    planes = UnsafeMutableRawPointer(
      memory.allocate(UInt8.self, shape.channels &* capacity &* shape.realBytes))
    let hasSums = shape.channels > Self.maxGuides
    sums = memory.allocate(Float.self, hasSums ? Self.maxGuides &* capacity : 0)
  }

  var guides: Int { min(shape.channels, Self.maxGuides) }
  private var isWide: Bool { shape.realBytes == MemoryLayout<Double>.stride }

  /// The stream is preceded by silence.
  mutating func start() {
    first = 0 &- Int64(truncatingIfNeeded: past)
    end = first
    extend(past)
  }

  mutating func extend(_ frames: Int) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let size = shape.realBytes
      let target = planes + (channel &* capacity &+ index) &* size
      timedsp_clear(target, frames &* size)
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  /// Appends repetitions of the last `period` frames, each at `gain` relative to the one before, or
  /// silence if `period` or `gain` is 0.
  mutating func extend(_ frames: Int, repeating period: Int, gain: Float) {
    if gain == 0 || period == 0 {
      extend(frames)
      return
    }
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      let start = channel &* capacity &+ index
      if isWide {
        repeatFrames(real(Double.self) + start, frames, period, Double(gain))
      } else {
        repeatFrames(real(Float.self) + start, frames, period, gain)
      }
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  private func repeatFrames<Real: BinaryFloatingPoint>(
    _ target: UnsafeMutablePointer<Real>, _ frames: Int, _ period: Int, _ gain: Real
  ) {
    for frame in upTo(frames) {
      target[frame] = target[frame &- period] * gain
    }
  }

  mutating func append(
    _ input: UnsafePointer<UnsafeRawPointer?>, from start: Int, frames: Int
  ) {
    let index = makeRoom(frames)
    for channel in upTo(shape.channels) {
      if let plane = input[shape.plane(of: channel)] {
        let source = plane + start &* shape.frameBytes
        copy(source, shape.sampleOffset(of: channel), frames, channel &* capacity &+ index)
      }
    }
    addSums(index, frames)
    end &+= Int64(truncatingIfNeeded: frames)
  }

  /// Makes room for `frames` more frames, and returns the index of the first one. If that means
  /// dropping old frames, we only keep the last `kept`, because they have to be moved. `frames` is
  /// at most the longest window, except for the first frames of a stream.
  private mutating func makeRoom(_ frames: Int) -> Int {
    let held = Int(truncatingIfNeeded: end &- first)
    if held &+ frames <= capacity { return held }
    let gone = held &- kept
    for channel in upTo(shape.channels) {
      let plane = planes + channel &* capacity &* shape.realBytes
      timedsp_copy(plane, plane + gone &* shape.realBytes, kept &* shape.realBytes)
    }
    if shape.channels > Self.maxGuides {
      for guide in upTo(Self.maxGuides) {
        let plane = sums + guide &* capacity
        timedsp_copy(plane, plane + gone, kept &* MemoryLayout<Float>.stride)
      }
    }
    first &+= Int64(truncatingIfNeeded: gone)
    return kept
  }

  /// Converts samples of one channel, and stores them in the planes, starting at `index`.
  private func copy(
    _ source: UnsafeRawPointer, _ channel: Int, _ frames: Int, _ index: Int
  ) {
    switch shape.format {
    case TIMEDSP_S16: copy(Int16.self, source, channel, frames, to: real(Float.self) + index)
    case TIMEDSP_F32: copy(Float.self, source, channel, frames, to: real(Float.self) + index)
    case TIMEDSP_S32: copy(Int32.self, source, channel, frames, to: real(Double.self) + index)
    default: copy(Double.self, source, channel, frames, to: real(Double.self) + index)
    }
  }

  private func real<Real: BitwiseCopyable>(_ type: Real.Type) -> UnsafeMutablePointer<Real> {
    planes.assumingMemoryBound(to: type)
  }

  private func copy<Value: StretchSample>(
    _ type: Value.Type, _ source: UnsafeRawPointer, _ channel: Int, _ frames: Int,
    to target: UnsafeMutablePointer<Value.Number>
  ) {
    let samples = source.assumingMemoryBound(to: type) + channel
    let stride = shape.samplesPerFrame
    for frame in upTo(frames) {
      target[frame] = samples[frame &* stride].number
    }
  }

  private func addSums(_ index: Int, _ frames: Int) {
    guard shape.channels > Self.maxGuides else { return }
    var frame = index
    while frame < index &+ frames {
      for guide in upTo(Self.maxGuides) {
        var sum: Float = 0
        for channel in upTo(shape.channels, from: guide, by: Self.maxGuides) {
          sum += value(channel &* capacity &+ frame)
        }
        sums[guide &* capacity &+ frame] = sum
      }
      frame &+= 1
    }
  }

  /// A sample of the planes, or 0 for NaN, infinity and values outside `softest ..< loudest`.
  @inline(__always)
  private func value(_ index: Int) -> Float {
    let value = isWide ? Float(real(Double.self)[index]) : real(Float.self)[index]
    return value.magnitude >= Float.softest && value.magnitude < Float.loudest ? value : 0
  }
}

extension StretchHistory {
  /// The index in a channel's plane of stream position `frame`, or `nil` unless we hold all `count`
  /// frames that start there.
  private func index(of frame: Int64, _ count: Int) -> Int? {
    guard frame >= first, frame &+ Int64(truncatingIfNeeded: count) <= end else { return nil }
    return Int(truncatingIfNeeded: frame &- first)
  }

  @inline(__always)
  private func sixteen(_ source: StretchSource, _ index: Int) -> SIMD16<Float> {
    let start: SIMD16<Float>
    switch source {
    case .guide(let guide) where shape.channels > Self.maxGuides:
      start = UnsafeMutableRawPointer(sums + guide &* capacity + index).read(SIMD16<Float>.self)
    case .guide(let channel), .channel(let channel):
      let index = channel &* capacity &+ index
      if isWide {
        let wide = UnsafeMutableRawPointer(real(Double.self) + index)
        start = SIMD16<Float>(wide.read(SIMD16<Double>.self))
      } else {
        start = UnsafeMutableRawPointer(real(Float.self) + index).read(SIMD16<Float>.self)
      }
    }
    return start.reasonable
  }

  /// Writes the windowed frames around `centre` to the input of `fft`, padded with zeros. The
  /// second half of the window comes first and the first half last, so that phases are relative to
  /// the centre. If we're missing any of the frames, everything is 0.
  func load(_ source: StretchSource, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT) {
    let half = window.count &>> 1
    let packed = fft.packed
    guard let index = index(of: centre &- Int64(truncatingIfNeeded: half), window.count) else {
      packed.clear(from: 0, to: fft.half)
      return
    }
    for frame in upTo(window.count, by: 16) {
      let numbers = sixteen(source, index &+ frame) * window.sixteen(frame)
      fft.pack(numbers, window.index(of: frame, in: fft))
    }
    packed.clear(from: half &>> 1, to: fft.half &- half &>> 1)
  }

  /// The sample at stream position `frame`, or 0 if we no longer hold it.
  func sample(ofGuide guide: Int, _ frame: Int64) -> Float {
    guard let index = index(of: frame, 1) else { return 0 }
    if shape.channels > Self.maxGuides { return sums[guide &* capacity &+ index] }
    return value(guide &* capacity &+ index)
  }

  /// For S32 and F64: `count` samples of a channel, starting at `frame`. `nil` if we don't have
  /// them all.
  func wide(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Double>? {
    index(of: frame, count).map { real(Double.self) + (channel &* capacity &+ $0) }
  }

  /// For S16 and F32: `count` samples of a channel, starting at `frame`. `nil` if we don't have
  /// them all.
  func narrow(_ channel: Int, _ frame: Int64, _ count: Int) -> UnsafeMutablePointer<Float>? {
    index(of: frame, count).map { real(Float.self) + (channel &* capacity &+ $0) }
  }
}

/// What a spectrum is computed from.
enum StretchSource {
  case guide(Int)
  case channel(Int)
}

extension Spectrum {
  /// Clears `start` ..< `end`. The length must be a multiple of eight.
  func clear(from start: Int, to end: Int) {
    for index in upTo(end, from: start, by: 8) {
      re.put(Lanes.zero, index)
      im.put(Lanes.zero, index)
    }
  }
}

extension Float {
  /// We treat samples this loud or louder as corrupt, and replace them by 0.
  fileprivate static var loudest: Float { 1e10 }
  /// Smaller samples become 0. They're inaudible, and their powers would be subnormal, which is
  /// slow on most CPUs.
  fileprivate static var softest: Float { 1e-9 }
}

extension SIMD16<Float> {
  /// Replaces NaN, infinity and values outside `softest ..< loudest` by 0.
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
  let fft: RealFFT
  let window: StretchWindow
  /// For each guide channel, the real parts of a spectrum, then its imaginary parts. This is the
  /// last synthesis frame until `measureSlope` replaces it with the current analysis frame.
  private let spectra: UnsafeMutablePointer<Float>
  /// The same for the copies of `RigidTransient`.
  private let copies: UnsafeMutablePointer<Float>
  private let stride: Int
  let guides: Int
  let phases: PhaseIntegration
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

  /// Padding before bin 0, because we read the bin below each bin.
  private static let lead = 16

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout ScratchMemory, computing: Bool) {
    fft = RealFFT(2 &* sizes.longest, &memory, computing: computing)
    window = StretchWindow(sizes.longest, &memory, computing: computing)
    phases = PhaseIntegration(sizes.longest &+ 1, &memory)
    self.guides = guides
    stride = fft.room &+ Self.lead
    // `widened` reads one bin after the last
    spectra = memory.allocate(Float.self, 2 &* guides &* stride &+ Self.lead)
    copies = memory.allocate(Float.self, 2 &* guides &* stride)
    other = Spectrum(fft.room, lead: Self.lead, &memory)
    advance = Spectrum(fft.room &+ Self.lead, lead: Self.lead, &memory)
    slope = Spectrum(fft.room, &memory)
    // we read up to two elements on either side of the bins
    slopeBefore = Spectrum(fft.room &+ Self.lead, lead: Self.lead, &memory)
  }

  /// Starts from silence.
  func start() {
    phases.start()
    spectra.fill(0, 2 &* guides &* stride &+ Self.lead)
    other.clear(from: 0 &- Self.lead, to: fft.room)
    advance.clear(from: 0 &- Self.lead, to: fft.room &+ Self.lead)
    slopeBefore.clear(from: 0 &- Self.lead, to: fft.room &+ Self.lead)
  }

  /// Makes an analysis with a shorter window of `count` frames, which shares the memory of `long`.
  init(_ count: Int, sharing long: StretchAnalysis, _ memory: inout ScratchMemory, computing: Bool)
  {
    fft = RealFFT(2 &* count, &memory, computing: computing)
    window = StretchWindow(count, &memory, computing: computing)
    phases = PhaseIntegration(count &+ 1, sharing: long.phases)
    (guides, stride) = (long.guides, long.stride)
    (spectra, copies) = (long.spectra, long.copies)
    (other, advance) = (long.other, long.advance)
    (slope, slopeBefore) = (long.slope, long.slopeBefore)
  }

  func spectrum(_ guide: Int) -> Spectrum { part(guide, of: spectra) }

  func copy(_ guide: Int) -> Spectrum { part(guide, of: copies) }

  private func part(_ guide: Int, of memory: UnsafeMutablePointer<Float>) -> Spectrum {
    let base = memory + 2 &* guide &* stride + Self.lead
    return Spectrum(re: base, im: base + stride)
  }

  /// Recomputes the last frame's spectra with this window, from the input around `position`. If
  /// `rotating` is set, the rotations are applied too, which gives you the spectra of the synthesis
  /// frame.
  func restate(_ position: Int64, _ history: StretchHistory, rotating: Bool) {
    clear(phases.lastPower)
    if !rotating { phases.rotations.clear(phases.bins) }
    for guide in upTo(guides) {
      history.load(.guide(guide), position, window, fft)
      fft.forward(spectrum(guide))
      if rotating { rotate(spectrum(guide)) }
      addPower(spectrum(guide), to: phases.lastPower)
    }
  }

  private func clear(_ numbers: UnsafeMutablePointer<Float>) { numbers.fill(0, fft.room) }

  /// Sets `advance` and `slopeBefore` from the input `hop` frames before `position`.
  func measureAdvance(
    _ position: Int64, hop: Int64, _ history: StretchHistory
  ) {
    advance.clear(from: 0, to: fft.room)
    slopeBefore.clear(from: 0, to: fft.room)
    for guide in upTo(guides) {
      history.load(.guide(guide), position &- hop, window, fft)
      fft.forward(other)
      addAdvance(spectrum(guide))
      addSlope(other, to: slopeBefore)
    }
  }

  /// Computes the spectra of the analysis frame at `position`, `slope` and `phases.power`. If
  /// `comparing` is set, this also sets `advance` to a × conj(b), where a is the spectrum of the
  /// last synthesis frame and b is the new one.
  func measureSlope(
    _ position: Int64, _ history: StretchHistory, comparing: Bool = false
  ) {
    clear(phases.power)
    slope.clear(from: 0, to: fft.room)
    if comparing { advance.clear(from: 0, to: fft.room) }
    for guide in upTo(guides) {
      let spectrum = spectrum(guide)
      history.load(.guide(guide), position, window, fft)
      if comparing {
        fft.forward(other)
        addAdvance(spectrum)
        copy(other, to: spectrum)
      } else {
        fft.forward(spectrum)
      }
      addSlope(spectrum, to: slope)
      addPower(spectrum, to: phases.power)
    }
  }

  private func copy(_ source: Spectrum, to target: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      ComplexLanes(source, bin).store(target, bin)
    }
  }

  private func addAdvance(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let product = ComplexLanes(spectrum, bin).timesConjugate(ComplexLanes(other, bin))
      (ComplexLanes(advance, bin) + product).store(advance, bin)
    }
  }

  private func addSlope(_ spectrum: Spectrum, to slope: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let below = ComplexLanes(spectrum, bin &- 1)
      let product = ComplexLanes(spectrum, bin).timesConjugate(below)
      (ComplexLanes(slope, bin) + product).store(slope, bin)
    }
  }

  func addPower(_ spectrum: Spectrum, to powers: UnsafeMutablePointer<Float>) {
    for bin in upTo(fft.room, by: 8) {
      powers.put(powers.lanes(bin) + ComplexLanes(spectrum, bin).power, bin)
    }
  }

  /// Turns the spectra of the guide channels from an analysis frame into a synthesis frame.
  func rotateAll() {
    for guide in upTo(guides) {
      rotate(spectrum(guide))
    }
    for bin in upTo(fft.room, by: 8) {
      phases.lastPower.put(phases.power.lanes(bin), bin)
    }
  }

  func rotate(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let rotation = ComplexLanes(unit: phases.rotations.lanes(bin))
      (ComplexLanes(spectrum, bin) * rotation).store(spectrum, bin)
    }
  }

  /// Multiplies `spectrum` by `fixed` for fixed bins (`PhaseIntegration`), by `gains` for all
  /// others, and by `formants` for all bins. `nil` means gains of 1. If `isWidened` is set, we
  /// switch to a wider window first (`widened`).
  func scaled(
    _ spectrum: Spectrum, fixed: Float, gains: UnsafeMutablePointer<Float>?,
    formants: UnsafeMutablePointer<Float>?, isWidened: Bool
  ) -> Spectrum {
    if fixed == 1, gains == nil, formants == nil { return spectrum }
    let fixed = Lanes(repeating: fixed)
    for bin in upTo(fft.room, by: 8) {
      let free = gains?.lanes(bin) ?? Lanes(repeating: 1)
      var factor = free.replaced(by: fixed, where: phases.isFixed.marks(bin))
      if let formants { factor *= formants.lanes(bin) }
      let numbers = isWidened ? widened(spectrum, bin) : ComplexLanes(spectrum, bin)
      ComplexLanes(numbers.re * factor, numbers.im * factor).store(other, bin)
    }
    return other
  }

  /// Each of eight bins x becomes x + d × (x - (y + z) / 2), where y and z are its neighbours, and
  /// d is its element of `widening`. As the spectrum has twice as many points as the window and is
  /// centred on time 0, this multiplies the window by 1 + d × (1 - cos πt), with t from -1/2 to
  /// 1/2.
  @inline(__always)
  private func widened(_ spectrum: Spectrum, _ bin: Int) -> ComplexLanes {
    let numbers = ComplexLanes(spectrum, bin)
    let sides = ComplexLanes(spectrum, bin &- 1) + ComplexLanes(spectrum, bin &+ 1)
    let share = phases.widening.lanes(bin)
    return ComplexLanes(
      numbers.re + share * (numbers.re - sides.re * 0.5),
      numbers.im + share * (numbers.im - sides.im * 0.5))
  }

  /// Each bin's power at `position`, summed over the guide channels.
  func measurePower(
    _ position: Int64, _ history: StretchHistory, _ powers: UnsafeMutablePointer<Float>
  ) {
    clear(powers)
    for guide in upTo(guides) {
      history.load(.guide(guide), position, window, fft)
      fft.forward(other)
      addPower(other, to: powers)
    }
  }
}
