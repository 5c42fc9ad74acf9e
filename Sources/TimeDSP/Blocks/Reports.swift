// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A report or an error, with its frame and value.
struct Report {
  var code: TimePlayReport
  var frame: Int64 = 0
  var value = 0.0
}

/// A first-in, first-out queue of reports. If the queue is full, the oldest report is dropped.
struct Reports: ~Copyable {
  private static let capacity = 8

  private let storage: Storage
  private let waiting: UnsafeMutablePointer<Report>
  private var first = 0
  private var count = 0

  init() throws(TimeDSPStatus) {
    storage = try Storage(bytes: Self.capacity &* MemoryLayout<Report>.stride)
    waiting = storage.base.bindMemory(to: Report.self, capacity: Self.capacity)
  }

  mutating func add(_ report: Report) {
    if count == Self.capacity { _ = next() }
    (waiting + (first &+ count) % Self.capacity).initialize(to: report)
    count &+= 1
  }

  mutating func next() -> Report? {
    guard count > 0 else { return nil }
    let report = waiting[first]
    first = (first &+ 1) % Self.capacity
    count &-= 1
    return report
  }
}

/// The frames at which mismatching splices have been reported. If the list is full, no more are
/// reported.
struct OddSplices: ~Copyable {
  private static let capacity = 64

  private let storage: Storage
  private let frames: UnsafeMutablePointer<Int64>
  private var count = 0

  init() throws(TimeDSPStatus) {
    storage = try Storage(bytes: Self.capacity &* MemoryLayout<Int64>.stride)
    frames = storage.base.bindMemory(to: Int64.self, capacity: Self.capacity)
  }

  mutating func clear() { count = 0 }

  /// Returns whether `frame` must be reported. Adds the frame to the list, so that it is reported
  /// only once.
  mutating func isNew(_ frame: Int64) -> Bool {
    var place = 0
    while place < count {
      if frames[place] == frame { return false }
      place &+= 1
    }
    guard count < Self.capacity else { return false }
    (frames + count).initialize(to: frame)
    count &+= 1
    return true
  }
}
