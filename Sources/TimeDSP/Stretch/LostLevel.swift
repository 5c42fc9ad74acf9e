// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures how much power stretching loses or adds in each band, and computes gains that make up
/// for it.
///
/// Overlapping synthesis frames of noise, or of high partials with vibrato, are only weakly
/// correlated and partly cancel. Wider windows make such sounds louder instead. The loss is the
/// power of the windowed input / the power of the windowed output at the same position, once all
/// overlapping frames have been added. We measure it only in sound without transients, in one guide
/// channel (`StretchHistory`) per frame. Only steady bands (`SteadyBands`) get a gain.
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
  /// A ring buffer of the output positions at which these frames are centred.
  private let centres: UnsafeMutablePointer<Int64>
  private var newest = 0
  private var oldest = 0
  /// The centre of the last synthesis frame that we couldn't measure.
  private var unsteady: Int64 = .min
  /// The end of the finished output, or `nil` if no frame has been recorded since the last
  /// measurement.
  private var finished: Int64?

  private static let kept = 16
  /// What the running sums keep at each measurement.
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

  /// Call `bands.compare` for the frame first.
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

  /// Neither the synthesis frame centred at output position `centre` nor any that overlaps it can
  /// be measured.
  mutating func skip(_ centre: Int64) {
    unsteady = centre
    oldest = newest
    finished = nil
  }

  /// In turn, we measure each synthesis frame in the next guide channel.
  var guide: Int { newest.remainder(by: guides) }

  /// Records each band's power in the synthesis frame centred at output position `centre`, with the
  /// gains of `findGains` and of `formants`. `spectrum` is that of channel `guide` without gains.
  /// The output before `finished` is final.
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

  /// Measures the oldest recorded synthesis frame once its output is finished, but not twice
  /// without a new frame. A frame centred more than a window before the end of the finished output
  /// goes, because its output may be gone.
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
      // the softer a band is compared with its recent maximum, the closer the loss stays to 1
      let doubt = bands.loudest[band] / Float(guides)
      let loss = (given[band] + doubt) / (played[band] + doubt)
      losses[band] = min(max(loss, 1 / Self.most), Self.most)
    }
  }
}

extension Spectrum {
  /// `bins` begin and end at multiples of eight.
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
