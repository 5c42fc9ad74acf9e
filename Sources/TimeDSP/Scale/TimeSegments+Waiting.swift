// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Output segments that have not begun. After a rate change, the stretcher still contains frames
/// from before the change. They are output in the segment before the change.
extension TimeSegments {
  /// The output segment of the audio that is being consumed.
  var newest: TimeSegment {
    get { waiting.last ?? output }
    set {
      if waiting.isEmpty { output = newValue } else { waiting[waiting.count &- 1] = newValue }
    }
  }

  /// Adds an output segment that begins at `time` and has the current rate. It waits until
  /// `advance(to:)` reaches `time`, because the output until then belongs to the previous segment.
  /// If too many segments are waiting, the new segment replaces the last of them.
  mutating func begin(at time: UInt64) {
    let before = newest
    var next = before
    next.rate = 1
    next.applied_rate = input.applied_rate * absorbed
    next.base = before.runningTime(of: time)
    next.start = time
    next.position = time
    next.offset = 0
    if !isReverse, let outTime = before.streamTime(of: time) { next.time = outTime }
    let isReplaced = !waiting.isEmpty && before.start == time
    if isReplaced || waiting.isFull { newest = next } else { waiting.append(next) }
  }

  /// Records that the output has reached `time`; `noTime` if all output has been sent. Returns
  /// whether the next segment begins, and has become `output`.
  mutating func advance(to time: UInt64) -> Bool {
    let due = countDue(at: time)
    guard let segment = waiting[due &- 1] else { return false }
    output = segment
    waiting.removeFirst(due)
    return true
  }

  /// Number of frames from `time` to the start of the next waiting segment; `UInt64.max` if there
  /// is none.
  func framesLeft(from time: UInt64, rate: UInt32) -> UInt64 {
    guard let next = waiting.first, next.start > time else { return .max }
    // both times are rounded down to whole nanoseconds
    let frames = frame(atNs: next.start &- time, rate: rate)
    return UInt64(truncatingIfNeeded: max(frames, 1))
  }

  /// Records that the input has ended at the times of `pair`. If waiting segments would begin after
  /// the end, one segment that begins at the end replaces them.
  mutating func end(_ pair: TimePair, toleranceNs: UInt64) {
    let to = pair.out
    let due = countDue(at: to)
    if due < waiting.count {
      let last = newest
      waiting.truncate(to: due)
      begin(at: to)
      newest.stop = last.stop
      // in reverse, stream time is counted from the stop
      if isReverse { newest.time = last.time }
    }
    note(pair, toleranceNs: toleranceNs)
  }

  /// Number of waiting segments that begin no later than `time`.
  private func countDue(at time: UInt64) -> Int {
    waiting.firstIndex { $0.start > time } ?? waiting.count
  }
}
