// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Detects dense transients, such as applause, rain and crackle: sounds with at least 30 transients
/// per second and no partials. With a short window, each transient stays short.
struct DenseTransients {
  private let sizes: StretchSizes
  private var rate: TransientRate
  private var partials: PartialPeaks
  /// The centre of the next window to measure. It's always a multiple of `step`, so the result
  /// doesn't depend on the factor.
  private var next: Int64 = 0
  private var isDense = false

  private static let minPerSecond: Float = 30

  /// With this gain, a transient in the middle of overlapping frames is as loud as in the input.
  /// It's the ratio of two sums of overlapping windows, one for a steady sound and one for the
  /// transient, limited to ±6 dB.
  static func gain(at factor: Double, _ window: StretchWindow) -> Float {
    let hop = max(1, Double(window.count &>> 2) * min(1, factor))
    var sum = 0.0
    var index = -24
    while index <= 24 {
      let distance = Double(index) * hop
      sum += window.value(at: distance / factor) * window.value(at: distance)
      index &+= 1
    }
    // the squares of a Hann window add up to 0.375 × its length
    let steady = 0.375 * Double(window.count) / hop
    return Float(min(2, max(0.5, steady / max(sum, 1e-6))))
  }

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout ScratchMemory, computing: Bool
  ) {
    self.sizes = sizes
    rate = TransientRate(sizes)
    partials = PartialPeaks(sizes, window, &memory, computing: computing)
  }

  private var step: Int64 { Int64(truncatingIfNeeded: sizes.longest &>> 1) }

  mutating func start() { start(at: 0) }

  private mutating func start(at position: Int64) {
    next = position
    isDense = false
    rate.start(at: position &- step)
    partials.start()
  }

  /// If its input has arrived, we do a part of the next measurement now, to spread the work over
  /// several calls. `areDense` does the rest.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasDense else { return }
    rate.run(history, to: min(next &+ step, history.end))
    if next &+ step <= history.end, hasTransients { partials.addGuide(around: next, history) }
  }

  private var hasTransients: Bool { rate.perSecond >= Self.minPerSecond }

  /// Reads the input up to half of the longest window after `position`.
  mutating func areDense(at position: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasDense else { return false }
    // frames were skipped and not measured, so begin again
    if next &+ 2 &* step < position { start(at: position & ~(step &- 1)) }
    // a quarter of a step later than possible, so that `prepare` can do its part until then
    while next <= position &- step &>> 2 {
      measure(history)
      next &+= step
    }
    return isDense
  }

  private mutating func measure(_ history: StretchHistory) {
    rate.run(history, to: next &+ step)
    if hasTransients {
      partials.add(around: next, history)
      isDense = partials.areAbsent
    } else {
      partials.start()
      isDense = false
    }
  }
}
