// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let goesOn = UInt64.max

/// The runs of a collected stream (a run is a part in which the timestamps do not jump). At 1000
/// frames per second, a frame lasts 1 ms.
private final class Kept {
  let kept: OpaquePointer

  init(rate: UInt32 = 1000, maxBytes: UInt64 = 0) throws {
    let made = timekept_new(rate, maxBytes)
    kept = try #require(made)
  }

  deinit { timekept_free(kept) }

  func add(ms: UInt64, _ frames: UInt64, jumps: Bool = false, gap: Bool = false) throws {
    try check(timekept_add(kept, ms * 1_000_000, frames, jumps ? 1 : 0, gap ? 1 : 0))
  }

  /// Prepares the output. Returns the end times of the input and the output, in ms.
  func turn(fromMs start: UInt64) -> [UInt64] {
    var stop: UInt64 = 0
    let end = timekept_turn(kept, start * 1_000_000, &stop)
    return [stop / 1_000_000, end / 1_000_000]
  }

  /// The first frame, the end frame, the start in ms and the gap flag of each run, in the order of
  /// the output.
  func heard() -> [[UInt64]] {
    var all: [[UInt64]] = []
    var run = TimeKeptRun()
    while timekept_next(kept, &run) != 0 {
      let begin = run.start_ns == goesOn ? goesOn : run.start_ns / 1_000_000
      all.append([run.first_frame, run.end_frame, begin, UInt64(run.gap)])
    }
    return all
  }
}

@Suite struct KeptRunsTests {
  @Test func oneRunBeginsWithTheSegment() throws {
    let kept = try Kept()
    try kept.add(ms: 20, 5, jumps: true)
    try kept.add(ms: 25, 7)
    #expect(timekept_count(kept.kept) == 1)
    #expect(kept.turn(fromMs: 20) == [32, 32])
    #expect(kept.heard() == [[0, 12, 20, 0]])
    #expect(kept.heard().isEmpty)
  }

  @Test func aHoleStaysWhereItWas() throws {
    let kept = try Kept()
    try kept.add(ms: 0, 10, jumps: true)
    try kept.add(ms: 15, 10, jumps: true)
    // the output is the last 10 ms, a gap of 5 ms, and the first 10 ms
    #expect(kept.turn(fromMs: 0) == [25, 25])
    #expect(kept.heard() == [[10, 20, 0, 0], [0, 10, 15, 0]])
  }

  @Test func aGapIsARunOfItsOwnWithoutAJump() throws {
    let kept = try Kept()
    try kept.add(ms: 0, 10, jumps: true)
    try kept.add(ms: 10, 4, gap: true)
    try kept.add(ms: 14, 6)
    #expect(kept.turn(fromMs: 0) == [20, 20])
    #expect(kept.heard() == [[14, 20, 0, 0], [10, 14, goesOn, 1], [0, 10, goesOn, 0]])
  }

  @Test func anInputThatGoesBackMakesALongerOutput() throws {
    let kept = try Kept()
    try kept.add(ms: 10, 10, jumps: true)
    try kept.add(ms: 0, 10, jumps: true)
    // the run that was received last, 0 to 10 ms, is output first, from 10 ms on
    #expect(kept.turn(fromMs: 0) == [20, 30])
    #expect(kept.heard() == [[10, 20, 10, 0], [0, 10, goesOn, 0]])
  }

  @Test func framesFromTheStopOnAreDropped() throws {
    let kept = try Kept()
    try kept.add(ms: 0, 10, jumps: true)
    try kept.add(ms: 15, 10, jumps: true)
    timekept_cut(kept.kept, 25_000_000)  // drops nothing
    timekept_cut(kept.kept, 20_500_000)  // a frame that is partly before the stop is kept
    timekept_cut(kept.kept, 20_000_001)  // a stop that was rounded up
    #expect(kept.turn(fromMs: 0) == [20, 20])
    #expect(kept.heard() == [[10, 15, 0, 0], [0, 10, 10, 0]])
    timekept_cut(kept.kept, 15_000_000)  // drops a whole run
    #expect(kept.turn(fromMs: 0) == [10, 10])
    #expect(kept.heard() == [[0, 10, 0, 0]])
    timekept_cut(kept.kept, 0)
    #expect(kept.turn(fromMs: 0) == [0, 0] && kept.heard().isEmpty)
    timekept_cut(nil, 0)
  }

  @Test func aHoleOfLessThanAFrameIsNoJump() throws {
    let kept = try Kept()
    try kept.add(ms: 0, 10, jumps: true)
    try check(timekept_add(kept.kept, 10_900_000, 10, 1, 0))
    _ = kept.turn(fromMs: 0)
    #expect(kept.heard().map { $0[2] } == [0, goesOn])
  }

  @Test func timesAreCountedFromTheRunAndDoNotDrift() throws {
    let kept = try Kept(rate: 44100)
    for n in 0..<1000 as Range<UInt64> {
      try check(timekept_add(kept.kept, n * 1024 * 1_000_000_000 / 44100, 1024, n == 0 ? 1 : 0, 0))
    }
    var stop: UInt64 = 0
    #expect(timekept_turn(kept.kept, 0, &stop) == 1_024_000 * 1_000_000_000 / 44100)
    #expect(stop == 1_024_000 * 1_000_000_000 / 44100)
  }

  @Test func moreJumpsThanMemoryAreRefused() throws {
    let kept = try Kept()
    var taken: UInt64 = 0
    while timekept_add(kept.kept, 2 * taken, 1, 1, 0) == TIMEDSP_OK { taken += 1 }
    // a limit below 1 MiB counts as 1 MiB, and each jump needs 16 bytes or more
    #expect(taken >= 10000 && taken <= (1 << 20) / 16)
    #expect(timekept_count(kept.kept) == Int(taken))
    _ = kept.turn(fromMs: 0)
    #expect(kept.heard().count == Int(taken))
  }

  @Test func uncountableNumbersAreNoTrap() throws {
    let kept = try Kept(rate: 0)
    try check(timekept_add(kept.kept, .max - 1, .max, 1, 0))
    try check(timekept_add(kept.kept, .max, .max, 1, 1))
    var stop: UInt64 = 0
    _ = timekept_turn(kept.kept, .max, &stop)
    #expect(kept.heard().count == 2)
    #expect(timekept_add(nil, 0, 1, 0, 0) == TIMEDSP_NULL_POINTER)
    #expect(timekept_count(nil) == 0)
    timekept_free(nil)
  }
}
