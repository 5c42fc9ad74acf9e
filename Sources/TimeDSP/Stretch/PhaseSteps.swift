// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The phase differences of a frame in time and in frequency, from which `PhaseIntegration` derives
/// the rotations.
///
/// The phase difference between neighbouring bins shows where in the window a sound is. If the
/// window moves by one hop, a transient moves in the window by one hop, so its phase differences
/// change. We must stretch them with time. A partial, or two beating partials, keep their phase
/// differences when the window moves, and we mustn't stretch these. So we stretch each difference
/// by how far the sound's position in the window moves per hop. (Related to Fulop and Fitz,
/// "Separation of components from impulses in reassigned spectrograms", 2007.)
extension StretchAnalysis {
  /// The rotations that continue the last synthesis frame, from `advance`, measured over one output
  /// hop.
  func findAdvance(into phases: UnsafeMutablePointer<UInt32>) {
    for bin in upTo(fft.room, by: 8) {
      phases.put(ComplexLanes(advance, bin).cycles.phases, bin)
    }
  }

  /// Sets `phases.inTime` from `advance`, the phase advance from the last analysis frame to this
  /// one. They're `distance` samples apart in the input, and `hop` samples in the output. We unwrap
  /// each bin's phase advance around its centre frequency, and then scale it from `distance` to
  /// `hop`.
  func findAdvance(hop: Int64, over distance: Int64) {
    // phase advance of bin 1 per frame, with a power of two of points
    let cycle = Int64(1) &<< (32 &- Int64(truncatingIfNeeded: fft.count.trailingZeroBitCount))
    let inputStep = UInt32(truncatingIfNeeded: distance &* cycle)
    let difference = UInt32(truncatingIfNeeded: (hop &- distance) &* cycle)
    let scale = (Float(hop) / Float(distance) - 1) * 0x1p-32
    var bins = Phases(0, 1, 2, 3, 4, 5, 6, 7)
    for bin in upTo(fft.room, by: 8) {
      let last = phases.rotations.lanes(bin)
      let rest = last &- ComplexLanes(advance, bin).cycles.phases &- bins &* inputStep
      let more = Lanes(unsafeBitCast(rest, to: SIMD8<Int32>.self)) * scale
      phases.inTime.put(last &+ bins &* difference &+ more.phases, bin)
      bins = bins &+ 8
    }
  }

  /// Sets `phases.inFrequency` and `phases.transience`, for time stretched by `stretch`. In the
  /// output, it's `distance` from the centre of the synthesis frame to where the time map puts the
  /// analysis frame, and `hop` from the last synthesis frame to this one.
  func findSteps(stretch: Float, distance: Double, hop: Int64) {
    let (aside, step) = (Float(distance / Double(fft.count)), Float(hop) / Float(fft.count))
    compareSlopes()
    // what `difference` gives for a transient, whose position changes by the whole hop
    let most = max(1 - ComplexLanes(unit: Lanes(repeating: step).phases).re[0], 1e-6)
    let scale = (stretch - 1) / most
    for bin in upTo(fft.room, by: 8) {
      let moved = difference(around: bin, most: most)
      let cycles = ComplexLanes(slope, bin).cycles * (moved * scale) - aside
      phases.inFrequency.put(cycles.phases, bin)
      phases.transience.put(moved * (1 / most), bin)
    }
  }

  /// `slopeBefore` becomes |a| × |b| × cos φ (real parts) and |a| × |b| (imaginary parts), where a
  /// and b are the elements of `slope` and `slopeBefore`, and φ is the phase between them.
  private func compareSlopes() {
    for bin in upTo(fft.room, by: 8) {
      let now = ComplexLanes(slope, bin).squarable
      let before = ComplexLanes(slopeBefore, bin).squarable
      let all = now.power.squareRoot() * before.power.squareRoot()
      ComplexLanes(now.timesConjugate(before).re, all).store(slopeBefore, bin)
    }
  }

  /// 1 minus the mean of cos φ around each of eight bins, limited to `most`. It's 0 for a partial.
  /// The mean is over the bin and two bins on either side, weighted by |a| × |b|.
  @inline(__always)
  private func difference(around bin: Int, most: Float) -> Lanes {
    var (similar, all) = (Lanes.zero, Lanes(repeating: .leastNormalMagnitude))
    var side = bin &- 2
    while side <= bin &+ 2 {
      let numbers = ComplexLanes(slopeBefore, side)
      similar = similar + numbers.re
      all = all + numbers.im
      side &+= 1
    }
    let (difference, limit) = ((all - similar) / all, Lanes(repeating: most))
    return difference.replaced(by: limit, where: (limit - difference).signs)
  }
}
