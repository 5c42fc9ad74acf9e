// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A pending step of a session; see `ScaleSession.run(_:)`.
enum ScaleStep: UInt8 {
  case sendFirstSegment, startSegment, makeFirstChain
  case receiveBuffer, receiveChangedBuffer, beginBuffer, adoptFactor, startRun, handleBuffer
  case requireChain, scaleBuffer, passBuffer, cutBuffer, cutPiece, cutStep, work
  case followChanges, moveAsAsked, move, moveTimes, stayInSegment
  case drainStream, endStream, drainKept, feedKept, loadKept, workOnKept, finishKept, endKept
  case beginGap, sendGap
  case reportDuration, reportLatency, fail

  /// Whether the step runs even if the current work has been abandoned.
  var isCleanUp: Bool { self == .endStream || self == .endKept || self == .reportLatency }
}

/// A stack of steps; the next step is on top.
struct StepStack: ~Copyable {
  /// There is always room, because a step is removed before it pushes a few others.
  private var steps: FixedArray<ScaleStep>

  /// Throws if memory cannot be allocated.
  init() throws(TimeDSPStatus) { steps = try FixedArray(capacity: 32) }

  mutating func push(_ step: ScaleStep) { steps.append(step) }

  mutating func pop() -> ScaleStep? {
    let step = steps.last
    steps.removeLast()
    return step
  }

  mutating func clear() { steps.removeAll() }

  /// Removes all steps except for those that clean up.
  mutating func giveUp() { steps.keepOnly { $0.isCleanUp } }
}
