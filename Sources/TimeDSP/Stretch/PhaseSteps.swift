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
  /// Finds the phase advance in time, if it was measured over one hop of output, in `phases`.
  func findAdvance(into phases: UnsafeMutablePointer<UInt32>) {
    var bin = 0
    while bin < fft.room {
      phases.put(ComplexLanes(advance, bin).cycles.phases, bin)
      bin &+= 8
    }
  }

  /// The same if it was measured over the `way` frames of input from the last frame on: the part of
  /// one `hop`. It is unwrapped about the middle of each bin.
  func findAdvance(hop: Int64, over way: Int64) {
    // Rotation of a bin in one frame, as a phase: the points are a power of two.
    let cycle = Int64(1) &<< (32 &- Int64(truncatingIfNeeded: fft.count.trailingZeroBitCount))
    let inputStep = UInt32(truncatingIfNeeded: way &* cycle)
    let difference = UInt32(truncatingIfNeeded: (hop &- way) &* cycle)
    let scale = (Float(hop) / Float(way) - 1) * 0x1p-32
    var bins = Phases(0, 1, 2, 3, 4, 5, 6, 7)
    var bin = 0
    while bin < fft.room {
      let last = phases.rotations.lanes(bin)
      let rest = last &- ComplexLanes(advance, bin).cycles.phases &- bins &* inputStep
      let more = Lanes(unsafeBitCast(rest, to: SIMD8<Int32>.self)) * scale
      phases.inTime.put(last &+ bins &* difference &+ more.phases, bin)
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
    // the difference for a transient
    let most = max(1 - ComplexLanes(unit: Lanes(repeating: step).phases).re[0], 1e-6)
    let scale = (stretch - 1) / most
    var bin = 0
    while bin < fft.room {
      let moved = difference(around: bin, most: most)
      let cycles = ComplexLanes(slope, bin).cycles * (moved * scale) - aside
      phases.inFrequency.put(cycles.phases, bin)
      phases.transience.put(moved * (1 / most), bin)
      bin &+= 8
    }
  }

  /// Replaces the previous slopes by |a| |b| cos φ and |a| |b|, if a and b are the slopes now and
  /// before, and φ is the phase between them.
  private func compareSlopes() {
    var bin = 0
    while bin < fft.room {
      let now = ComplexLanes(slope, bin).squarable
      let before = ComplexLanes(slopeBefore, bin).squarable
      let all = now.power.squareRoot() * before.power.squareRoot()
      ComplexLanes(now.timesConjugate(before).re, all).store(slopeBefore, bin)
      bin &+= 8
    }
  }

  /// 1 - the mean cos φ of eight bins and two on either side of each, 0 … `most`.
  @inline(__always)
  private func difference(around bin: Int, most: Float) -> Lanes {
    var (alike, all) = (Lanes.zero, Lanes(repeating: .leastNormalMagnitude))
    var side = bin &- 2
    while side <= bin &+ 2 {
      let numbers = ComplexLanes(slopeBefore, side)
      alike = alike + numbers.re
      all = all + numbers.im
      side &+= 1
    }
    let (difference, limit) = ((all - alike) / all, Lanes(repeating: most))
    return difference.replaced(by: limit, where: (limit - difference).signs)
  }
}
