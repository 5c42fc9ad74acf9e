// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps input positions of a chain to output positions, from the end of the last move on. The map
/// is a straight line from (`input`, `output`) with the slope `factor`. It determines how many
/// frames a chain must output.
struct LengthMap {
  private(set) var input: Double = 0
  private(set) var output: Double = 0
  private(set) var factor: Double

  init(factor: Double) { self.factor = factor }

  /// Output position of input position `position`, which must not be before `input`.
  func output(of position: Double) -> Double { output + (position - input) * factor }

  /// Changes the map for a move to `target` within `frames` input frames. The move begins at input
  /// position `position`, when the actual output position is `out`. Returns the number of frames by
  /// which `out` exceeds the exact position because of rounding; 0 if the last move has not ended
  /// yet. The new map compensates for these frames.
  mutating func bend(
    at position: Double, _ out: Double, to target: Double, within frames: UInt64
  ) -> Double {
    let excess = position >= input ? out - output(of: position) : 0
    if target == factor { return excess }
    let frames = Double(frames)
    input = position + frames
    output = out - excess + 2 * frames / (1 / factor + 1 / target)
    factor = target
    return excess
  }

  /// Output position minus input position, if the factor is 1. `whole` may be negative, and
  /// `fraction` is in 0 ..< 1.
  var shift: (whole: Int64, fraction: Double) {
    let due = output(of: 0) + 0x1p40
    let whole = timedsp_whole_part(due)
    return (whole &- 0x100_0000_0000, due - Double(whole))
  }

  /// The number of output frames for `received` input frames; `nil` if the input ends during a
  /// move.
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

/// `frames` rounded down, or up if it is within `roundedFrames` of the next integer; at least 0.
func wholeFrames(_ frames: Double) -> Int64 { timedsp_whole_part(max(frames + roundedFrames, 0)) }

/// The smallest whole number of frames that is at least `frames`.
func framesCovering(_ frames: Double) -> Int64 {
  let whole = timedsp_whole_part(frames)
  return Double(whole) < frames ? whole &+ 1 : whole
}
