// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Times under a changing factor: the C `TimeDSPTimeMap`, with arguments that
/// have been checked.
///
/// Its memory belongs to the caller.
struct TimeMap {
  let pairs: UnsafeMutablePointer<TimeDSPTimePair>
  let capacity: Int
  private(set) var count: Int
  private(set) var factor: Fraction

  /// The latest time.
  static let latest = UInt64(Int64.max)

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

  /// From `pair` on under another factor.
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
    let place = self.place { $0.in > time }
    let pair = pairs[place]
    let way = time &- pair.in
    if place &+ 1 == count { return later(pair.out, way, factor.numerator, factor.denominator) }
    let next = pairs[place &+ 1]
    return later(pair.out, way, next.out &- pair.out, next.in &- pair.in)
  }

  /// What of the input lies at `time`; the last where several do.
  func input(_ time: UInt64) -> UInt64 {
    let place = self.place { $0.out > time }
    let pair = pairs[place]
    let way = time &- pair.out
    if place &+ 1 == count { return later(pair.in, way, factor.denominator, factor.numerator) }
    let next = pairs[place &+ 1]
    return later(pair.in, way, next.in &- pair.in, next.out &- pair.out)
  }

  /// The last pair that is not `beyond`; the first pair never is.
  @inline(__always)
  private func place(_ beyond: (TimeDSPTimePair) -> Bool) -> Int {
    var (low, high) = (0, count)
    while high &- low > 1 {
      let middle = low &+ (high &- low) &>> 1
      if beyond(pairs[middle]) { high = middle } else { low = middle }
    }
    return low
  }

  /// start + way × rise / run, rounded; `run` is not 0 and below 2^63.
  private func later(_ start: UInt64, _ way: UInt64, _ rise: UInt64, _ run: UInt64) -> UInt64 {
    let product = way.multipliedFullWidth(by: rise)
    let (low, carries) = product.low.addingReportingOverflow(run &>> 1)
    let high = product.high &+ (carries ? 1 : 0)
    guard high < run else { return Self.latest }
    let scaled = run.dividing(high: high, low: low)
    return scaled > Self.latest &- start ? Self.latest : start &+ scaled
  }
}
