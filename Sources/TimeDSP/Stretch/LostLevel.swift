// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures how much power stretching loses or adds in each band, and computes gains that
/// compensate for the loss.
///
/// Overlapping synthesis frames of noise, or of high partials with vibrato, are only weakly
/// correlated and partly cancel. Wider windows, in contrast, make such sounds louder. The loss is
/// the power of the windowed input divided by the power of the windowed output at the same
/// position, after all overlapping frames have been added. The loss is measured only in sound
/// without transients, in one guide channel (see `StretchHistory`) per frame. Only steady bands
/// (`SteadyBands`) get a gain.
struct LostLevel {
  /// The result: the gain of each bin.
  let gains: UnsafeMutablePointer<Float>
  private let bands: SteadyBands
  private let guides: Int
  /// For each band, the gain of the current frame, as a ratio of powers.
  private let powerGains: UnsafeMutablePointer<Float>
  /// For each band, the loss: input power / output power.
  private let losses: UnsafeMutablePointer<Float>
  /// For each band, the running sum of the input power.
  private let given: UnsafeMutablePointer<Float>
  /// For each band, the running sum of the output power.
  private let played: UnsafeMutablePointer<Float>
  /// Ring buffer of the input power of each band, for the synthesis frames whose output has not
  /// been measured yet.
  private let powers: UnsafeMutablePointer<Float>
  /// Ring buffer of the output positions at which the synthesis frames in `powers` are centred.
  private let centres: UnsafeMutablePointer<Int64>
  private var newest = 0
  private var oldest = 0
  /// The centre of the last synthesis frame that could not be measured.
  private var unsteady: Int64 = .min
  /// The end of the finished output; `nil` if no frame has been recorded since the last
  /// measurement.
  private var finished: Int64?

  private static let kept = 16
  /// Decay of the running sums per measurement.
  private static let remembering: Float = 1 - 1 / 24
  /// Limit of a gain or loss, as a ratio of powers: 1.8 dB.
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

  /// Computes the gains of a frame for which `bands.compare` has been called.
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

  /// Records that the synthesis frame centred at output position `centre` cannot be measured, nor
  /// any synthesis frame that overlaps it.
  mutating func skip(_ centre: Int64) {
    unsteady = centre
    oldest = newest
    finished = nil
  }

  /// The guide channel in which the next synthesis frame is measured. Each frame uses the next
  /// guide channel.
  var guide: Int { newest.remainder(by: guides) }

  /// Records the power of each band of the synthesis frame centred at output position `centre`.
  /// `spectrum` is the spectrum of channel `guide` without gains. The recorded power includes the
  /// gains of `findGains` and of `formants`. The output before `finished` is final.
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

  /// Measures the oldest recorded synthesis frame, if its output is finished. Does nothing if no
  /// frame has been recorded since the last call. Synthesis frames centred more than a window
  /// before the end of the finished output are dropped, because their output may no longer be
  /// available.
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
      // the softer a band is compared with its recent maximum, the closer the loss is kept to 1
      let doubt = bands.loudest[band] / Float(guides)
      let loss = (given[band] + doubt) / (played[band] + doubt)
      losses[band] = min(max(loss, 1 / Self.most), Self.most)
    }
  }
}

extension Spectrum {
  /// The total power of `bins`, whose bounds must be multiples of eight.
  func power(_ bins: Range<Int>) -> Float {
    var sum = Lanes.zero
    for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
      sum += ComplexLanes(self, bin).squarable.power
    }
    return sum.total
  }

  /// The total power of `bins` after multiplication by `gains`.
  func power(_ bins: Range<Int>, times gains: UnsafeMutablePointer<Float>) -> Float {
    var sum = Lanes.zero
    for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
      let gain = gains.lanes(bin)
      sum += ComplexLanes(self, bin).squarable.power * gain * gain
    }
    return sum.total
  }
}
