// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds the times at which a voice ends, while the input arrives. The stretcher keeps the speed of
/// an end, because a voice ends equally fast in fast and in slow speech. The 16 ms after an end are
/// at least 10 dB softer than the 16 ms before it, and the difference is larger than at
/// neighbouring positions.
///
/// Energies are computed from sums of a few successive frames. This is a low-pass filter, which
/// attenuates sibilants.
struct VoiceEnds {
  /// Length of a step in frames; 1.3 ms at 48 kHz. Each step has one energy value.
  private let step: Int
  /// Number of frames that are summed before squaring; this passes frequencies up to about 3 kHz.
  private let summed: Int
  /// Ring buffer of the energies of the last 128 steps.
  private let energies: UnsafeMutablePointer<Float>
  /// Number of steps measured.
  private var steps: Int64 = 0
  /// The recent maximum of the energy of a step. It decays by 4.9 dB per second.
  private var loudness: Float = 0
  private let isUsed: Bool

  private static let capacity: Int64 = 128
  /// Number of steps before and after a position whose energies are compared: 16 ms.
  private static let compared: Int64 = 12
  /// The energy falls more at an end than at this number of steps on either side.
  private static let around: Int64 = 4
  private static let minFall: Float = 10

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory) {
    isUsed = sizes.hasVoice
    step = sizes.onsets.step
    summed = max(step &>> 2, 1)
    energies = memory.allocate(Float.self, Int(truncatingIfNeeded: Self.capacity))
  }

  mutating func start() {
    energies.fill(0, Int(truncatingIfNeeded: Self.capacity))
    (steps, loudness) = (0, 0)
  }

  /// Measures the energies of the frames that have been added to `history`.
  mutating func run(_ history: StretchHistory) {
    guard isUsed else { return }
    let length = Int64(truncatingIfNeeded: step)
    while (steps &+ 1) &* length <= history.end {
      let energy = energy(from: steps &* length, history)
      energies[Self.index(steps)] = energy
      loudness = max(energy, loudness * 0.9985)
      steps &+= 1
    }
  }

  private static func index(_ step: Int64) -> Int {
    Int(truncatingIfNeeded: step & (capacity &- 1))
  }

  private func energy(from first: Int64, _ history: StretchHistory) -> Float {
    var all: Float = 0
    for guide in upTo(history.guides) {
      var frame = first
      while frame < first &+ Int64(truncatingIfNeeded: step) {
        let end = frame &+ Int64(truncatingIfNeeded: summed)
        var sum: Float = 0
        while frame < end {
          sum += history.sample(ofGuide: guide, frame)
          frame &+= 1
        }
        all += sum * sum
      }
    }
    return all
  }

  /// The input frame of the end nearest to `position`, or `nil` if none is within `reach` frames.
  func nearest(to position: Int64, reach: Int64) -> Int64? {
    let length = Int64(truncatingIfNeeded: step)
    let last = min((position &+ reach).quotient(by: length), steps &- Self.compared &- Self.around)
    let first = max(
      (position &- reach).quotient(by: length),
      steps &- Self.capacity &+ 2 &* Self.compared &+ Self.around, 0)
    var best: Int64?
    var index = first
    while index <= last {
      let end = index &* length
      if isEnd(index),
        best.map({ (end &- position).magnitude < ($0 &- position).magnitude }) ?? true
      {
        best = end
      }
      index &+= 1
    }
    return best
  }

  private func isEnd(_ index: Int64) -> Bool {
    let fall = fall(index)
    guard fall > Self.minFall else { return false }
    var other = index &- Self.around
    while other <= index &+ Self.around {
      if self.fall(other) > fall { return false }
      other &+= 1
    }
    return true
  }

  /// The energy before step `index` divided by the energy from this step on; 0 if the sound before
  /// the step was short. The ratio is limited to about 20 dB, because a voice has ended after such
  /// a fall, and a larger fall gives no more information.
  private func fall(_ index: Int64) -> Float {
    let before = sum(index &- Self.compared)
    let long = sum(index &- 2 &* Self.compared)
    if long < 0.1 * before { return 0 }
    return before / (sum(index) + 0.01 * (before + long) + loudness * 1e-5 + 1e-10)
  }

  /// The energy of `compared` steps from `first` on.
  private func sum(_ first: Int64) -> Float {
    var sum: Float = 0
    var index = first
    while index < first &+ Self.compared {
      sum += energies[Self.index(index)]
      index &+= 1
    }
    return sum
  }
}
