// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A pending step of a session; see `ScaleSession.run(_:)`.
enum ScaleStep: UInt8 {
  case sendFirstSegment, startSegment
  case takeBuffer, takeChangedBuffer, beginBuffer, takeFactor, startRun, handleBuffer
  case requireChain, scaleBuffer, passBuffer, cutBuffer, cutPiece, cutStep, work
  case followChanges, moveAsAsked, move, moveTimes, stayInSegment
  case drainStream, endStream, drainKept, feedKept, loadKept, workOnKept, finishKept, endKept
  case beginGap, sendGap
  case reportDuration, reportLatency, fail

  /// Whether the step is performed even if the current work has been abandoned.
  var isCleanUp: Bool { self == .endStream || self == .endKept || self == .reportLatency }
}

/// A stack of steps; the next one is on top.
struct StepStack: ~Copyable {
  private static let capacity = 32
  private let storage: Storage
  private let steps: UnsafeMutablePointer<ScaleStep>
  private var count = 0

  /// Throws if memory cannot be allocated.
  init() throws(TimeDSPStatus) {
    storage = try Storage(bytes: Self.capacity &* MemoryLayout<ScaleStep>.stride)
    steps = storage.base.bindMemory(to: ScaleStep.self, capacity: Self.capacity)
  }

  /// Pushes `step`. There is always room, because a step is removed before it pushes a few others.
  mutating func push(_ step: ScaleStep) {
    guard count < Self.capacity else { return }
    steps[count] = step
    count &+= 1
  }

  mutating func pop() -> ScaleStep? {
    guard count > 0 else { return nil }
    count &-= 1
    return steps[count]
  }

  mutating func clear() { count = 0 }

  /// Removes all steps except for those that clean up.
  mutating func giveUp() {
    var (index, kept) = (0, 0)
    while index < count {
      if steps[index].isCleanUp {
        steps[kept] = steps[index]
        kept &+= 1
      }
      index &+= 1
    }
    count = kept
  }
}
