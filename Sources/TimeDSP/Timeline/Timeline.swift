// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps stream times of the input to times of the output while the factor changes. The mapping is
/// linear between pairs of times. After the last pair, its slope is the current factor. The first
/// pair is (0, 0). Both times increase from pair to pair, so that the mapping is monotonic.
///
/// If there are too many pairs, every second pair is dropped. The mapping remains exact at the
/// other pairs.
struct Timeline: ~Copyable {
  private let storage: Storage
  let pairs: UnsafeMutablePointer<TimePair>
  private let capacity: Int
  /// Number of pairs; 0 if nothing has been played.
  private(set) var count = 0
  private(set) var factor = Fraction(numerator: 1, denominator: 1)

  /// Allocates `capacity` pairs, at least 2. Throws if memory cannot be allocated.
  init(capacity: Int) throws(TimeDSPStatus) {
    storage = try Storage(bytes: capacity &* MemoryLayout<TimePair>.stride)
    pairs = storage.base.bindMemory(to: TimePair.self, capacity: capacity)
    self.capacity = capacity
  }

  /// Returns to the state in which nothing has been played.
  mutating func forget() { count = 0 }

  /// Starts with a single factor.
  mutating func start(_ factor: Fraction) {
    pairs[0] = TimePair(in: 0, out: 0)
    count = 1
    self.factor = factor
  }

  /// Uses another factor from input time `input` on. `output` is the corresponding output time.
  /// Later pairs are dropped. Times above `latestTime` are ignored.
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
    // the first pair never changes
    if pair.in > 0 {
      pairs[count] = pair
      count &+= 1
    }
    self.factor = factor
  }

  /// Drops every second pair.
  private mutating func thin() {
    var kept = 1
    while 2 &* kept < count {
      pairs[kept] = pairs[2 &* kept]
      kept &+= 1
    }
    count = kept
  }

  /// Output time for `time`. If nothing has been played, it is computed with `factor`.
  func output(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard count > 0 else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.numerator, by: slope.denominator)
    }
    let held = min(time, latestTime)
    return line { $0.in > held }.output(held)
  }

  /// Input time for `time`; the last one if there are several. If nothing has been played, it is
  /// computed with `factor`.
  func input(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard count > 0 else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.denominator, by: slope.numerator)
    }
    let held = min(time, latestTime)
    return line { $0.out > held }.input(held)
  }

  /// The line that begins at the last pair for which `beyond` is false. `beyond` is always false
  /// for the first pair.
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
