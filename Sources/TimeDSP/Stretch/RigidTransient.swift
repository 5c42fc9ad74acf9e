// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Copies a transient with its waveform unchanged (related to Röbel, "A new approach to transient
/// processing in the phase vocoder", DAFx 2003). If a frame contains a transient, bins whose power
/// has risen since before the onset are fixed. They are rotated so that the onset is where the time
/// map requires it.
struct RigidTransient {
  /// The gain of the fixed bins in this frame.
  private(set) var gain: Float = 1
  /// The last onset for which the powers before the onset have been measured.
  private var known: Int64 = .min
  /// The window with which these powers have been measured.
  private var knownWindow = 0
  /// Whether this frame has fixed bins.
  private(set) var hasFixed = false

  /// Minimum rise of a fixed bin: 6 dB.
  private static let leastRise: Float = 4

  /// Marks the bins of a transient in the frame as fixed, and sets their rotations.
  mutating func find(
    _ frame: StretchFrame, _ map: StretchMap, _ onsets: OnsetDetector,
    _ history: StretchHistory, _ analysis: StretchAnalysis, _ sizes: StretchSizes
  ) {
    let phases = analysis.phases
    release(phases)
    guard let onset = Self.onset(in: frame, onsets, sizes) else { return }
    // whole frames only: a fractional shift would ring before the onset at the highest frequencies
    let there = Double(map.nearest(to: onset) &- frame.centre)
    let here = Double(onset &- frame.position)
    let half = Int64(truncatingIfNeeded: frame.window &>> 1)
    // after the end of the transient, the sound continues like any other
    if there < -Double(half) { return }
    if known != onset || knownWindow != frame.window {
      (known, knownWindow) = (onset, frame.window)
      let before = onset &- half &- Int64(truncatingIfNeeded: (3 &* sizes.onsets.step) &>> 1)
      analysis.measurePower(before, history, phases.before)
    }
    phases.fix(
      risenBy: Self.leastRise, by: -(there - here) / Double(analysis.fft.count))
    hasFixed = true
    gain = Self.gain(here, there, map.factor(at: frame.position), analysis.window)
  }

  /// Releases the fixed bins. No bin is fixed in this frame.
  mutating func release(_ phases: PhaseIntegration) {
    if hasFixed { phases.release() }
    (hasFixed, gain) = (false, 1)
  }

  /// The onset that a frame contains, if any.
  static func onset(
    in frame: StretchFrame, _ onsets: OnsetDetector, _ sizes: StretchSizes
  ) -> Int64? {
    guard sizes.onsets.isUsed else { return nil }
    let reach = Int64(truncatingIfNeeded: frame.window &>> 1 &- sizes.onsets.step &>> 1)
    return onsets.nearest(to: frame.position, early: reach, late: reach)
  }

  /// The gain that makes a transient as loud as in the input. The windows of all frames are summed,
  /// once for a steady sound and once for the transient. The gain is the first sum divided by the
  /// second. It is limited to ±6 dB, and is 0 if the frame is long before the transient.
  static func gain(
    _ here: Double, _ there: Double, _ factor: Double, _ window: StretchWindow
  ) -> Float {
    if there > 0.75 * Double(window.count) { return 0 }
    let hop = max(1, Double(window.count &>> 2) * min(1, factor))
    var sum = 0.0
    var index = -24
    while index <= 24 {
      let way = Double(index) * hop
      sum += window.value(at: here - way / factor) * window.value(at: there - way)
      index &+= 1
    }
    // the sum of squares of a Hann window
    let steady = 0.375 * Double(window.count) / hop
    return Float(min(2, max(0.5, steady / max(sum, 1e-6))))
  }
}

extension PhaseIntegration {
  /// Marks all bins as fixed whose power is more than `rise` times their power before the onset.
  /// Also sets the rotations of these bins. `step` is the phase difference between neighbouring
  /// bins, in cycles.
  func fix(risenBy rise: Float, by step: Double) {
    let cycles = step - Double(rounded(step))
    let phase = UInt32(truncatingIfNeeded: rounded(cycles * 0x1p32))
    var bin = 0
    while bin < bins {
      let hasRisen = power[bin] > rise * before[bin]
      isFixed[bin] = hasRisen ? 1 : 0
      if hasRisen { rotations[bin] = phase &* UInt32(truncatingIfNeeded: bin) }
      bin &+= 1
    }
  }

  func release() {
    var bin = 0
    while bin < bins {
      isFixed[bin] = 0
      bin &+= 1
    }
  }
}
