// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps the times of a stream to its output while the factor changes: by straight lines from pair
/// to pair, and by one with the slope of the factor after the last pair. The first pair is (0, 0).
/// Pairs rise in both times, so the map never goes back.
///
/// If there are too many, every other pair is dropped. The far past is then known at fewer places;
/// at those that are left it is exact.
struct Timeline: ~Copyable {
  private let storage: Storage
  let pairs: UnsafeMutablePointer<TimePair>
  private let capacity: Int
  /// 0: nothing has been played.
  private(set) var count = 0
  private(set) var factor = Fraction(numerator: 1, denominator: 1)

  /// Room for `capacity` pairs, 2 or more. Throws if there is no memory.
  init(capacity: Int) throws(TimeDSPStatus) {
    storage = try Storage(bytes: capacity &* MemoryLayout<TimePair>.stride)
    pairs = storage.base.bindMemory(to: TimePair.self, capacity: capacity)
    self.capacity = capacity
  }

  /// Nothing has been played.
  mutating func forget() { count = 0 }

  /// Everything under one factor.
  mutating func start(_ factor: Fraction) {
    pairs[0] = TimePair(in: 0, out: 0)
    count = 1
    self.factor = factor
  }

  /// Uses another factor from `input` on, which lies at `output`. Later pairs are forgotten. Times
  /// above `latestTime` change nothing.
  mutating func bend(at input: UInt64, _ output: UInt64, _ factor: Double) {
    guard max(input, output) <= latestTime else { return }
    let slope = Fraction(nearest: factor)
    if count == 0 { start(slope) }
    bend(at: TimePair(in: input, out: output), slope)
  }

  private mutating func bend(at pair: TimePair, _ factor: Fraction) {
    while count > 1 && (pairs[count &- 1].in >= pair.in || pairs[count &- 1].out > pair.out) {
      count &-= 1
    }
    if count == capacity { thin() }
    // The first pair never changes.
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

  /// Output time for `time`; by `factor` if nothing has been played.
  func output(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard count > 0 else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.numerator, by: slope.denominator)
    }
    let held = min(time, latestTime)
    return line { $0.in > held }.output(held)
  }

  /// Input time for `time`, the last one if there are several; by `factor` if nothing has been
  /// played.
  func input(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard count > 0 else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.denominator, by: slope.numerator)
    }
    let held = min(time, latestTime)
    return line { $0.out > held }.input(held)
  }

  /// The line from the last pair that is not `beyond`; the first pair never is.
  @inline(__always)
  private func line(_ beyond: (TimePair) -> Bool) -> Line {
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
