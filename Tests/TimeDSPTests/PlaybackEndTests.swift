// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Tests when upstream announces the end of the stream, and how the playback reacts. A playback
/// fetches with segment seeks, which end without an announcement. Only the last fetch is a normal
/// seek. Upstream supports segment seeks, unless a test says otherwise.
@Suite struct PlaybackEndTests {
  private let length: Int64 = 60_000

  private func owner(knowsSegments: Bool = true) throws -> PlaybackOwner {
    let stream = PlaybackStream(length: length)
    stream.knowsSegments = knowsSegments
    let owner = try PlaybackOwner(stream)
    owner.settings.max_block_ns = 500_000_000
    return owner
  }

  private func isPassing(_ owner: PlaybackOwner) -> Bool {
    timeplay_phase(owner.playback) == TIMEPLAY_PASSING
  }

  @Test func theEndIsAnnouncedOnceForwardAfterItWasPlayedBackward() throws {
    let owner = try owner()
    owner.start(TIMEDSP_BACKWARD, 0, -1)
    owner.play(atMost: 10_000)
    let count = Int64(owner.heard.count)
    #expect(owner.stream.announcements == 0)
    owner.turn(TIMEDSP_FORWARD)
    owner.play()
    #expect(owner.action.kind == TIMEPLAY_END)
    #expect(owner.stream.announcements == 1)
    #expect(
      owner.heard == (length - count..<length).reversed() + Array(length - count + 1..<length))
  }

  @Test func theEndIsAnnouncedInTheLastSecond() throws {
    let owner = try owner()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    while owner.stream.announcements == 0, owner.step() {}
    #expect(owner.heard.count >= Int(length) - 8_000)
    #expect(owner.heard.count < Int(length))
    owner.play()
    #expect(owner.heard == Array(0..<length))
    #expect(owner.stream.announcements == 1)
  }

  @Test func theEndIsNotAnnouncedBackward() throws {
    let owner = try owner()
    owner.start(TIMEDSP_BACKWARD, 0, -1)
    owner.play()
    #expect(owner.action.kind == TIMEPLAY_END)
    #expect(owner.heard == (0..<length).reversed())
    #expect(owner.stream.announcements == 0)
  }

  @Test(arguments: [TIMEDSP_LOOP_REPEAT, TIMEDSP_LOOP_PING_PONG])
  func theEndIsAnnouncedWhenALoopIsLeft(_ loop: TimeDSPLoop) throws {
    let owner = try owner()
    owner.settings.loop = loop
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play(atMost: Int(length) * 3 - 10_000)
    #expect(owner.stream.announcements == 0)
    owner.settings.loop = TIMEDSP_LOOP_NONE
    owner.play()
    #expect(owner.heard.last == length - 1)
    #expect(owner.stream.announcements == 1)
  }

  /// If the application seeks with the SEGMENT flag, the end of its segment is not the end of the
  /// stream, and is not announced.
  @Test func theEndOfASegmentIsNotAnnounced() throws {
    let owner = try owner()
    owner.flags = 1 | 1 << 3
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play()
    #expect(owner.heard == Array(0..<length))
    #expect(owner.action.flags & 1 << 3 != 0)
    #expect(owner.stream.announcements == 0)
  }

  /// If the application seeks without the SEGMENT flag, the stop of the seek counts as the end of
  /// the stream, as it does in GstBaseSrc.
  @Test func theLastFetchStopsWhereTheApplicationDoes() throws {
    let owner = try owner()
    owner.start(TIMEDSP_FORWARD, 0, 30_000)
    while owner.action.is_last == 0, owner.step() {}
    #expect(timedsp_frame_at(owner.action.stop_ns, owner.stream.rate) == 30_000)
    owner.play()
    #expect(owner.heard == Array(0..<30_000))
    #expect(owner.action.kind == TIMEPLAY_END)
  }

  @Test func aRefusedLastFetchIsNoError() throws {
    let owner = try owner()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play(atMost: Int(length) - 9_000)
    while owner.stream.seeks > 0, owner.heard.count < Int(length) - 8_200, owner.step() {}
    owner.refuses = true
    owner.play()
    #expect(owner.action.kind == TIMEPLAY_END)
    #expect(owner.reports.allSatisfy { $0 != TIMEPLAY_SEEK_REFUSED })
    #expect(owner.heard == Array(0..<length))
  }

  @Test(arguments: [true, false])
  func theNextStreamFollowsWhenAllHasBeenSent(knowsSegments: Bool) throws {
    let owner = try owner(knowsSegments: knowsSegments)
    owner.follow()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play()
    #expect(owner.heard == Array(0..<length))
    #expect(owner.reports.allSatisfy { $0 != TIMEPLAY_IS_FOLLOWED })
    #expect(isPassing(owner))
    #expect(PlaybackStream.send(TIMEPLAY_NEW_STREAM, to: owner.playback) == TIMEPLAY_FOLLOW)
  }

  @Test func theNextStreamIsHeldUntilThen() throws {
    let owner = try owner()
    owner.follow()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    while owner.stream.announcements == 0, owner.step() {}
    for _ in 0..<10 {
      #expect(PlaybackStream.send(TIMEPLAY_NEW_STREAM, to: owner.playback) == TIMEPLAY_HOLD)
      owner.step()
    }
    // a flush releases the waiting thread
    PlaybackStream.send(TIMEPLAY_FLUSH_START, to: owner.playback)
    #expect(PlaybackStream.send(TIMEPLAY_NEW_STREAM, to: owner.playback) == TIMEPLAY_DROP)
  }

  /// When the next stream has begun, a seek can no longer reach the current stream. After a change
  /// of direction, frames that are still in memory are played.
  @Test func aTurnBeforeTheNextStreamIsNoError() throws {
    let owner = try owner()
    owner.follow()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    while owner.stream.announcements == 0, owner.step() {}
    let count = owner.heard.count
    owner.turn(TIMEDSP_BACKWARD)
    owner.play()
    #expect(owner.reports.allSatisfy { $0 != TIMEPLAY_IS_FOLLOWED })
    #expect(isPassing(owner))
    #expect(owner.heard.count > count)
  }

  @Test func theNextStreamBeginsAtTheRunningTimeOfAllThatWasSent() throws {
    let owner = try owner()
    owner.follow()
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play(atMost: 30_000)
    owner.turn(TIMEDSP_BACKWARD)
    owner.play(atMost: 35_000)
    owner.turn(TIMEDSP_FORWARD)
    var handedOver = TimePlayAction()
    while owner.step() { handedOver = owner.action }
    #expect(handedOver.kind == TIMEPLAY_HAND_OVER)
    #expect(handedOver.base_ns == timeNs(of: Int64(owner.heard.count), rate: owner.stream.rate))
    #expect(handedOver.start_ns == timeNs(of: length, rate: owner.stream.rate))
  }
}
