// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Runs a scenario with several threads in every possible order of their steps, except for orders
/// with more than `changes` unnecessary switches between threads. Each run starts from the
/// beginning, and chooses the threads that its path lists. A playback is deterministic, so a path
/// can be repeated.
private struct Explorer {
  let scenario: ExplorerWorld.Scenario
  private(set) var paths = 0
  private(set) var found: (fault: String, log: [String])?

  init(_ scenario: ExplorerWorld.Scenario) { self.scenario = scenario }

  mutating func explore(changes: Int) {
    var paths: [[Int]] = [[]]
    for depth in 0...changes {
      var longer: [[Int]] = []
      for path in paths {
        let widths = run(path)
        if found != nil { return }
        guard depth < changes else { continue }
        for place in path.count..<max(widths.count, path.count) {
          for choice in 1..<max(widths[place], 1) {
            longer.append(path + Array(repeating: 0, count: place - path.count) + [choice])
          }
        }
      }
      paths = longer
    }
  }

  /// Returns, for each step, the number of threads that could continue.
  private mutating func run(_ path: [Int]) -> [Int] {
    paths += 1
    guard let world = ExplorerWorld(scenario) else { return [] }
    defer { world.end() }
    var widths: [Int] = []
    var last = 1
    while world.judge.fault == nil {
      let ready = world.ready(last)
      if ready.isEmpty {
        world.rest()
        break
      }
      let choice = widths.count < path.count ? min(path[widths.count], ready.count - 1) : 0
      widths.append(ready.count)
      last = ready[choice]
      world.step(last)
      if widths.count > 2_000 { world.judge.blame("no end") }
    }
    if let fault = world.judge.fault { found = (fault, world.judge.log) }
    return widths
  }
}

@Suite struct PlaybackExplorerTests {
  typealias Scenario = ExplorerWorld.Scenario

  private static let (forth, back) = (
    ExplorerWorld.Command.turn(TIMEDSP_FORWARD), ExplorerWorld.Command.turn(TIMEDSP_BACKWARD)
  )
  private static let seek = ExplorerWorld.Command.seek(2_000..<20_000, flush: true)
  private static let otherSeek = ExplorerWorld.Command.seek(1_000..<16_000, flush: true)
  private static let lap: Range<Int64> = 4_000..<20_000

  private static let scenarios = [
    Scenario(name: "a turn back", direction: TIMEDSP_FORWARD, first: [back], changes: 2),
    Scenario(name: "two turns", first: [forth], second: [back]),
    Scenario(
      name: "two turns, without segments", first: [forth], second: [back], knowsSegments: false),
    Scenario(name: "a seek and a turn", first: [seek], second: [forth]),
    Scenario(name: "two seeks", first: [seek], second: [otherSeek]),
    Scenario(
      name: "a seek without a flush", first: [.seek(2_000..<20_000, flush: false)],
      second: [.seek(1_000..<18_000, flush: false)]),
    Scenario(
      name: "seeks that go past, and a turn", direction: TIMEDSP_FORWARD,
      first: [.seek(4_000..<24_000, flush: false), .seek(8_000..<24_000, flush: false)],
      second: [back]),
    Scenario(name: "a foreign seek and a turn", first: [.foreignSeek(16_000)], second: [forth]),
    Scenario(name: "a foreign seek and a seek", first: [.foreignSeek(16_000)], second: [otherSeek]),
    Scenario(name: "a foreign flush and a turn", first: [.foreignFlush], second: [forth]),
    Scenario(name: "a foreign flush and a seek", first: [.foreignFlush], second: [seek]),
    Scenario(name: "lost numbers", first: [seek], losesNumbers: true),
    Scenario(name: "lost flushes", first: [seek], second: [forth], losesFlushes: true),
    Scenario(
      name: "lost flushes of late seeks", first: [forth], losesFlushes: true, isLate: true),
    Scenario(name: "late seeks", first: [seek], second: [forth], isLate: true),
    Scenario(name: "a loop and a turn", first: [forth], lap: lap),
    Scenario(name: "a loop and a turn back", direction: TIMEDSP_FORWARD, first: [back], lap: lap),
    Scenario(
      name: "a loop and a seek", first: [.seek(0..<24_000, flush: true)], second: [forth], lap: lap),
    Scenario(
      name: "downstream wants no more", first: [seek], second: [forth], lastWord: TIMEPLAY_FLOW_END),
    Scenario(
      name: "downstream fails", first: [seek], second: [forth], lastWord: TIMEPLAY_FLOW_FAILED),
    Scenario(name: "a stop", first: [seek], second: [.close]),
  ]

  @Test(arguments: scenarios)
  func theRightFramesAreOutputInAnyOrder(_ scenario: Scenario) {
    var explorer = Explorer(scenario)
    explorer.explore(changes: scenario.changes)
    #expect(
      explorer.found == nil,
      "\(explorer.paths) paths: \(explorer.found?.log.joined(separator: "\n") ?? "")")
  }
}
