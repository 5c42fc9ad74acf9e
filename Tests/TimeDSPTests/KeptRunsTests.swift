// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@Suite struct KeptRunsTests {
  /// A clip of a composition ends at its stop. The pads test collected streams without one. At 1000
  /// frames per second, a frame lasts 1 ms.
  @Test(
    arguments: [
      (25_000_000, [[10, 20], [0, 10]]), (20_500_000, [[10, 16], [0, 10]]),
      (20_000_001, [[10, 15], [0, 10]]), (15_000_000, [[0, 10]]), (0, []),
    ] as [(UInt64, [[UInt64]])])
  func framesFromTheStopOnAreDropped(stop: UInt64, expected: [[UInt64]]) throws {
    // 10 frames from 0 ms on, and 10 frames from 15 ms on
    let made = timekept_new(1000, 0)
    let kept = try #require(made)
    defer { timekept_free(kept) }
    try check(timekept_add(kept, 0, 10, 1, 0))
    try check(timekept_add(kept, 15_000_000, 10, 1, 0))
    timekept_cut(kept, stop)
    var end: UInt64 = 0
    _ = timekept_turn(kept, 0, &end)
    var runs: [[UInt64]] = []
    var run = TimeKeptRun()
    while timekept_next(kept, &run) != 0 { runs.append([run.first_frame, run.end_frame]) }
    #expect(runs == expected)
  }
}
