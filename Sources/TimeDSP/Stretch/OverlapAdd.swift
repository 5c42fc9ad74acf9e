// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Overlap-adds synthesis frames. The output of a channel is the sum of its windowed
/// frames / `norm`, the sum of the squared windows.
struct OverlapAdd {
  private let channels: Int
  private let capacity: Int
  private let sums: Row<Float>
  private let norm: Row<Float>
  private var first: Int64
  private var end: Int64

  /// The output begins at frame `start`.
  init(
    channels: Int, _ sizes: StretchSizes, from start: Int64, _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    self.channels = channels
    // `LostLevel` still reads output one and a half windows after we've finished it
    capacity = 3 &* sizes.longest &+ 64
    sums = try memory.row(channels &* capacity)
    norm = try memory.row(capacity)
    (first, end) = (start, start)
  }

  /// Makes room up to `newEnd`, and drops output before `frame` if necessary. `frame` and `newEnd`
  /// are at most 2.5 times the longest window apart.
  mutating func open(from frame: Int64, to newEnd: Int64) {
    if newEnd &- first > Int64(capacity) {
      let gone = Int(truncatingIfNeeded: frame &- first)
      let kept = max(Int(truncatingIfNeeded: end &- frame), 0)
      for plane in upTo(sums.count, by: capacity) { shift(sums, plane, by: gone, keeping: kept) }
      shift(norm, 0, by: gone, keeping: kept)
      first = frame
    }
    end = max(end, newEnd)
  }

  private func shift(_ row: Row<Float>, _ plane: Int, by gone: Int, keeping kept: Int) {
    row.move(from: plane &+ gone, to: plane, kept)
    row.fill(0, from: plane &+ kept, to: plane &+ capacity)
  }

  private func index(_ frame: Int64) -> Int { Int(truncatingIfNeeded: frame &- first) }

  func addNorm(_ window: StretchWindow, _ centre: Int64) {
    let start = index(centre) &- window.count &>> 1
    for frame in upTo(window.count, by: 16) {
      let weights = window.values[sixteen: frame]
      norm[sixteen: start &+ frame] += weights * weights
    }
  }

  /// Adds the windowed synthesis frame in `packed` to a channel, centred at output position
  /// `centre`. Its samples are in the same order as in `StretchHistory.load`.
  func add(
    _ packed: Spectrum, _ fft: RealFFT, _ window: StretchWindow, _ channel: Int, _ centre: Int64
  ) {
    let start = channel &* capacity &+ index(centre) &- window.count &>> 1
    for frame in upTo(window.count, by: 16) {
      let pairs = packed[eight: window.index(of: frame, in: fft) &>> 1]
      sums[sixteen: start &+ frame] +=
        pairs.re.interleaved(pairs.im) * window.values[sixteen: frame]
    }
  }

  /// Writes the windowed output around `centre` to the input of `fft`, in the same order as
  /// `StretchHistory.load`. It's the sum of every `guides`-th channel, starting with channel
  /// `guide`.
  func load(
    _ guide: Int, of guides: Int, _ centre: Int64, _ window: StretchWindow, _ fft: RealFFT
  ) {
    let start = index(centre) &- window.count &>> 1
    fft.packed.clear(to: fft.half)
    for frame in upTo(window.count, by: 16) {
      var sum = SIMD16<Float>.zero
      for channel in upTo(channels, from: guide, by: guides) {
        sum += sums[sixteen: channel &* capacity &+ start &+ frame]
      }
      let norms = norm[sixteen: start &+ frame].atLeastAThousandth
      fft.pack(sum * window.values[sixteen: frame] / norms, window.index(of: frame, in: fft))
    }
  }

  func value(_ channel: Int, _ frame: Int64) -> Float {
    sums[channel &* capacity &+ index(frame)] / max(norm[index(frame)], 1e-3)
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
  let gains: Row<Float>
  private let bands: SteadyBands
  private let guides: Int
  /// For each band, the current frame's gain as a ratio of powers.
  private let powerGains: Row<Float>
  /// For each band, input power / output power.
  private let losses: Row<Float>
  /// For each band, the running sum of the input power.
  private let given: Row<Float>
  /// For each band, the running sum of the output power.
  private let played: Row<Float>
  /// A ring buffer of each band's input power, for the synthesis frames whose output we haven't
  /// measured yet.
  private let powers: Row<Float>
  /// A ring buffer of the output positions that these frames are centred on.
  private let centres: Row<Int64>
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

  init(_ bands: SteadyBands, guides: Int, room: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.bands = bands
    self.guides = guides
    gains = try memory.row(room)
    powerGains = try memory.row(SteadyBands.most)
    losses = try memory.row(SteadyBands.most)
    losses.fill(1)
    given = try memory.row(SteadyBands.most)
    played = try memory.row(SteadyBands.most)
    powers = try memory.row(Self.kept &* SteadyBands.most)
    centres = try memory.row(Self.kept)
  }

  /// You must call `bands.compare` for the frame first.
  func findGains() {
    for band in upTo(bands.count) {
      powerGains[band] = 1 + (losses[band] - 1) * bands.shares[band]
      let gain = powerGains[band].squareRoot()
      gains.fill(gain, from: bands.bins(band).lowerBound, to: bands.bins(band).upperBound)
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
    _ centre: Int64, _ spectrum: Spectrum, formants: Row<Float>?, finished: Int64
  ) {
    self.finished = finished
    let slot = newest & (Self.kept &- 1)
    for band in upTo(bands.count) {
      powers[slot &* SteadyBands.most &+ band] =
        spectrum.power(bands.bins(band), times: formants) * powerGains[band]
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
    let window = Int64(analysis.window.count)
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
    add(analysis.other, slot)
  }

  private func add(_ output: Spectrum, _ slot: Int) {
    for band in upTo(bands.count) {
      let power = powers[slot &* SteadyBands.most &+ band]
      given[band] = given[band] * Self.remembering + power + Self.silence
      played[band] =
        played[band] * Self.remembering + output.power(bands.bins(band), times: nil) + Self.silence
      // the softer a band is compared with its recent maximum, the closer we keep the loss to 1
      let doubt = bands.loudest[band] / Float(guides)
      let loss = (given[band] + doubt) / (played[band] + doubt)
      losses[band] = min(max(loss, 1 / Self.most), Self.most)
    }
  }
}

extension Spectrum {
  /// Both ends of `bins` must be multiples of eight. `nil` means gains of 1.
  fileprivate func power(_ bins: Range<Int>, times gains: Row<Float>?) -> Float {
    var sum = Lanes.zero
    for bin in upTo(bins, by: 8) {
      let power = self[eight: bin].squarable.power
      if let gain = gains?[eight: bin] { sum += power * gain * gain } else { sum += power }
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
  private let sums: Row<Float>
  private let room: Int

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.sizes = sizes
    let compared = sizes.frames(milliseconds: 20)
    longest = min(sizes.frames(milliseconds: 50), sizes.kept &- compared)
    // a rate of 4.5 to 9 kHz keeps most of a sound's power
    var shift = 0
    while 9000 &<< shift <= sizes.rate { shift &+= 1 }
    self.shift = shift
    room = (longest &+ compared) &>> shift &+ 1
    sums = try memory.row(guides &* room)
  }

  mutating func find(in history: StretchHistory) {
    (period, gain) = (0, 0)
    let most = sizes.frames(milliseconds: 20) &+ longest
    let stream = Int(truncatingIfNeeded: min(history.end, Int64(most)))
    let compared = min(sizes.frames(milliseconds: 20), stream &>> 2)
    guard compared &>> shift > 0 else { return }
    addUp(history)
    let (first, last) = (min(sizes.frames(milliseconds: 5), compared), stream &- compared)
    let coarse = Self.best(from: max(first &>> shift, 1), to: last &>> shift) {
      difference(compared &>> shift, $0, history.guides)
    }
    let middle = coarse.map { $0 &<< shift } ?? first
    let nearest = max(middle &- (1 &<< shift), first)
    period =
      Self.best(from: nearest, to: min(middle &+ (1 &<< shift), last)) {
        difference(history, compared, $0)
      } ?? nearest
    gain = gain(history, compared)
  }

  /// The lag with the smallest difference. `nil` if there isn't any.
  private static func best(from first: Int, to last: Int, _ difference: (Int) -> Float) -> Int? {
    var (least, best): (Float, Int?) = (.infinity, nil)
    for lag in upTo(last &+ 1, from: first) {
      let difference = difference(lag)
      if difference < least { (least, best) = (difference, lag) }
    }
    return best
  }

  private func addUp(_ history: StretchHistory) {
    for guide in upTo(history.guides) {
      for point in upTo(room) {
        let end = history.end &- Int64(point &<< shift)
        var sum: Float = 0
        for age in upTo(Int64(1 &<< shift)) {
          sum += history.sample(ofGuide: guide, end &- 1 &- age)
        }
        sums[guide &* room &+ point] = sum
      }
    }
  }

  /// The energy of the difference between the last `points` sums and the ones `lag` sums earlier.
  private func difference(_ points: Int, _ lag: Int, _ guides: Int) -> Float {
    var sum: Float = 0
    for row in upTo(guides &* room, by: room) {
      for point in upTo(row &+ min(points, room &- lag), from: row) {
        let distance = sums[point] - sums[point &+ lag]
        sum += distance * distance
      }
    }
    return sum
  }

  /// The same for the last `compared` frames and the ones `lag` frames earlier, at every
  /// `stride`-th frame.
  private func difference(_ history: StretchHistory, _ compared: Int, _ lag: Int) -> Float {
    var sum: Float = 0
    for guide in upTo(history.guides) {
      for frame in upTo(history.end, from: history.end &- Int64(compared), by: stride) {
        let before = history.sample(ofGuide: guide, frame &- Int64(lag))
        let distance = history.sample(ofGuide: guide, frame) - before
        sum += distance * distance
      }
    }
    return sum
  }

  private var stride: Int64 { Int64(((1 &<< shift) &+ 1) &>> 1) }

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
    let end = history.end &- Int64(gap)
    for frame in upTo(end, from: end &- Int64(frames), by: stride) {
      for guide in upTo(history.guides) {
        let sample = history.sample(ofGuide: guide, frame)
        sum += sample * sample
      }
      count += 1
    }
    return count > 0 ? sum / count : 0
  }
}
