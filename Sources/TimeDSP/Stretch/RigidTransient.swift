// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Keeps the waveform of a transient (related to Röbel, "A new approach to transient processing in
/// the phase vocoder", DAFx 2003).
///
/// If a frame of the output contains an onset, we read all bins whose power has risen since before
/// the onset from the input at the distance from the onset that they have in the output. These bins
/// are then a copy of the input. Overlapping copies agree, so the onset has its level, and so has
/// the sound after it. The next frame continues from the phases of the copy.
struct RigidTransient {
  /// What fixed bins get in this frame. It's 0 if the onset is after the end of the output frame,
  /// because you mustn't hear its bins yet.
  private(set) var gain: Float = 1
  /// Where in the input the fixed bins come from.
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
    let half = Int64(truncatingIfNeeded: frame.window &>> 1)
    // in the output, the onset is before the window, so the sound is no longer a transient
    if there < 0 &- half { return }
    gain = there > half ? 0 : 1
    if known != onset || knownWindow != frame.window {
      if gain != 0 { gain = Self.gain(there, hop, analysis.window) }
      (known, knownWindow) = (onset, frame.window)
      let before = onset &- half &- Int64(truncatingIfNeeded: (3 &* sizes.onsets.step) &>> 1)
      analysis.measurePower(before, history, phases.before)
    }
    position = onset &- min(there, half)
    hasFixed = true
    analysis.measureCopy(at: position, history)
    analysis.fix(risenBy: Self.minRise)
  }

  /// Of the first copy of an onset, `there` frames after the centre of its frame. In fast sound,
  /// earlier frames reached the onset before its input had arrived. The first copy also stands for
  /// them, so that the onset has its level.
  private static func gain(_ there: Int64, _ hop: Int64, _ window: StretchWindow) -> Float {
    let own = window.value(at: Double(there))
    guard hop > 0, own > 0.1 else { return 1 }
    var missed = 0.0
    var distance = there &+ hop
    while distance < Int64(truncatingIfNeeded: window.count &>> 1) {
      let value = window.value(at: Double(distance))
      missed += value * value
      distance &+= hop
    }
    return Float(min(1 + missed / (own * own), 3))
  }

  /// The fixed bins of the last frame are free again, and the gain is 1.
  mutating func release(_ phases: PhaseIntegration) {
    if hasFixed { phases.release() }
    (hasFixed, gain) = (false, 1)
  }

  static func onset(
    in frame: StretchFrame, _ onsets: OnsetDetector, _ sizes: StretchSizes
  ) -> Int64? {
    guard sizes.onsets.isUsed else { return nil }
    let reach = Int64(truncatingIfNeeded: frame.window &>> 1 &- sizes.onsets.step &>> 1)
    return onsets.nearest(to: frame.position, early: reach, late: reach)
  }
}

extension StretchAnalysis {
  /// Reads the guide channels' spectra around `position` into `copies`, and their power into
  /// `phases.copyPower`.
  func measureCopy(at position: Int64, _ history: StretchHistory) {
    phases.copyPower.fill(0, fft.room)
    for guide in upTo(guides) {
      history.load(.guide(guide), position, window, fft)
      fft.forward(copy(guide))
      addPower(copy(guide), to: phases.copyPower)
    }
  }

  /// Fixes all bins that here or in the copy have more than `rise` times their power before the
  /// onset. Their rotation is the phase difference between the copy and this frame.
  func fix(risenBy rise: Float) {
    for bin in upTo(fft.room, by: 8) {
      let (here, there) = (phases.power.lanes(bin), phases.copyPower.lanes(bin))
      let most = here.replaced(by: there, where: (here - there).signs)
      let marks = (phases.before.lanes(bin) * rise - most).signs
      var product = ComplexLanes(.zero, .zero)
      for guide in upTo(guides) {
        product =
          product
          + ComplexLanes(copy(guide), bin).timesConjugate(ComplexLanes(spectrum(guide), bin))
      }
      phases.fix(bin, marks, product.cycles.phases)
    }
  }

  func place(_ copy: Spectrum, in spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let marks = phases.isFixed.marks(bin)
      let (old, new) = (ComplexLanes(spectrum, bin), ComplexLanes(copy, bin))
      ComplexLanes(
        old.re.replaced(by: new.re, where: marks), old.im.replaced(by: new.im, where: marks)
      ).store(spectrum, bin)
    }
  }

  func placeAll() {
    for guide in upTo(guides) {
      place(copy(guide), in: spectrum(guide))
    }
    for bin in upTo(fft.room, by: 8) {
      let marks = phases.isFixed.marks(bin)
      let known = phases.lastPower.lanes(bin)
      phases.lastPower.put(known.replaced(by: phases.copyPower.lanes(bin), where: marks), bin)
    }
  }
}

extension PhaseIntegration {
  @inline(__always)
  func fix(_ bin: Int, _ marks: Phases, _ phases: Phases) {
    var lane = 0
    while lane < 8, bin &+ lane < bins {
      isFixed[bin &+ lane] = marks[lane] == 0 ? 0 : 1
      lane &+= 1
    }
    rotations.put(rotations.lanes(bin).replaced(by: phases, where: marks), bin)
  }

  func release() {
    for bin in upTo(bins) {
      isFixed[bin] = 0
    }
  }
}
