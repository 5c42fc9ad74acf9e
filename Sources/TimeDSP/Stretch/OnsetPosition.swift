// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds the exact frame of an onset that `OnsetDetector` has detected: the power of the linear
/// prediction error rises there. In the power of the sound itself, a ringing note could hide an
/// onset. But a ringing note is predictable, so it adds nothing to the prediction error.
struct OnsetPosition {
  private let sizes: OnsetSizes
  private let prediction: LinearPrediction
  private let samples: UnsafeMutablePointer<Float>
  /// The power of the prediction error in each of `span` frames.
  private let powers: UnsafeMutablePointer<Float>

  init(_ sizes: OnsetSizes, _ memory: inout ScratchMemory) {
    self.sizes = sizes
    prediction = LinearPrediction(16 &* sizes.step, &memory)
    let span = sizes.early &+ sizes.late &+ 4 &* sizes.step
    samples = memory.allocate(Float.self, max(prediction.count, span) &+ 24)
    powers = memory.allocate(Float.self, span &+ 16)
  }

  /// The search range, and two steps on either side.
  private var span: Int { sizes.early &+ sizes.late &+ 4 &* sizes.step }

  /// The last frame before the onset, from `early` frames before `middle` to `late` frames after
  /// it.
  func find(around middle: Int64, _ history: StretchHistory) -> Int64 {
    let first = middle &- Int64(truncatingIfNeeded: sizes.early &+ 2 &* sizes.step)
    powers.fill(0, span &+ 16)
    for guide in upTo(history.guides) {
      addPowers(ofGuide: guide, from: first, history)
    }
    return first &+ Int64(truncatingIfNeeded: change(around: steepest()))
  }

  /// In `span` frames from `first` on. The prediction weights come from frames before `first`, and
  /// from the first `sizes.step` frames after it.
  private func addPowers(ofGuide guide: Int, from first: Int64, _ history: StretchHistory) {
    let before = Int64(truncatingIfNeeded: prediction.count &- sizes.step)
    load(guide, first &- before, prediction.count, history)
    let weights = prediction.weights(samples)
    let order = LinearPrediction.order
    load(guide, first &- Int64(truncatingIfNeeded: order), span &+ order, history)
    for frame in upTo(span, by: 8) {
      var rest = Lanes.zero
      var age = 0
      while age <= order {
        rest += samples.lanes(frame &+ order &- age) * weights[age]
        age &+= 1
      }
      powers.put(powers.lanes(frame) + rest * rest, frame)
    }
  }

  private func load(_ guide: Int, _ first: Int64, _ count: Int, _ history: StretchHistory) {
    for frame in upTo(count) {
      samples[frame] = history.sample(
        ofGuide: guide, first &+ Int64(truncatingIfNeeded: frame))
    }
    samples.advanced(by: count).fill(0, 8)
  }

  /// Where the moving average of the energy grows by the largest ratio within `rise` frames.
  private func steepest() -> Int {
    let (half, rise) = (sizes.blur &>> 1, sizes.rise)
    var frame = 2 &* sizes.step
    let last = span &- 2 &* sizes.step &- rise
    var (best, bestFrame) = (-1.0, frame)
    var (before, after) = (energy(frame, half), energy(frame &+ rise, half))
    let floor = 1e-9 * Double(sizes.blur)
    while frame < last {
      let growth = (max(after, 0) + floor) / (max(before, 0) + floor)
      if growth > best { (best, bestFrame) = (growth, frame &+ rise &>> 1) }
      before += Double(powers[frame &+ half]) - Double(powers[frame &- half])
      after += Double(powers[frame &+ rise &+ half]) - Double(powers[frame &+ rise &- half])
      frame &+= 1
    }
    return bestFrame
  }

  /// The last frame before the power changes, at most `sizes.step` frames from `middle`. We take
  /// the error for Gaussian noise with one level before the change and another after it, and choose
  /// the frame with the maximum likelihood (Hinkley, "Inference about the change-point in a
  /// sequence of random variables", 1970).
  private func change(around middle: Int) -> Int {
    let reach = sizes.step
    let (first, end) = (middle &- reach, middle &+ reach)
    let all = energy(middle, reach)
    // 40 dB below the mean, so that digital silence has a finite logarithm
    let floor = (all / Double(2 &* reach) + 1e-9) * 1e-4
    var (before, least, bestFrame) = (0.0, Float.infinity, middle)
    var frame = first
    while frame &+ 1 < end {
      before += Double(powers[frame])
      frame &+= 1
      let (old, new) = (Double(frame &- first), Double(end &- frame))
      var levels = Lanes(repeating: 1)
      levels[0] = Float(before / old + floor)
      levels[1] = Float((all - before) / new + floor)
      let logarithms = levels.logarithms
      let unlikeliness = Float(old) * logarithms[0] + Float(new) * logarithms[1]
      if unlikeliness < least { (least, bestFrame) = (unlikeliness, frame &- 1) }
    }
    return bestFrame
  }

  private func energy(_ frame: Int, _ half: Int) -> Double {
    var sum = 0.0
    var index = frame &- half
    while index < frame &+ half {
      sum += Double(powers[index])
      index &+= 1
    }
    return sum
  }
}
