// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The numbers from `number` up to but not including `end`, `step` apart. A `Range` traps if its
/// end is below its start, but this is just empty.
struct Steps<Number: FixedWidthInteger>: Sequence, IteratorProtocol {
  fileprivate var number: Number
  fileprivate let end: Number
  fileprivate let step: Number

  @inline(__always)
  mutating func next() -> Number? {
    guard number < end else { return nil }
    defer { number &+= step }
    return number
  }
}

/// The numbers from `start` up to but not including `end`, `step` apart, or none if `end` isn't
/// above `start`.
@inline(__always)
func upTo<Number: FixedWidthInteger>(
  _ end: Number, from start: Number = 0, by step: Number = 1
) -> Steps<Number> {
  Steps(number: start, end: end, step: step)
}

@inline(__always)
func upTo(_ range: Range<Int>, by step: Int = 1) -> Steps<Int> {
  upTo(range.upperBound, from: range.lowerBound, by: step)
}
