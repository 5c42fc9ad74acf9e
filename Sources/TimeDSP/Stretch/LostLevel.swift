// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures the level that a stretch loses or gains, band by band, and the gains against that.
///
/// Frames that have little in common, as those of noise and of high partials with a vibrato, partly
/// cancel in their overlap, and wider windows make them louder. The loss is measured: the power
/// that went into each frame, and that of the output in the same window once all frames that reach
/// into it have been added. Only sound without a transient is measured, by one guide in each frame,
/// all of them in rotation, and only steady bands get a gain.
struct LostLevel {
  /// Gain of each bin.
  let gains: UnsafeMutablePointer<Float>
  private let bands: SteadyBands
  private let guides: Int
  /// By band, the gain of this frame as a power, and the loss: input power / output power.
  private let powerGains: UnsafeMutablePointer<Float>
  private let losses: UnsafeMutablePointer<Float>
  /// Running sums by band: the power that went in, and the power of the output.
  private let given: UnsafeMutablePointer<Float>
  private let heard: UnsafeMutablePointer<Float>
  /// Frames that have not been measured yet: their powers by band, and centres. A ring.
  private let powers: UnsafeMutablePointer<Float>
  private let centres: UnsafeMutablePointer<Int64>
  private var newest = 0
  private var oldest = 0
  /// The centre of the last frame that was not steady.
  private var unsteady: Int64 = .min

  private static let kept = 16
  /// Decay of the running sums per measurement.
  private static let remembering: Float = 1 - 1 / 24
  /// 1.8 dB either way.
  private static let most: Float = 1.5
  private static let silence: Float = 1e-9

  init(_ bands: SteadyBands, guides: Int, room: Int, _ memory: inout ScratchMemory) {
    self.bands = bands
    self.guides = guides
    gains = memory.allocate(Float.self, room)
    powerGains = memory.allocate(Float.self, SteadyBands.most)
    losses = memory.allocate(Float.self, SteadyBands.most)
    given = memory.allocate(Float.self, SteadyBands.most)
    heard = memory.allocate(Float.self, SteadyBands.most)
    powers = memory.allocate(Float.self, Self.kept &* SteadyBands.most)
    centres = memory.allocate(Int64.self, Self.kept)
  }

  mutating func start() {
    (newest, oldest, unsteady) = (0, 0, .min)
    losses.fill(1, SteadyBands.most)
    given.fill(0, SteadyBands.most)
    heard.fill(0, SteadyBands.most)
  }

  /// Finds the gains of a frame whose bands have been compared.
  func findGains() {
    var band = 0
    while band < bands.count {
      powerGains[band] = 1 + (losses[band] - 1) * bands.shares[band]
      let gain = Lanes(repeating: powerGains[band].squareRoot())
      let bins = bands.bins(band)
      var bin = bins.lowerBound
      while bin < bins.upperBound {
        gains.put(gain, bin)
        bin &+= 8
      }
      band &+= 1
    }
  }

  /// A frame around `centre` cannot be measured, and neither can frames that overlap it.
  mutating func skip(_ centre: Int64) {
    unsteady = centre
    oldest = newest
  }

  /// The guide that the next frame is measured by: all of them in rotation.
  var guide: Int { newest.remainder(by: guides) }

  /// Records the level of each band of `guide` in the frame at `centre`. `spectrum` has no gains yet;
  /// those of `formants` are counted in.
  mutating func note(
    _ centre: Int64, _ spectrum: Spectrum, formants: UnsafeMutablePointer<Float>?
  ) {
    let place = newest & (Self.kept &- 1)
    let row = powers + place &* SteadyBands.most
    var band = 0
    while band < bands.count {
      let bins = bands.bins(band)
      let power = formants.map { spectrum.power(bins, times: $0) } ?? spectrum.power(bins)
      row[band] = power * powerGains[band]
      band &+= 1
    }
    centres[place] = centre
    newest &+= 1
    oldest = max(oldest, newest &- Self.kept)
  }

  /// Measures the oldest frame noted, if the output before `end`, which is finished, has all
  /// of it. Frames that came close together wait while others come farther apart: the output
  /// of those more than a window before `end` is held no longer.
  mutating func measure(_ output: OverlapAdd, before end: Int64, _ analysis: StretchAnalysis) {
    let window = Int64(truncatingIfNeeded: analysis.window.count)
    while oldest < newest, centres[oldest & (Self.kept &- 1)] < end &- window { oldest &+= 1 }
    guard oldest < newest else { return }
    let place = oldest & (Self.kept &- 1)
    let centre = centres[place]
    guard centre &+ window &>> 1 <= end else { return }
    let guide = oldest.remainder(by: guides)
    oldest &+= 1
    guard unsteady == .min || centre &- window >= unsteady else { return }
    output.load(guide, of: guides, centre, analysis.window, analysis.fft)
    analysis.fft.forward(analysis.other)
    add(analysis.other, powers + place &* SteadyBands.most)
  }

  private func add(_ output: Spectrum, _ row: UnsafeMutablePointer<Float>) {
    var band = 0
    while band < bands.count {
      given[band] = given[band] * Self.remembering + row[band] + Self.silence
      heard[band] =
        heard[band] * Self.remembering + output.power(bands.bins(band)) + Self.silence
      // bands that are softer than the recent maximum say little
      let doubt = bands.loudest[band] / Float(guides)
      let loss = (given[band] + doubt) / (heard[band] + doubt)
      losses[band] = min(max(loss, 1 / Self.most), Self.most)
      band &+= 1
    }
  }
}

extension Spectrum {
  /// The power of all numbers in `bins`, multiples of eight.
  func power(_ bins: Range<Int>) -> Float {
    var sum = Lanes.zero
    var bin = bins.lowerBound
    while bin < bins.upperBound {
      sum += ComplexLanes(self, bin).squarable.power
      bin &+= 8
    }
    return sum.total
  }

  /// The same with a gain for each bin.
  func power(_ bins: Range<Int>, times gains: UnsafeMutablePointer<Float>) -> Float {
    var sum = Lanes.zero
    var bin = bins.lowerBound
    while bin < bins.upperBound {
      let gain = gains.lanes(bin)
      sum += ComplexLanes(self, bin).squarable.power * gain * gain
      bin &+= 8
    }
    return sum.total
  }
}
