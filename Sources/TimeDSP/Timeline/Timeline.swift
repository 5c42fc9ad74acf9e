// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maps stream times of the input to stream times of the output, for a stream whose factor has
/// changed. The map is linear between pairs of times, and has the current factor as its slope after
/// the last pair. The first pair is (0, 0). Both times increase from pair to pair, so the map is
/// monotonic.
///
/// If the map is full, every second pair is dropped. The map remains exact at the remaining pairs.
struct Timeline: ~Copyable {
  /// The pairs; none if nothing has been played.
  private(set) var pairs: FixedArray<TimePair>
  private(set) var factor = Fraction(numerator: 1, denominator: 1)

  /// Creates a map with room for `capacity` pairs, at least 2. Throws if memory cannot be
  /// allocated.
  init(capacity: Int) throws(TimeDSPStatus) {
    pairs = try FixedArray(capacity: capacity)
  }

  /// Returns to the state in which nothing has been played.
  mutating func forget() { pairs.removeAll() }

  /// Starts a map with a constant factor.
  mutating func start(_ factor: Fraction) {
    pairs.removeAll()
    pairs.append(TimePair(in: 0, out: 0))
    self.factor = factor
  }

  /// Changes the factor from input time `input` on, which is mapped to `output`. Later pairs are
  /// dropped. Times above `latestTime` are ignored.
  mutating func bend(at input: UInt64, _ output: UInt64, _ factor: Double) {
    guard max(input, output) <= latestTime else { return }
    let slope = Fraction(nearest: factor)
    if pairs.isEmpty { start(slope) }
    bend(at: TimePair(in: input, out: output), slope)
  }

  private mutating func bend(at pair: TimePair, _ factor: Fraction) {
    while pairs.count > 1, let last = pairs.last, last.in >= pair.in || last.out > pair.out {
      pairs.removeLast()
    }
    if pairs.isFull { thin() }
    // the first pair never changes
    if pair.in > 0 { pairs.append(pair) }
    self.factor = factor
  }

  /// Drops every second pair.
  private mutating func thin() {
    var kept = 1
    while 2 &* kept < pairs.count {
      pairs[kept] = pairs[2 &* kept]
      kept &+= 1
    }
    pairs.truncate(to: kept)
  }

  /// The output time for input time `time`. If nothing has been played, it is `time` × `factor`.
  func output(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard !pairs.isEmpty else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.numerator, by: slope.denominator)
    }
    let held = min(time, latestTime)
    return linearMap { $0.in > held }.output(held)
  }

  /// The input time for output time `time`; the last of them if there are several. If nothing has
  /// been played, it is `time` / `factor`.
  func input(_ time: UInt64, orBy factor: Double) -> UInt64 {
    guard time != noTime else { return noTime }
    guard !pairs.isEmpty else {
      let slope = Fraction(nearest: factor)
      return scaled(time, slope.denominator, by: slope.numerator)
    }
    let held = min(time, latestTime)
    return linearMap { $0.out > held }.input(held)
  }

  /// The linear map that applies from the last pair on for which `beyond` is false. `beyond` must
  /// be false for the first pair.
  @inline(__always)
  private func linearMap(_ beyond: (TimePair) -> Bool) -> LinearTimeMap {
    var (low, high) = (0, pairs.count)
    while high &- low > 1 {
      let middle = low &+ (high &- low) &>> 1
      if let pair = pairs[middle], beyond(pair) { high = middle } else { low = middle }
    }
    let pair = pairs[low] ?? TimePair(in: 0, out: 0)
    guard let next = pairs[low &+ 1] else { return LinearTimeMap(pair: pair, slope: factor) }
    return LinearTimeMap(
      pair: pair,
      slope: Fraction(numerator: next.out &- pair.out, denominator: next.in &- pair.in))
  }
}
