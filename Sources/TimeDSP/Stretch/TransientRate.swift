// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Measures how many transients per second the input has, for `DenseTransients`. We divide the
/// input into short steps. If a step is 6 dB louder than the mean of the three before it, it's a
/// transient. The level of noise fluctuates less than this, and a note rises only once.
///
/// Energies are those of the differences between successive frames: a high-pass filter, which
/// attenuates low notes.
struct TransientRate: BitwiseCopyable {
  /// In frames. 1.3 ms at 48 kHz.
  private let step: Int
  /// What `count` keeps from one step to the next.
  private let remembering: Float
  /// What `count` is at one transient per second.
  private let unit: Float
  private var steps: Int64 = 0
  /// The energies of the last three steps.
  private var past = SIMD4<Float>.zero
  private var wasTransient = false
  private var count: Float = 0
  /// The recent maximum of a step's energy, which decays by 4.9 dB per second.
  private var loudness: Float = 0

  private static let minRise: Float = 4
  /// The time constant of `count`, in seconds.
  private static let memory = 0.15

  init(_ sizes: StretchSizes) {
    step = sizes.onsets.step
    let seconds = Double(step) / Double(sizes.rate)
    remembering = Float(1 - seconds / Self.memory)
    unit = Float(Self.memory)
  }

  var perSecond: Float { count / unit }

  /// Forgets all, and begins at the first step after frame `start`.
  mutating func start(at start: Int64) {
    steps = max(start, 0).quotient(by: Int64(truncatingIfNeeded: step)) &+ 1
    (past, wasTransient, count, loudness) = (.zero, true, 0, 0)
  }

  mutating func run(_ history: StretchHistory, to end: Int64) {
    let length = Int64(truncatingIfNeeded: step)
    while (steps &+ 1) &* length <= end {
      add(energy(from: steps &* length, history))
      steps &+= 1
    }
  }

  private mutating func add(_ energy: Float) {
    loudness = max(energy, loudness * 0.9985)
    let floor = loudness * 1e-4 + 1e-12
    let mean = (past[0] + past[1] + past[2]) / 3
    let isTransient = energy + floor > Self.minRise * (mean + floor) && !wasTransient
    count = count * remembering + (isTransient ? 1 : 0)
    wasTransient = isTransient
    past = SIMD4(energy, past[0], past[1], 0)
  }

  private func energy(from first: Int64, _ history: StretchHistory) -> Float {
    var all: Float = 0
    for guide in upTo(history.guides) {
      var before = history.sample(ofGuide: guide, first &- 1)
      var frame = first
      while frame < first &+ Int64(truncatingIfNeeded: step) {
        let now = history.sample(ofGuide: guide, frame)
        all += (now - before) * (now - before)
        before = now
        frame &+= 1
      }
    }
    return all
  }
}
