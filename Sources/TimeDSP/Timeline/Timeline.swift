// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Times under a factor that changes: the C `TimeDSPTimeline`, started, with
/// arguments that have been checked.
///
/// It is a chain of lines. Each runs from one pair of times to the next, the
/// last one on from the last pair with `factor`. The memory is the caller's.
struct Timeline {
  let pairs: UnsafeMutablePointer<TimeDSPTimePair>
  let capacity: Int
  private(set) var count: Int
  private(set) var factor: Fraction

  init(_ pairs: UnsafeMutablePointer<TimeDSPTimePair>, capacity: Int, count: Int, factor: Fraction)
  {
    self.pairs = pairs
    self.capacity = capacity
    self.count = count
    self.factor = factor
  }

  /// Everything under one factor.
  mutating func start(_ factor: Fraction) {
    pairs[0] = TimeDSPTimePair(in: 0, out: 0)
    count = 1
    self.factor = factor
  }

  /// From `pair` on under another factor. What was known of later times of
  /// either kind is forgotten.
  mutating func bend(at pair: TimeDSPTimePair, _ factor: Fraction) {
    while count > 1 && (pairs[count &- 1].in >= pair.in || pairs[count &- 1].out > pair.out) {
      count &-= 1
    }
    if count == capacity { thin() }
    // The first pair stays what it is.
    if pair.in > 0 {
      pairs[count] = pair
      count &+= 1
    }
    self.factor = factor
  }

  /// Drops every other pair.
  private mutating func thin() {
    var kept = 1
    while 2 &* kept < count {
      pairs[kept] = pairs[2 &* kept]
      kept &+= 1
    }
    count = kept
  }

  /// Where `time` of the input lies.
  func output(_ time: UInt64) -> UInt64 {
    line { $0.in > time }.output(time)
  }

  /// What of the input lies at `time`; the last where several do.
  func input(_ time: UInt64) -> UInt64 {
    line { $0.out > time }.input(time)
  }

  /// The line from the last pair that is not `beyond`; the first pair never is.
  @inline(__always)
  private func line(_ beyond: (TimeDSPTimePair) -> Bool) -> Line {
    var (low, high) = (0, count)
    while high &- low > 1 {
      let middle = low &+ (high &- low) &>> 1
      if beyond(pairs[middle]) { high = middle } else { low = middle }
    }
    let pair = pairs[low]
    if low &+ 1 == count { return Line(pair: pair, slope: factor) }
    let next = pairs[low &+ 1]
    return Line(
      pair: pair,
      slope: Fraction(numerator: next.out &- pair.out, denominator: next.in &- pair.in))
  }
}
