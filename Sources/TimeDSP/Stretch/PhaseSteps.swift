// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Phase differences of a frame, in time and in frequency.
///
/// The phase difference from a bin to the next gives the position of a sound in the window. A
/// transient lies one hop later in the input one hop before; its position is stretched with time. A
/// partial, and the beating of two partials, has no position: its differences are the same in both,
/// and stay unchanged. So differences are stretched by the share of the hop that they have moved by
/// (kin to Fulop and Fitz, "Separation of components from impulses in reassigned spectrograms",
/// 2007).
/// reassigned spectrograms", 2007).
extension StretchAnalysis {
  /// Finds the phase advance in time, if it was measured over one hop of output, in `angles`.
  func findAdvance(into angles: UnsafeMutablePointer<UInt32>) {
    var bin = 0
    while bin < fft.room {
      angles.put(ComplexEight(advance, bin).turns.angles, bin)
      bin &+= 8
    }
  }

  /// The same where it was measured over the `way` frames of input from the last frame on: of
  /// that, the part of one `hop`. It is unwrapped about the middle of each bin.
  func findAdvance(hop: Int64, over way: Int64) {
    // What a bin turns by in one frame, as an angle: the points are a power of two.
    let turn = Int64(1) &<< (32 &- Int64(truncatingIfNeeded: fft.count.trailingZeroBitCount))
    let inputStep = UInt32(truncatingIfNeeded: way &* turn)
    let difference = UInt32(truncatingIfNeeded: (hop &- way) &* turn)
    let scale = (Float(hop) / Float(way) - 1) * 0x1p-32
    var bins = Angles(0, 1, 2, 3, 4, 5, 6, 7)
    var bin = 0
    while bin < fft.room {
      let last = phases.angles.eight(bin)
      let rest = last &- ComplexEight(advance, bin).turns.angles &- bins &* inputStep
      let more = Eight(unsafeBitCast(rest, to: SIMD8<Int32>.self)) * scale
      phases.inTime.put(last &+ bins &* difference &+ more.angles, bin)
      bins = bins &+ 8
      bin &+= 8
    }
  }

  /// Finds the phase differences in frequency if time is stretched by `stretch`, the frame lies
  /// `way` output frames beside its position, and the last frame was made `hop` output frames
  /// before.
  func findSteps(stretch: Float, way: Double, hop: Int64) {
    let (aside, step) = (Float(way / Double(fft.count)), Float(hop) / Float(fft.count))
    compareSlopes()
    // The difference that a stroke makes.
    let most = max(1 - ComplexEight(unit: Eight(repeating: step).angles).re[0], 1e-6)
    let scale = (stretch - 1) / most
    var bin = 0
    while bin < fft.room {
      let moved = difference(around: bin, most: most)
      let turns = ComplexEight(slope, bin).turns * (moved * scale) - aside
      phases.inFrequency.put(turns.angles, bin)
      phases.passing.put(moved * (1 / most), bin)
      bin &+= 8
    }
  }

  /// Puts |a| |b| cos φ and |a| |b| in the place of the slopes before, if a and b are the slopes
  /// now and before, and φ is the angle between them.
  private func compareSlopes() {
    var bin = 0
    while bin < fft.room {
      let now = ComplexEight(slope, bin).squarable
      let before = ComplexEight(slopeBefore, bin).squarable
      let all = now.power.squareRoot() * before.power.squareRoot()
      ComplexEight(now.timesConjugate(before).re, all).store(slopeBefore, bin)
      bin &+= 8
    }
  }

  /// 1 - the mean cos φ of eight bins and two on either side of each, 0 … `most`.
  @inline(__always)
  private func difference(around bin: Int, most: Float) -> Eight {
    var (alike, all) = (Eight.zero, Eight(repeating: .leastNormalMagnitude))
    var side = bin &- 2
    while side <= bin &+ 2 {
      let numbers = ComplexEight(slopeBefore, side)
      alike = alike + numbers.re
      all = all + numbers.im
      side &+= 1
    }
    let (difference, limit) = ((all - alike) / all, Eight(repeating: most))
    return difference.replaced(by: limit, where: (limit - difference).signs)
  }
}
