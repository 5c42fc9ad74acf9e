// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds where a voice ends, while the input arrives. In fast and in slow speech, a voice ends
/// equally fast, so the stretcher keeps the speed of an end. The 16 ms after it are at least 10 dB
/// softer than the 16 ms before it, and the difference is larger than at neighbouring positions.
///
/// Energies are those of sums of a few successive frames: a low-pass filter, which attenuates
/// sibilants.
struct VoiceEnds {
  /// In frames. 1.3 ms at 48 kHz.
  private let step: Int
  /// We sum this many frames before squaring. That passes frequencies up to about 3 kHz.
  private let summed: Int
  /// A ring buffer of the last 128 steps.
  private let energies: UnsafeMutablePointer<Float>
  private var steps: Int64 = 0
  /// The recent maximum of a step's energy, which decays by 4.9 dB per second.
  private var loudness: Float = 0
  private let isUsed: Bool

  private static let capacity: Int64 = 128
  /// We compare the energies of this many steps before and after a position: 16 ms.
  private static let compared: Int64 = 12
  /// At an end, the energy falls more than at this many steps on either side.
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

  /// The nearest end's input frame, or `nil` if none is within `reach` frames.
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

  /// The energy before step `index` / the energy from this step on, or 0 if the sound before was
  /// short. It's limited to about 20 dB, because after such a fall, a voice has ended. A larger
  /// fall tells us no more.
  private func fall(_ index: Int64) -> Float {
    let before = sum(index &- Self.compared)
    let long = sum(index &- 2 &* Self.compared)
    if long < 0.1 * before { return 0 }
    return before / (sum(index) + 0.01 * (before + long) + loudness * 1e-5 + 1e-10)
  }

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
