// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Output segments that begin later. After a rate change, the stretcher still has frames from
/// before the change. They are output in the previous segment.
extension TimeSegments {
  /// The segment of the audio that is being consumed.
  var newest: TimeSegment {
    get {
      guard waitingCount > 0 else { return output }
      return waiting[waitingCount &- 1]
    }
    set {
      guard waitingCount > 0 else {
        output = newValue
        return
      }
      waiting[waitingCount &- 1] = newValue
    }
  }

  /// Adds an output segment that begins at `time` and has the current rate. It waits until
  /// `advance(to:)`, because earlier output belongs to the previous segment. If too many segments
  /// wait, it replaces the last one.
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
    let isReplaced = waitingCount > 0 && before.start == time
    if !isReplaced, waitingCount < waitingCapacity { waitingCount &+= 1 }
    newest = next
  }

  /// Records that the output has reached `time`. Returns whether a new segment begins here.
  /// `noTime` means that all output has been sent.
  mutating func advance(to time: UInt64) -> Bool {
    let due = waitingCount(upTo: time)
    guard due > 0 else { return false }
    output = waiting[due &- 1]
    waitingCount &-= due
    var index = 0
    while index < waitingCount {
      waiting[index] = waiting[index &+ due]
      index &+= 1
    }
    return true
  }

  /// Number of frames from `time` to the start of the next segment.
  func framesLeft(from time: UInt64, rate: UInt32) -> UInt64 {
    guard waitingCount > 0, waiting[0].start > time else { return .max }
    // both times are rounded down to whole nanoseconds
    let frames = frame(atNs: waiting[0].start &- time, rate: rate)
    return UInt64(truncatingIfNeeded: max(frames, 1))
  }

  /// Records that the input ended at the times of `pair`. A single segment begins there in place of
  /// all waiting ones that would begin later.
  mutating func end(_ pair: TimePair, toleranceNs: UInt64) {
    let to = pair.out
    let due = waitingCount(upTo: to)
    if due < waitingCount {
      let last = newest
      waitingCount = due
      begin(at: to)
      newest.stop = last.stop
      // in reverse, stream time is counted from the stop
      if isReverse { newest.time = last.time }
    }
    note(pair, toleranceNs: toleranceNs)
  }

  /// Number of waiting segments that begin no later than `time`.
  private func waitingCount(upTo time: UInt64) -> Int {
    var count = 0
    while count < waitingCount, waiting[count].start <= time { count &+= 1 }
    return count
  }
}
