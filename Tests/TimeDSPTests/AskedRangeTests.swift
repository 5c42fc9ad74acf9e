// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Tests how a seek of the application is translated before it is sent upstream.
@Suite struct AskedRangeTests {
  private func seek(
    _ start: Int64, _ stopType: TimePlaySeekType, _ stop: Int64, rate: Double = 1
  ) -> TimePlaySeek {
    var seek = TimePlaySeek()
    seek.rate = rate
    (seek.start_type, seek.start_ns) = (TIMEPLAY_SETS, start)
    (seek.stop_type, seek.stop_ns) = (stopType, stop)
    return seek
  }

  /// Returns the start, the stop type and the stop of each translated seek, and whether it requests
  /// only a part of the stream.
  private func translated(_ seeks: [TimePlaySeek], collects: Bool) -> [[Int64]] {
    var range = AskedRange()
    return seeks.map { asked in
      var seek = asked
      let limits = range.translate(&seek, collects: collects)
      return [seek.start_ns, Int64(seek.stop_type.rawValue), seek.stop_ns, limits ? 1 : 0]
    }
  }

  private let sets = Int64(TIMEPLAY_SETS.rawValue)
  private let keeps = Int64(TIMEPLAY_KEEPS.rawValue)

  @Test func aPositionCountsTheFramesBeforeIt() {
    let seeks = [seek(700, TIMEPLAY_KEEPS, 0), seek(500, TIMEPLAY_SETS, -1)]
    #expect(translated(seeks, collects: true) == [[0, sets, 700, 0], [0, sets, 500, 0]])
  }

  @Test func aRangeStaysOne() {
    let seeks = [seek(100, TIMEPLAY_SETS, 700), seek(100, TIMEPLAY_SETS, 700, rate: -1)]
    let same = [[100, sets, 700, 1], [100, sets, 700, 1]]
    #expect(translated(seeks, collects: true) == same)
    #expect(translated(seeks, collects: false) == same)
  }

  /// After a seek to a position in reverse, the playback has set a stop upstream. If the next seek
  /// leaves the stop unchanged, the stop that the application has set applies, not the one that was
  /// set upstream.
  @Test func aStopThatIsLeftUnchangedIsTheApplications() {
    let backward = seek(200, TIMEPLAY_KEEPS, 0, rate: -1)
    let position = seek(700, TIMEPLAY_KEEPS, 0)
    #expect(translated([position, backward], collects: true).last == [200, sets, -1, 0])
    let ranges = [seek(100, TIMEPLAY_SETS, 900), seek(100, TIMEPLAY_FROM_END, -50)]
    for (range, collects) in ranges.flatMap({ [($0, true), ($0, false)] }) {
      let seeks = [range, position, backward]
      #expect(translated(seeks, collects: collects)[1] == [700, keeps, 0, 1])
      #expect(translated(seeks, collects: collects)[2] == [200, keeps, 0, 1])
    }
    let open = [seek(100, TIMEPLAY_SETS, 900), seek(700, TIMEPLAY_SETS, -1), position]
    #expect(translated(open, collects: true).last == [0, sets, 700, 0])
  }

  /// A query of the application must return the position that it has requested, not the start that
  /// was sent upstream.
  @Test func theApplicationSeesThePositionThatItAskedFor() {
    let sent = Asked(startNs: 0, stopNs: 700, durationNs: 900)
    for collects in [false, true] {
      var (range, position) = (AskedRange(), seek(700, TIMEPLAY_KEEPS, 0))
      #expect(range.seen(sent).startNs == 0)
      _ = range.translate(&position, collects: collects)
      #expect(range.seen(sent).startNs == (collects ? 700 : 0))
      #expect(range.seen(sent).stopNs == (collects ? .max : 700))
      // upstream has ignored the stop
      let open = Asked(startNs: 0, stopNs: .max, durationNs: 900)
      #expect(range.seen(open).startNs == (collects ? 900 : 0))
      var limited = seek(100, TIMEPLAY_SETS, 700)
      _ = range.translate(&limited, collects: collects)
      #expect(range.seen(sent).stopNs == 700)
    }
  }

  @Test func anInstantChangeOfTheRateMovesNothing() {
    var instant = seek(0, TIMEPLAY_KEEPS, -1)
    (instant.start_type, instant.flags) = (TIMEPLAY_KEEPS, 1 << 10)
    let seeks = [seek(700, TIMEPLAY_KEEPS, 0), instant, seek(200, TIMEPLAY_KEEPS, 0, rate: -1)]
    #expect(translated(seeks, collects: true)[1] == [0, keeps, -1, 0])
    #expect(translated(seeks, collects: true)[2] == [200, sets, -1, 0])
  }
}
