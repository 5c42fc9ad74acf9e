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

  /// Whether it is done even if the present work has been abandoned.
  var isCleanUp: Bool { self == .endStream || self == .endKept || self == .reportLatency }
}

/// Steps, the next one on top.
struct StepStack: ~Copyable {
  private static let capacity = 32
  private let storage: Storage
  private let steps: UnsafeMutablePointer<ScaleStep>
  private var count = 0

  /// Throws if there is no memory.
  init() throws(TimeDSPStatus) {
    storage = try Storage(bytes: Self.capacity &* MemoryLayout<ScaleStep>.stride)
    steps = storage.base.bindMemory(to: ScaleStep.self, capacity: Self.capacity)
  }

  /// Puts `step` on top. There is room: each step pushes a few others, and is removed before.
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

  /// Leaves those that clean up.
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
