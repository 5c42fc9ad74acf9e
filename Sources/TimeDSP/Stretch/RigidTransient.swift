// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Keeps the waveform of a transient unchanged (related to Röbel, "A new approach to transient
/// processing in the phase vocoder", DAFx 2003). In an analysis frame that contains an onset, all
/// bins whose power has risen since before the onset are fixed. The rotations of these bins shift
/// all of them by the same time, so that the onset is output at the position that the time map
/// gives.
struct RigidTransient {
  /// The gain of the fixed bins in the current frame.
  private(set) var gain: Float = 1
  /// The onset before which `phases.before` has been measured.
  private var known: Int64 = .min
  /// The window with which `phases.before` has been measured.
  private var knownWindow = 0
  /// Whether the current frame has fixed bins.
  private(set) var hasFixed = false

  /// Minimum rise of a fixed bin: 6 dB.
  private static let leastRise: Float = 4

  /// Fixes the bins of a transient in `frame`, if the frame contains an onset. Sets their rotations
  /// and their gain.
  mutating func find(
    _ frame: StretchFrame, _ map: StretchMap, _ onsets: OnsetDetector,
    _ history: StretchHistory, _ analysis: StretchAnalysis, _ sizes: StretchSizes
  ) {
    let phases = analysis.phases
    release(phases)
    guard let onset = Self.onset(in: frame, onsets, sizes) else { return }
    // a shift by a fraction of a frame would ring before the onset, at the highest frequencies
    let there = Double(map.nearest(to: onset) &- frame.centre)
    let here = Double(onset &- frame.position)
    let half = Int64(truncatingIfNeeded: frame.window &>> 1)
    // the onset is before the window in the output, so the sound is no longer a transient
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

  /// Releases the fixed bins of the last frame, and sets the gain to 1.
  mutating func release(_ phases: PhaseIntegration) {
    if hasFixed { phases.release() }
    (hasFixed, gain) = (false, 1)
  }

  /// The onset in the window of an analysis frame, or `nil` if there is none.
  static func onset(
    in frame: StretchFrame, _ onsets: OnsetDetector, _ sizes: StretchSizes
  ) -> Int64? {
    guard sizes.onsets.isUsed else { return nil }
    let reach = Int64(truncatingIfNeeded: frame.window &>> 1 &- sizes.onsets.step &>> 1)
    return onsets.nearest(to: frame.position, early: reach, late: reach)
  }

  /// The gain that makes a transient as loud as in the input. `here` is the distance from the
  /// centre of the analysis frame to the onset, and `there` the distance from the centre of the
  /// synthesis frame to the onset. The overlapping windows are summed, once for a steady sound and
  /// once for the transient. The gain is the ratio of these sums, limited to ±6 dB. The gain is 0
  /// if the onset is long after the synthesis frame.
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
    // the sum for a steady sound: the squares of a Hann window add up to 0.375 × its length
    let steady = 0.375 * Double(window.count) / hop
    return Float(min(2, max(0.5, steady / max(sum, 1e-6))))
  }
}

extension PhaseIntegration {
  /// Fixes all bins whose power is more than `rise` times the power before the onset, and rotates
  /// them so that they are shifted in time. `step` is the difference between the rotations of
  /// neighbouring bins, in cycles.
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
