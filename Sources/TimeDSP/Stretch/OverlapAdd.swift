// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Overlap-adds synthesis frames. The output of a channel is the sum of its windowed
/// frames / `norm`, the sum of the squared windows.
struct OverlapAdd {
  private let channels: Int
  private let capacity: Int
  private let sums: UnsafeMutablePointer<Float>
  private let norm: UnsafeMutablePointer<Float>
  private var first: Int64 = 0
  private var end: Int64 = 0

  init(channels: Int, _ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    self.channels = channels
    // `LostLevel` still reads output one and a half windows after we've finished it
    capacity = 3 &* sizes.longest &+ 64
    sums = memory.allocate(Float.self, channels &* capacity)
    norm = memory.allocate(Float.self, capacity)
  }

  mutating func start(at frame: Int64) {
    first = frame
    end = frame
    norm.fill(0, capacity)
    sums.fill(0, channels &* capacity)
  }

  /// Makes room up to `newEnd`, and drops output before `frame` if necessary. `frame` and `newEnd`
  /// are at most 2.5 times the longest window apart.
  mutating func open(from frame: Int64, to newEnd: Int64) {
    if newEnd &- first > Int64(truncatingIfNeeded: capacity) {
      let gone = Int(truncatingIfNeeded: frame &- first)
      let kept = max(Int(truncatingIfNeeded: end &- frame), 0)
      for channel in upTo(channels) {
        shift(sums + channel &* capacity, by: gone, keeping: kept)
      }
      shift(norm, by: gone, keeping: kept)
      first = frame
    }
    end = max(end, newEnd)
  }

  private func shift(_ plane: UnsafeMutablePointer<Float>, by gone: Int, keeping kept: Int) {
    timedsp_copy(plane, plane + gone, kept &* MemoryLayout<Float>.stride)
    (plane + kept).fill(0, capacity &- kept)
  }

  @inline(__always)
  private func sum(_ channel: Int, _ frame: Int64) -> UnsafeMutablePointer<Float> {
    sums + channel &* capacity + Int(truncatingIfNeeded: frame &- first)
  }

  @inline(__always)
  private func norm(_ frame: Int64) -> UnsafeMutablePointer<Float> {
    norm + Int(truncatingIfNeeded: frame &- first)
  }

  func addNorm(_ window: StretchWindow, _ centre: Int64) {
    let target = UnsafeMutableRawPointer(
      norm(centre &- Int64(truncatingIfNeeded: window.count &>> 1)))
    for frame in upTo(window.count, by: 16) {
      let address = target + frame &* MemoryLayout<Float>.stride
      let weights = window.sixteen(frame)
      address.write(address.read(SIMD16<Float>.self) + weights * weights)
    }
  }

  /// Adds the windowed synthesis frame in `packed` to a channel, centred at output position
  /// `centre`. Its samples are in the same order as in `StretchHistory.load`.
  func add(
    _ packed: Spectrum, _ fft: RealFFT, _ window: StretchWindow, _ channel: Int, _ centre: Int64
  ) {
    let target = UnsafeMutableRawPointer(
      sum(channel, centre &- Int64(truncatingIfNeeded: window.count &>> 1)))
    for frame in upTo(window.count, by: 16) {
      let source = window.index(of: frame, in: fft) &>> 1
      let numbers = packed.re.lanes(source).interleaved(packed.im.lanes(source))
      let address = target + frame &* MemoryLayout<Float>.stride
      address.write(address.read(SIMD16<Float>.self) + numbers * window.sixteen(frame))
    }
  }

  /// Writes the windowed output around `centre` to the input of `fft`, in the same order as
  /// `StretchHistory.load`. It's the sum of every `guides`-th channel, starting with channel
  /// `guide`.
  func load(
    _ guide: Int, of guides: Int, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT
  ) {
    let start = centre &- Int64(truncatingIfNeeded: window.count &>> 1)
    fft.packed.clear(from: 0, to: fft.half)
    for frame in upTo(window.count, by: 16) {
      let position = start &+ Int64(truncatingIfNeeded: frame)
      var sum = SIMD16<Float>.zero
      var channel = guide
      while channel < channels {
        sum += UnsafeMutableRawPointer(self.sum(channel, position)).read(SIMD16<Float>.self)
        channel &+= guides
      }
      let norms = UnsafeMutableRawPointer(norm(position)).read(SIMD16<Float>.self)
      let numbers = sum * window.sixteen(frame) / norms.atLeastAThousandth
      fft.pack(numbers, window.index(of: frame, in: fft))
    }
  }

  @inline(__always)
  func value(_ channel: Int, _ frame: Int64) -> Float {
    sum(channel, frame).pointee / max(norm(frame).pointee, 1e-3)
  }
}

extension SIMD16<Float> {
  /// The larger of each number and 0.001. We avoid a comparison, because the compiler would process
  /// the mask lane by lane.
  fileprivate var atLeastAThousandth: SIMD16<Float> {
    let over = unsafeBitCast(self - 1e-3, to: SIMD16<Int32>.self)
    let marks = unsafeBitCast(over &>> 31, to: SIMD16<UInt32>.self)
    let bits = unsafeBitCast(self, to: SIMD16<UInt32>.self)
    let least = unsafeBitCast(SIMD16<Float>(repeating: 1e-3), to: SIMD16<UInt32>.self)
    return unsafeBitCast(bits ^ ((bits ^ least) & marks), to: SIMD16<Float>.self)
  }
}

/// Measures how much power stretching loses or adds in each band, and computes gains that make up
/// for it.
///
/// Overlapping synthesis frames of noise, or of high partials with vibrato, are only weakly
/// correlated, so they partly cancel out. Wider windows make such sounds louder instead. The loss
/// is the power of the windowed input / the power of the windowed output at the same position, once
/// all overlapping frames have been added. We only measure it where there aren't any transients,
/// and in one guide channel (`StretchHistory`) per frame. Only steady bands (`SteadyBands`) get a
/// gain.
struct LostLevel {
  let gains: UnsafeMutablePointer<Float>
  private let bands: SteadyBands
  private let guides: Int
  /// For each band, the current frame's gain as a ratio of powers.
  private let powerGains: UnsafeMutablePointer<Float>
  /// For each band, input power / output power.
  private let losses: UnsafeMutablePointer<Float>
  /// For each band, the running sum of the input power.
  private let given: UnsafeMutablePointer<Float>
  /// For each band, the running sum of the output power.
  private let played: UnsafeMutablePointer<Float>
  /// A ring buffer of each band's input power, for the synthesis frames whose output we haven't
  /// measured yet.
  private let powers: UnsafeMutablePointer<Float>
  /// A ring buffer of the output positions that these frames are centred on.
  private let centres: UnsafeMutablePointer<Int64>
  private var newest = 0
  private var oldest = 0
  /// The centre of the last synthesis frame that we couldn't measure.
  private var unsteady: Int64 = .min
  /// The end of the finished output, or `nil` if we haven't recorded a frame since the last
  /// measurement.
  private var finished: Int64?

  /// How many recorded frames we keep. At factor 0.25, a frame's output is only finished 17 frames
  /// later.
  private static let kept = 32
  /// How much of the running sums is left after each measurement.
  private static let remembering: Float = 1 - 1 / 24
  /// The max gain or loss, as a ratio of powers: 1.8 dB.
  private static let most: Float = 1.5
  private static let silence: Float = 1e-9

  init(_ bands: SteadyBands, guides: Int, room: Int, _ memory: inout ScratchMemory) {
    self.bands = bands
    self.guides = guides
    gains = memory.allocate(Float.self, room)
    powerGains = memory.allocate(Float.self, SteadyBands.most)
    losses = memory.allocate(Float.self, SteadyBands.most)
    given = memory.allocate(Float.self, SteadyBands.most)
    played = memory.allocate(Float.self, SteadyBands.most)
    powers = memory.allocate(Float.self, Self.kept &* SteadyBands.most)
    centres = memory.allocate(Int64.self, Self.kept)
  }

  mutating func start() {
    (newest, oldest, unsteady, finished) = (0, 0, .min, nil)
    losses.fill(1, SteadyBands.most)
    given.fill(0, SteadyBands.most)
    played.fill(0, SteadyBands.most)
  }

  /// You must call `bands.compare` for the frame first.
  func findGains() {
    for band in upTo(bands.count) {
      powerGains[band] = 1 + (losses[band] - 1) * bands.shares[band]
      let gain = Lanes(repeating: powerGains[band].squareRoot())
      let bins = bands.bins(band)
      for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
        gains.put(gain, bin)
      }
    }
  }

  /// We can't measure the synthesis frame centred at output position `centre`, or any frame that
  /// overlaps it.
  mutating func skip(_ centre: Int64) {
    unsteady = centre
    oldest = newest
    finished = nil
  }

  /// We take the guide channels in turn, one for each synthesis frame.
  var guide: Int { newest.remainder(by: guides) }

  /// Records each band's power in the synthesis frame centred at output position `centre`, after
  /// applying the gains of `findGains` and `formants`. `spectrum` is the spectrum of channel
  /// `guide` before any gains. The output before `finished` is final.
  mutating func note(
    _ centre: Int64, _ spectrum: Spectrum, formants: UnsafeMutablePointer<Float>?,
    finished: Int64
  ) {
    self.finished = finished
    let slot = newest & (Self.kept &- 1)
    let row = powers + slot &* SteadyBands.most
    for band in upTo(bands.count) {
      let bins = bands.bins(band)
      let power = formants.map { spectrum.power(bins, times: $0) } ?? spectrum.power(bins)
      row[band] = power * powerGains[band]
    }
    centres[slot] = centre
    newest &+= 1
    oldest = max(oldest, newest &- Self.kept)
  }

  /// Measures the oldest recorded synthesis frame if its output is finished and we've recorded a
  /// frame since the last call. We drop frames that are centred more than a window before the end
  /// of the finished output, because their output may be gone.
  mutating func measure(_ output: OverlapAdd, _ analysis: StretchAnalysis) {
    guard let end = finished else { return }
    finished = nil
    let window = Int64(truncatingIfNeeded: analysis.window.count)
    while oldest < newest, centres[oldest & (Self.kept &- 1)] < end &- window { oldest &+= 1 }
    guard oldest < newest else { return }
    let slot = oldest & (Self.kept &- 1)
    let centre = centres[slot]
    guard centre &+ window &>> 1 <= end else { return }
    let guide = oldest.remainder(by: guides)
    oldest &+= 1
    guard unsteady == .min || centre &- window >= unsteady else { return }
    output.load(guide, of: guides, centre, analysis.window, analysis.fft)
    analysis.fft.forward(analysis.other)
    add(analysis.other, powers + slot &* SteadyBands.most)
  }

  private func add(_ output: Spectrum, _ row: UnsafeMutablePointer<Float>) {
    for band in upTo(bands.count) {
      given[band] = given[band] * Self.remembering + row[band] + Self.silence
      played[band] =
        played[band] * Self.remembering + output.power(bands.bins(band)) + Self.silence
      // the softer a band is compared with its recent maximum, the closer we keep the loss to 1
      let doubt = bands.loudest[band] / Float(guides)
      let loss = (given[band] + doubt) / (played[band] + doubt)
      losses[band] = min(max(loss, 1 / Self.most), Self.most)
    }
  }
}

extension Spectrum {
  /// Both ends of `bins` must be multiples of eight.
  func power(_ bins: Range<Int>) -> Float {
    var sum = Lanes.zero
    for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
      sum += ComplexLanes(self, bin).squarable.power
    }
    return sum.total
  }

  func power(_ bins: Range<Int>, times gains: UnsafeMutablePointer<Float>) -> Float {
    var sum = Lanes.zero
    for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
      let gain = gains.lanes(bin)
      sum += ComplexLanes(self, bin).squarable.power * gain * gain
    }
    return sum.total
  }
}

/// Works out how to extrapolate the input past its end. The last analysis windows reach beyond it,
/// and if they found silence there, the last 40 ms of the sound would be up to 12 dB too soft.
///
/// We compare the end of the sound with the sound 5 to 50 ms before it, and repeat the audio from
/// the best match to the end, as in WSOLA (Verhelst and Roelands, 1993). A decaying sound keeps
/// decaying.
struct Continuation {
  /// Length of the repeated section in frames, or 0 for silence.
  private(set) var period = 0
  /// The gain of each repetition relative to the one before: at most 1, or 0 for silence.
  private(set) var gain: Float = 0

  private let sizes: StretchSizes
  private let longest: Int
  /// We start by comparing sums of 2^`shift` frames.
  private let shift: Int
  /// For each guide channel (`StretchHistory`), sums of 2^`shift` successive samples, last one
  /// first.
  private let sums: UnsafeMutablePointer<Float>
  private let room: Int

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout ScratchMemory) {
    self.sizes = sizes
    let compared = sizes.frames(milliseconds: 20)
    longest = min(sizes.frames(milliseconds: 50), sizes.kept &- compared)
    // a rate of 4.5 to 9 kHz keeps most of a sound's power
    var shift = 0
    while 9000 &<< shift <= sizes.rate { shift &+= 1 }
    self.shift = shift
    room = (longest &+ compared) &>> shift &+ 1
    sums = memory.allocate(Float.self, guides &* room)
  }

  mutating func find(in history: StretchHistory) {
    (period, gain) = (0, 0)
    let most = sizes.frames(milliseconds: 20) &+ longest
    let stream = Int(truncatingIfNeeded: min(history.end, Int64(truncatingIfNeeded: most)))
    let compared = min(sizes.frames(milliseconds: 20), stream &>> 2)
    guard compared &>> shift > 0 else { return }
    addUp(history)
    let shortest = min(sizes.frames(milliseconds: 5), compared)
    let middle = coarsest(compared, from: shortest, to: stream &- compared, history.guides)
    period = finest(
      history, compared, from: max(middle &- (1 &<< shift), shortest),
      to: min(middle &+ (1 &<< shift), stream &- compared))
    gain = gain(history, compared)
  }

  /// The best lag, in frames, among multiples of 2^`shift`.
  private func coarsest(_ compared: Int, from shortest: Int, to longest: Int, _ guides: Int)
    -> Int
  {
    var (best, bestLag) = (Float.infinity, shortest)
    var lag = max(shortest &>> shift, 1)
    while lag &<< shift <= longest {
      let difference = difference(compared &>> shift, lag, guides)
      if difference < best { (best, bestLag) = (difference, lag &<< shift) }
      lag &+= 1
    }
    return bestLag
  }

  private func finest(
    _ history: StretchHistory, _ compared: Int, from shortest: Int, to longest: Int
  ) -> Int {
    var (best, bestLag) = (Float.infinity, shortest)
    var lag = shortest
    while lag <= longest {
      let difference = difference(history, compared, lag)
      if difference < best { (best, bestLag) = (difference, lag) }
      lag &+= 1
    }
    return bestLag
  }

  private func addUp(_ history: StretchHistory) {
    for guide in upTo(history.guides) {
      var frame = history.end
      for point in upTo(room) {
        var sum: Float = 0
        let first = frame &- (1 &<< Int64(truncatingIfNeeded: shift))
        while frame > first {
          frame &-= 1
          sum += history.sample(ofGuide: guide, frame)
        }
        sums[guide &* room &+ point] = sum
      }
    }
  }

  /// The energy of the difference between the last `points` sums and the ones `lag` sums earlier.
  private func difference(_ points: Int, _ lag: Int, _ guides: Int) -> Float {
    var sum: Float = 0
    for guide in upTo(guides) {
      let row = sums + guide &* room
      var point = 0
      while point < min(points, room &- lag) {
        let distance = row[point] - row[point &+ lag]
        sum += distance * distance
        point &+= 1
      }
    }
    return sum
  }

  /// The same for the last `compared` frames and the ones `lag` frames earlier, at every
  /// `stride`-th frame.
  private func difference(_ history: StretchHistory, _ compared: Int, _ lag: Int) -> Float {
    var sum: Float = 0
    for guide in upTo(history.guides) {
      var frame = history.end &- Int64(truncatingIfNeeded: compared)
      while frame < history.end {
        let before = history.sample(ofGuide: guide, frame &- Int64(truncatingIfNeeded: lag))
        let distance = history.sample(ofGuide: guide, frame) - before
        sum += distance * distance
        frame &+= Int64(truncatingIfNeeded: stride)
      }
    }
    return sum
  }

  private var stride: Int { ((1 &<< shift) &+ 1) &>> 1 }

  /// We repeat a sustained sound at gain 1. The gain is lower if the power of the last 10 ms is
  /// more than 6 dB below the mean power of those 10 ms and the period before them. If the end is
  /// more than 6 dB above the sound one period earlier, it's an onset, and we can't know what would
  /// have followed, so the gain is 0.
  private func gain(_ history: StretchHistory, _ compared: Int) -> Float {
    let all = power(history, compared, gap: 0)
    if power(history, compared, gap: period) < 0.25 * all { return 0 }
    let last = min(sizes.frames(milliseconds: 10), compared)
    let ratio =
      power(history, last, gap: 0)
      / max(power(history, period &+ last, gap: 0), .leastNormalMagnitude)
    return ratio >= 0.25 ? 1 : ratio.squareRoot()
  }

  /// The mean power of `frames` frames, ending `gap` frames before the end.
  private func power(_ history: StretchHistory, _ frames: Int, gap: Int) -> Float {
    var (sum, count) = (Float(0), Float(0))
    let end = history.end &- Int64(truncatingIfNeeded: gap)
    var frame = end &- Int64(truncatingIfNeeded: frames)
    while frame < end {
      for guide in upTo(history.guides) {
        let sample = history.sample(ofGuide: guide, frame)
        sum += sample * sample
      }
      count += 1
      frame &+= Int64(truncatingIfNeeded: stride)
    }
    return count > 0 ? sum / count : 0
  }
}
