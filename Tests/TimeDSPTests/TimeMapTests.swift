// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSP

/// A C map with memory of its own.
final class TestTimeMap {
  var map: TimeDSPTimeMap
  private let memory: UnsafeMutablePointer<TimeDSPTimePair>

  init(capacity: Int, factor: Double) throws {
    memory = .allocate(capacity: capacity)
    map = TimeDSPTimeMap(pairs: memory, capacity: capacity, count: 0, factor: 0)
    try check(timedsp_time_map_start(&map, factor))
  }

  deinit { memory.deallocate() }

  func bend(_ input: UInt64, _ output: UInt64, _ factor: Double) throws {
    try check(timedsp_time_map_bend(&map, input, output, factor))
  }

  func output(_ input: UInt64) -> UInt64 { timedsp_time_map_to_output(&map, input) }
  func input(_ output: UInt64) -> UInt64 { timedsp_time_map_to_input(&map, output) }
}

@Suite struct TimeMapTests {
  @Test func oneFactorMultiplies() throws {
    let map = try TestTimeMap(capacity: 2, factor: 0.7)
    #expect(map.output(0) == 0 && map.output(10) == 7 && map.output(11) == 8)
    #expect(map.input(7) == 10 && map.input(0) == 0)
    // 11.4285… and 2^62 × 0.7 exactly: no double has that many digits.
    #expect(map.input(8) == 11)
    #expect(map.output(1 << 62) == 3_228_180_212_899_171_533)
  }

  @Test func whatIsTooLateIsTheLatest() throws {
    let map = try TestTimeMap(capacity: 2, factor: 100)
    #expect(map.output(1 << 62) == UInt64(Int64.max))
    #expect(map.output(.max) == UInt64(Int64.max))
    #expect(map.input(.max) == 92_233_720_368_547_758)
  }

  /// 10 as they are, 10 at double length, then half as long.
  @Test func timesGoThroughAllFactors() throws {
    let map = try TestTimeMap(capacity: 8, factor: 1)
    try map.bend(10, 10, 2)
    try map.bend(20, 30, 0.5)
    let pairs: [(UInt64, UInt64)] = [(0, 0), (5, 5), (10, 10), (15, 20), (20, 30), (30, 35)]
    for (input, output) in pairs {
      #expect(map.output(input) == output)
      #expect(map.input(output) == input)
    }
  }

  /// Lines run from pair to pair, whatever factor was announced between them.
  @Test func pairsRule() throws {
    let map = try TestTimeMap(capacity: 8, factor: 1)
    try map.bend(100, 100, 2)
    try map.bend(200, 400, 1)
    #expect(map.output(150) == 250 && map.input(250) == 150)
  }

  @Test func whatIsPlayedAnewIsForgotten() throws {
    let map = try TestTimeMap(capacity: 8, factor: 1)
    try map.bend(10, 10, 2)
    try map.bend(20, 30, 1)
    try map.bend(15, 20, 3)
    #expect(map.output(15) == 20 && map.output(20) == 35 && map.output(12) == 14)
    try map.bend(0, 0, 0.5)
    #expect(map.output(100) == 50 && map.map.count == 1)
  }

  @Test func pairsThatWouldGoBackGiveWay() throws {
    let map = try TestTimeMap(capacity: 8, factor: 1)
    try map.bend(10, 50, 1)
    try map.bend(20, 40, 1)
    #expect(map.output(20) == 40 && map.output(10) == 20 && map.input(20) == 10)
  }

  /// Ten thousand changes in room for 32: all that is left is exact, and what
  /// was dropped lies between its neighbours.
  @Test func memoryIsBounded() throws {
    let map = try TestTimeMap(capacity: 32, factor: 1)
    var generator = SplitMix(seed: 31)
    var truth: [(input: UInt64, output: UInt64)] = [(0, 0)]
    for _ in 0..<10_000 {
      let last = truth.last!
      let way = UInt64.random(in: 1...1_000_000, using: &generator)
      let pair = (last.input + way, last.output + way * UInt64.random(in: 0...3, using: &generator))
      try map.bend(pair.0, pair.1, 2)
      truth.append(pair)
    }
    #expect(map.map.count <= 32)
    let kept = (0..<map.map.count).map { map.map.pairs[$0].in }
    for pair in truth where kept.contains(pair.input) {
      #expect(map.output(pair.input) == pair.output)
    }
    // The latest is always there, and behind it the factor holds.
    #expect(map.output(truth.last!.input + 5) == truth.last!.output + 10)
    var last: UInt64 = 0
    for pair in truth {
      #expect(map.output(pair.input) >= last)
      last = map.output(pair.input)
    }
  }

  @Test func badArgumentsChangeNothing() throws {
    let map = try TestTimeMap(capacity: 4, factor: 2)
    #expect(timedsp_time_map_bend(&map.map, 1, 1, .nan) == TIMEDSP_BAD_FACTOR)
    #expect(timedsp_time_map_bend(&map.map, 1 << 63, 1, 1) == TIMEDSP_BAD_LENGTH)
    #expect(timedsp_time_map_bend(&map.map, 1, 1 << 63, 1) == TIMEDSP_BAD_LENGTH)
    #expect(timedsp_time_map_bend(nil, 1, 1, 1) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_time_map_start(nil, 1) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_time_map_start(&map.map, 0) == TIMEDSP_BAD_FACTOR)
    #expect(map.output(3) == 6)
    var small = map.map
    small.capacity = 1
    #expect(timedsp_time_map_start(&small, 1) == TIMEDSP_BAD_LENGTH)
    var empty = TimeDSPTimeMap()
    #expect(timedsp_time_map_start(&empty, 1) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_time_map_to_output(&empty, 3) == 0)
    #expect(timedsp_time_map_to_input(nil, 3) == 0)
  }
}
