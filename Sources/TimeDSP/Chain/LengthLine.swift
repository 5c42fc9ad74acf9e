// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The length of the output as a linear function of the input: it starts at an input frame whose
/// output position is known, and its slope is the factor.
struct LengthLine {
  private(set) var input: Double = 0
  private(set) var output: Double = 0
  private(set) var factor: Double

  init(factor: Double) { self.factor = factor }

  /// Output position of input frame `place`, which must not be before `input`.
  func output(of place: Double) -> Double { output + (place - input) * factor }

  /// Moves the factor to `target` within `frames` input frames, beginning at `place`, whose output
  /// position is `out`. Returns how many output frames are in excess: moves of two parts are
  /// rounded, and a move may begin before the last one has ended.
  mutating func bend(
    at place: Double, _ out: Double, to target: Double, within frames: UInt64
  ) -> Double {
    let excess = place >= input ? out - output(of: place) : 0
    if target == factor { return excess }
    let frames = Double(frames)
    input = place + frames
    output = out - excess + 2 * frames / (1 / factor + 1 / target)
    factor = target
    return excess
  }

  /// Offset of the output from the input once the factor is 1: whole frames, possibly negative, and
  /// a fraction.
  var shift: (whole: Int64, fraction: Double) {
    let due = output(of: 0) + 0x1p40
    let whole = timedsp_whole_part(due)
    return (whole &- 0x100_0000_0000, due - Double(whole))
  }

  /// The number of output frames for `received` input frames; `nil` during a move.
  func length(of received: Int64) -> Int64? {
    if input == 0, output == 0, let exact = Fraction(factor: factor) {
      return Int64(truncatingIfNeeded: exact.scaled(UInt64(truncatingIfNeeded: received)))
    }
    guard Double(received) >= input else { return nil }
    return wholeFrames(output(of: Double(received)))
  }
}

/// Rounding tolerance for sums of factors, in frames.
private let roundedFrames = 1e-6

/// The whole frames in `frames`, which may have a rounding error; 0 if there is less than one.
func wholeFrames(_ frames: Double) -> Int64 { timedsp_whole_part(max(frames + roundedFrames, 0)) }

/// The smallest whole number of frames that is at least `frames`.
func framesCovering(_ frames: Double) -> Int64 {
  let whole = timedsp_whole_part(frames)
  return Double(whole) < frames ? whole &+ 1 : whole
}
