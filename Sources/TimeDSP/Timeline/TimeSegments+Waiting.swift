// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Segments of the output that begin later. A stretcher holds what came before a change of
/// the rate, and that leaves at the rate before.
extension TimeSegments {
  /// The segment of what is taken now.
  var newest: TimeSegment {
    get {
      guard waiting_count > 0, let waiting else { return output }
      return waiting[waiting_count &- 1]
    }
    set {
      guard waiting_count > 0, let waiting else {
        output = newValue
        return
      }
      waiting[waiting_count &- 1] = newValue
    }
  }

  /// From `time` on, the output has a segment for the rate in force.
  mutating func begin(at time: UInt64) {
    let before = newest
    var next = before
    next.rate = 1
    next.applied_rate = input.applied_rate * absorbed
    next.base = before.runningTime(of: time)
    next.start = time
    next.position = time
    next.offset = 0
    if !isReverse, let heard = before.streamTime(of: time) { next.time = heard }
    let isReplaced = waiting_count > 0 && before.start == time
    if !isReplaced, waiting_count < waiting_capacity { waiting_count &+= 1 }
    newest = next
  }

  /// The output has come to `time`. Returns whether it has another segment from here on.
  mutating func turn(at time: UInt64) -> Bool {
    let due = waitingCount(upTo: time)
    guard due > 0, let waiting else { return false }
    output = waiting[due &- 1]
    waiting_count &-= due
    var index = 0
    while index < waiting_count {
      waiting[index] = waiting[index &+ due]
      index &+= 1
    }
    return true
  }

  /// Frames from `time` up to where the next segment begins.
  func framesLeft(from time: UInt64, rate: UInt32) -> UInt64 {
    guard waiting_count > 0, let waiting, waiting[0].start > time else { return .max }
    // Both are times of frames, rounded down.
    let frames = frame(atNs: waiting[0].start &- time, rate: rate)
    return UInt64(truncatingIfNeeded: max(frames, 1))
  }

  /// The input ended at `from`, which lies at `to`. What would begin later begins there.
  mutating func end(_ from: UInt64, at to: UInt64, toleranceNs: UInt64) {
    let due = waitingCount(upTo: to)
    if due < waiting_count {
      let last = newest
      waiting_count = due
      begin(at: to)
      newest.stop = last.stop
      // Backwards, it is counted from the stop.
      if isReverse { newest.time = last.time }
    }
    note(from, at: to, toleranceNs: toleranceNs)
  }

  /// How many of those that wait begin at `time` or before.
  private func waitingCount(upTo time: UInt64) -> Int {
    guard let waiting else { return 0 }
    var count = 0
    while count < waiting_count, waiting[count].start <= time { count &+= 1 }
    return count
  }
}
