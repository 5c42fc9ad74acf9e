// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Distinguishes dense transients without partials, as of applause, rain and crackle, from all
/// other sounds: 30 or more in a second, and no partial. Windows are short there, so that
/// transients stay short. With a partial, or with fewer transients, nothing changes.
struct DenseTransients {
  private let sizes: StretchSizes
  private var rate: TransientRate
  private var partials: PartialPeaks
  /// The middle of the window that is measured next, always a multiple of `step`: so the result
  /// does not depend on the factor.
  private var next: Int64 = 0
  private var isDense = false

  /// In a second.
  private static let leastPerSecond: Float = 30

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout ScratchMemory, computing: Bool
  ) {
    self.sizes = sizes
    rate = TransientRate(sizes)
    partials = PartialPeaks(sizes, window, &memory, computing: computing)
  }

  /// Input frames from one measure to the next.
  private var step: Int64 { Int64(truncatingIfNeeded: sizes.longest &>> 1) }

  mutating func start() { start(at: 0) }

  private mutating func start(at place: Int64) {
    next = place
    isDense = false
    rate.start(at: place &- step)
    partials.start()
  }

  /// Whether the frame at `place` lies among dense transients. Looks half of the longest window
  /// beyond it.
  mutating func areDense(at place: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasDense else { return false }
    // skipped frames are unknown
    if next &+ 2 &* step < place { start(at: place & ~(step &- 1)) }
    // A while after it has arrived: the frame that is searched for a voice has enough to do.
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
