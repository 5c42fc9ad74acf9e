// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Suite struct PositionTrackTests {
  private static let millisecond: Int64 = 1_000_000

  /// Sends parts of the file, given in ms, through a scaler with this factor.
  private func track(_ pieces: [(from: Int64, to: Int64)], factor: Int64 = 1) -> PositionTrack {
    var track = PositionTrack()
    var running: Int64 = 0
    for piece in pieces {
      track.enter(from: piece.from * Self.millisecond, to: piece.to * Self.millisecond)
      let stop = running + abs(piece.to - piece.from) * factor * Self.millisecond
      track.leave(start: running, stop: stop)
      running = stop
    }
    return track
  }

  private func heard(_ track: PositionTrack, at running: Int64) -> Int64? {
    track.played(at: running * Self.millisecond).map { $0.position / Self.millisecond }
  }

  @Test func `Before anything is sent, nothing is played`() {
    #expect(PositionTrack().played(at: 0) == nil)
  }

  @Test func `Forward, the position is the time that has run`() {
    let track = track([(0, 40), (40, 80), (80, 120)])
    for time: Int64 in [0, 10, 40, 79, 119] { #expect(heard(track, at: time) == time) }
  }

  @Test func `A factor is counted`() {
    let track = track([(0, 40), (40, 80)], factor: 3)
    #expect(heard(track, at: 60) == 20)
    #expect(heard(track, at: 180) == 60)
  }

  @Test func `Reversed audio is played at its time`() throws {
    let track = track([(0, 40), (40, 80), (80, 40), (40, 0)])
    #expect(heard(track, at: 70) == 70)
    #expect(heard(track, at: 90) == 70)
    #expect(heard(track, at: 150) == 10)
    #expect(try #require(track.played(at: 70 * Self.millisecond)).direction == .forward)
    #expect(try #require(track.played(at: 90 * Self.millisecond)).direction == .reverse)
    #expect(track.lastDirection == .reverse)
  }

  @Test func `A loop jumps when its output jumps`() {
    let track = track([(0, 40), (40, 80), (20, 60), (60, 80)])
    #expect(heard(track, at: 79) == 79)
    #expect(heard(track, at: 81) == 21)
  }

  @Test func `Only a loop jumps, not a turn nor a seek`() {
    var track = PositionTrack()
    let places: [(Int64, Int64)] = [(0, 40), (40, 80), (80, 60), (20, 60), (60, 80)]
    let jumps = places.map {
      track.enter(from: $0.0 * Self.millisecond, to: $0.1 * Self.millisecond)
    }
    #expect(jumps == [false, false, false, true, false])
    track.flush()
    let jumped = track.enter(from: 0, to: 1)
    #expect(!jumped)
  }

  @Test func `Before the first and after the last of it, the ends are played`() {
    let track = track([(500, 540)])
    #expect(heard(track, at: -100) == 500)
    #expect(heard(track, at: 1000) == 540)
  }

  @Test func `Output that begins late is waited for`() {
    var track = PositionTrack()
    track.enter(from: 7 * Self.millisecond, to: 17 * Self.millisecond)
    #expect(heard(track, at: 0) == 7)
    track.leave(start: 100 * Self.millisecond, stop: 110 * Self.millisecond)
    #expect(heard(track, at: 105) == 12)
  }

  @Test func `After a flush, time restarts`() {
    var track = track([(0, 40), (40, 80)])
    track.flush()
    #expect(track.played(at: 0) == nil)
    track.enter(from: 900 * Self.millisecond, to: 940 * Self.millisecond)
    track.leave(start: 0, stop: 40 * Self.millisecond)
    #expect(heard(track, at: 10) == 910)
  }

  @Test func `Hours of buffers take no more memory, and the last of them are known`() {
    let starts = (0..<20000).map { Int64($0) * 10 }
    let pieces = starts.map { start in (from: start, to: start + 10) }
    #expect(heard(track(pieces), at: 199_500) == 199_500)
  }
}
