// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// An input time and the output time to which it is mapped, in ns.
struct TimePair {
  var `in`, out: UInt64
}

/// A linear map of input times to output times. Input time t is mapped to `pair.out + (t - pair.in)
/// × slope`, both before and after `pair`.
struct LinearTimeMap {
  var pair: TimePair
  var slope: Fraction

  /// The map with slope `factor`, clamped to the range of scaling factors, that maps `input` to
  /// `output`.
  init(_ input: UInt64, _ output: UInt64, _ factor: Double) {
    self.init(pair: TimePair(in: input, out: output), slope: Fraction(nearest: factor))
  }

  init(pair: TimePair, slope: Fraction) {
    self.pair = pair
    self.slope = slope
  }

  /// The output time for input time `time`; `noTime` if `time` is `noTime`.
  func mapped(_ time: UInt64) -> UInt64 { time == noTime ? noTime : output(time) }

  /// The output time for input time `time`, clamped to `0 ... latestTime`.
  func output(_ time: UInt64) -> UInt64 {
    if time >= pair.in { return pair.out.later(by: rise(time &- pair.in)) }
    return pair.out.earlier(by: rise(pair.in &- time))
  }

  /// The input time for output time `time`, clamped to `0 ... latestTime`.
  func input(_ time: UInt64) -> UInt64 {
    if time >= pair.out { return pair.in.later(by: run(time &- pair.out)) }
    return pair.in.earlier(by: run(pair.out &- time))
  }

  private func rise(_ way: UInt64) -> UInt64 {
    scaled(way, slope.numerator, by: slope.denominator)
  }

  private func run(_ way: UInt64) -> UInt64 {
    scaled(way, slope.denominator, by: slope.numerator)
  }
}

extension UInt64 {
  /// The time `way` ns later, at most `latestTime`.
  fileprivate func later(by way: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(way)
    return overflows || sum > latestTime ? latestTime : sum
  }

  /// The time `way` ns earlier, clamped to `0 ... latestTime`.
  fileprivate func earlier(by way: UInt64) -> UInt64 {
    self > way ? Swift.min(self &- way, latestTime) : 0
  }
}
