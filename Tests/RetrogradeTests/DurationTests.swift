// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Test func durationIsCountedInNanoseconds() {
  #expect(Duration.zero.nanoseconds == 0)
  #expect(Duration.nanoseconds(1).nanoseconds == 1)
  #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
  #expect(Duration.seconds(3 * 3600).nanoseconds == 10_800_000_000_000)
}

@Test func partOfANanosecondIsDropped() {
  #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanoseconds == 1)
  #expect(Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999).nanoseconds == -1)
}

@Test func durationsBeyond64BitsOfNanosecondsStayAtTheirLimits() {
  let limit = Int64.max / 1_000_000_000  // in whole seconds
  #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
  #expect(Duration.nanoseconds(Int64.min).nanoseconds == .min)
  #expect(Duration.seconds(limit).nanoseconds == limit * 1_000_000_000)
  #expect(Duration.seconds(limit + 1).nanoseconds == .max)
  #expect(Duration.seconds(-limit - 2).nanoseconds == .min)
  #expect(Duration.seconds(Int64.max).nanoseconds == .max)
  #expect(Duration.seconds(Int64.min).nanoseconds == .min)
}

@Test func durationInSecondsIsANumber() {
  #expect(Duration.milliseconds(1250).inSeconds == 1.25)
  #expect(Duration.nanoseconds(-500_000_000).inSeconds == -0.5)
}
