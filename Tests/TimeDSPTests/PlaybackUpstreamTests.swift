// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Events from upstream and from the application during playback: flushes that the playback has not
/// requested, refused seeks, late events.
@Suite struct PlaybackUpstreamTests {
  /// A playback in reverse that has played 100 frames.
  private func playing(_ length: Int64 = 30_000) throws -> PlaybackOwner {
    let owner = try PlaybackOwner(PlaybackStream(length: length))
    owner.start(TIMEDSP_BACKWARD, 0, length)
    owner.play(atMost: 100)
    owner.forgetHeard()
    return owner
  }

  /// Simulates a seek that another element has sent upstream. Upstream seeks to the beginning of
  /// the stream, and sends a segment.
  private func seekElsewhere(_ owner: PlaybackOwner) {
    owner.stream.seek(toNs: 0)
    PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: owner.playback)
  }

  @Test func aSeekThatAFlushOnItsWayRefusesIsNoError() throws {
    let owner = try playing()
    owner.refuses = true
    owner.isBeingFlushed = true
    owner.seek(TIMEDSP_BACKWARD, 0, 20_000)
    owner.play()
    #expect(!owner.reports.contains(TIMEPLAY_SEEK_REFUSED))
    #expect(owner.action.kind == TIMEPLAY_WAIT)
    owner.refuses = false
    PlaybackStream.send(TIMEPLAY_FLUSH_START, to: owner.playback)
    PlaybackStream.send(TIMEPLAY_FLUSH_STOP, to: owner.playback)
    seekElsewhere(owner)
    owner.resume(TIMEDSP_FORWARD)
    owner.play()
    #expect(owner.heard == Array(0..<30_000))
  }

  /// Upstream refuses the seek of a fetch, because the flush of an earlier fetch has not ended. The
  /// playback sends the seek again when that flush ends.
  @Test func aSeekThatOurOwnFlushRefusesIsSentAgain() throws {
    let owner = try playing()
    owner.refuses = true
    owner.isBeingFlushed = true
    owner.seek(TIMEDSP_BACKWARD, 0, 20_000)
    owner.play()
    owner.refuses = false
    let number = owner.action.seqnum
    PlaybackStream.send(TIMEPLAY_FLUSH_STOP, to: owner.playback, seqnum: number)
    owner.play()
    #expect(owner.heard == (0..<20_000).reversed())
  }

  /// The first segment is the answer to a seek, so the stream may have frames before that segment.
  /// In reverse, these frames must be played, too.
  @Test func aSeekBeforeTheFirstSegmentIsNoBeginning() throws {
    let owner = try PlaybackOwner(PlaybackStream(length: 30_000))
    owner.start(TIMEDSP_BACKWARD, behindSeekTo: 20_000)
    owner.play()
    #expect(owner.heard == (0..<20_000).reversed())

    let looped = try PlaybackOwner(PlaybackStream(length: 30_000))
    looped.settings.loop = TIMEDSP_LOOP_REPEAT
    looped.start(TIMEDSP_FORWARD, behindSeekTo: 20_000)
    looped.play(atMost: 40_000)
    let laps: [Int64] = Array(20_000..<30_000) + Array(0..<30_000)
    #expect(Array(looped.heard.prefix(40_000)) == laps)
  }

  /// Upstream stops at the target of a seek, because the stream is played from there down to the
  /// beginning. This is not the end of the stream.
  @Test(arguments: [TIMEPLAY_MODE_AUTO, TIMEPLAY_MODE_SEEK], [1, 4_000, 15_000] as [Int64])
  func theTargetOfASeekIsNotTheEnd(_ mode: TimePlayMode, target: Int64) throws {
    let owner = try PlaybackOwner(PlaybackStream(length: 30_000))
    owner.stream.durationNs = owner.ns(30_000)
    owner.settings.mode = mode
    owner.settings.direction = TIMEDSP_BACKWARD
    timeplay_configure(owner.playback, &owner.settings)
    owner.start(at: target)
    owner.play(atMost: Int(target))
    #expect(owner.heard == (0..<target).reversed())
    #expect(owner.reports.allSatisfy { $0 != TIMEPLAY_ENDS_EARLY })
    owner.seek(TIMEDSP_BACKWARD, 0, -1)
    owner.play()
    #expect(Array(owner.heard.dropFirst(Int(target))) == (0..<30_000).reversed())
  }

  /// A playback of a stream that begins with frame 5,600, and that was passed through until a seek.
  private func passing(_ change: (PlaybackStream) -> Void) throws -> PlaybackOwner {
    let stream = PlaybackStream(length: 60_000)
    stream.begin = 5_600
    change(stream)
    let owner = try PlaybackOwner(stream)
    PlaybackStream.send(TIMEPLAY_NEW_STREAM, to: owner.playback)
    PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: owner.playback, from: owner.ns(5_600))
    PlaybackDoor(owner.playback).arrive(TIMEPLAY_ARRIVING_SEGMENT)
    return owner
  }

  /// The playback must not request frames before the first frame of the stream.
  @Test func aSeekBelowTheFirstFrameGoesToIt() throws {
    let owner = try passing { $0.mistakesBegin = true }
    owner.start(TIMEDSP_BACKWARD, 0, -1)
    owner.play()
    #expect(owner.heard == (5_600..<60_000).reversed())
  }

  /// If a seek to the first frame of the stream leads past that frame, the playback seeks to an
  /// earlier position.
  @Test func aSeekToTheFirstFrameMissesIt() throws {
    let owner = try passing { $0.lateAtBegin = 700 }
    owner.start(TIMEDSP_BACKWARD, 0, -1)
    owner.play()
    #expect(owner.heard == (5_600..<60_000).reversed())
  }

  /// The playback must not assume that a stream begins at the target of a seek, nor that a second
  /// stream begins at the start of its segment.
  @Test func whereASeekHasLedToIsNoBeginning() throws {
    let sought = try PlaybackOwner(PlaybackStream(length: 30_000))
    sought.start(TIMEDSP_BACKWARD, behindSeekTo: 10_000)
    sought.seek(TIMEDSP_BACKWARD, 0, 20_000)
    sought.play()
    #expect(sought.heard == (0..<20_000).reversed())

    let owner = try passing { $0.begin = 0 }
    PlaybackStream.send(TIMEPLAY_NEW_STREAM, to: owner.playback)
    PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: owner.playback)
    owner.start(TIMEDSP_BACKWARD, 0, -1)
    owner.play()
    #expect(owner.heard == (0..<60_000).reversed())
  }

  /// The application seeks to the duration that upstream reports, but the stream has more frames
  /// after that position. They must be played, too.
  @Test func aSeekToTheDurationIsOneToTheEnd() throws {
    let stream = PlaybackStream(length: 30_000)
    stream.durationNs = timeNs(of: 29_000, rate: stream.rate)
    let owner = try PlaybackOwner(stream)
    owner.start(TIMEDSP_BACKWARD, 0, 29_000)
    #expect(PlaybackDoor(owner.playback).state.position_ns == stream.durationNs)
    owner.play()
    #expect(owner.heard == (0..<30_000).reversed())
    owner.forgetHeard()
    owner.seek(TIMEDSP_BACKWARD, 0, 28_999)
    owner.play()
    #expect(owner.heard == (0..<28_999).reversed())
  }
}
