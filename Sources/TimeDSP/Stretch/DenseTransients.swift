// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Distinguishes dense transients without partials, such as applause, rain and crackle, from all
/// other sounds: 30 or more transients per second, and no partial. Windows are short there, so that
/// transients stay short. With a partial or fewer transients, the window is not changed.
struct DenseTransients {
  private let sizes: StretchSizes
  private var rate: TransientRate
  private var partials: PartialPeaks
  /// The middle of the window that is measured next. It is always a multiple of `step`, so that the
  /// result does not depend on the factor.
  private var next: Int64 = 0
  private var isDense = false

  /// Number per second.
  private static let leastPerSecond: Float = 30

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout ScratchMemory, computing: Bool
  ) {
    self.sizes = sizes
    rate = TransientRate(sizes)
    partials = PartialPeaks(sizes, window, &memory, computing: computing)
  }

  /// Number of input frames between two measurements.
  private var step: Int64 { Int64(truncatingIfNeeded: sizes.longest &>> 1) }

  mutating func start() { start(at: 0) }

  private mutating func start(at place: Int64) {
    next = place
    isDense = false
    rate.start(at: place &- step)
    partials.start()
  }

  /// Whether the frame at `place` is among dense transients. Reads half of the longest window after
  /// it.
  mutating func areDense(at place: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasDense else { return false }
    // skipped frames are unknown
    if next &+ 2 &* step < place { start(at: place & ~(step &- 1)) }
    // Each measurement is made some time after its frames have arrived, because the frame that is
    // also searched for a voice has enough to do.
    while next <= place &- step &>> 2 {
      measure(history)
      next &+= step
    }
    return isDense
  }

  private mutating func measure(_ history: StretchHistory) {
    rate.run(history, to: next &+ step)
    if rate.perSecond < Self.leastPerSecond {
      partials.start()
      isDense = false
    } else {
      partials.add(around: next, history)
      isDense = partials.areAbsent
    }
  }
}
