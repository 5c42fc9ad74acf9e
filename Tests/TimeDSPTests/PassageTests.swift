// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Tests how a playback handles a stream that it does not play, or does not play yet, depending on
/// the mode.
@Suite struct PassageTests {
  private let segment = TIMEPLAY_ARRIVING_SEGMENT
  private let buffer = TIMEPLAY_ARRIVING_BUFFER
  private let end = TIMEPLAY_ARRIVING_END

  /// Returns a playback with these settings, and the object that reports arriving data to the
  /// playback.
  private func owner(
    _ mode: TimePlayMode = TIMEPLAY_MODE_AUTO, _ direction: TimeDSPDirection = TIMEDSP_BACKWARD,
    _ loop: TimeDSPLoop = TIMEDSP_LOOP_NONE
  ) throws -> (owner: PlaybackOwner, door: PlaybackDoor) {
    let owner = try PlaybackOwner(PlaybackStream(length: 30_000))
    set(owner, mode, direction, loop)
    return (owner, PlaybackDoor(owner.playback))
  }

  private func set(
    _ owner: PlaybackOwner, _ mode: TimePlayMode, _ direction: TimeDSPDirection,
    _ loop: TimeDSPLoop
  ) {
    (owner.settings.mode, owner.settings.direction, owner.settings.loop) = (mode, direction, loop)
    timeplay_configure(owner.playback, &owner.settings)
  }

  struct Choice: CustomTestStringConvertible {
    var mode: TimePlayMode
    var direction: TimeDSPDirection
    var loop = TIMEDSP_LOOP_NONE
    var source = TIMEPLAY_SOURCE_SEEKS
    var ways: [TimePlayWay]

    var testDescription: String {
      "mode \(mode.rawValue), direction \(direction.rawValue), loop \(loop.rawValue), "
        + "source \(source.rawValue)"
    }
  }

  private static let modes = [
    TIMEPLAY_MODE_AUTO, TIMEPLAY_MODE_SEEK, TIMEPLAY_MODE_COLLECT, TIMEPLAY_MODE_CHUNK,
  ]

  private static func backward(
    _ mode: TimePlayMode, _ loop: TimeDSPLoop, _ source: TimePlaySource, _ ways: TimePlayWay...
  ) -> Choice {
    Choice(mode: mode, direction: TIMEDSP_BACKWARD, loop: loop, source: source, ways: ways)
  }

  private static func forward(
    _ mode: TimePlayMode, _ loop: TimeDSPLoop, _ source: TimePlaySource, _ ways: TimePlayWay...
  ) -> Choice {
    Choice(mode: mode, direction: TIMEDSP_FORWARD, loop: loop, source: source, ways: ways)
  }

  /// The expected decisions, according to the documentation of the properties `mode` and `loop`.
  static let choices: [Choice] = {
    let (none, repeats) = (TIMEDSP_LOOP_NONE, TIMEDSP_LOOP_REPEAT)
    let (seeks, refuses) = (TIMEPLAY_SOURCE_SEEKS, TIMEPLAY_SOURCE_REFUSES)
    let asks = TIMEPLAY_ASKS_SOURCE
    let (auto, seek) = (TIMEPLAY_MODE_AUTO, TIMEPLAY_MODE_SEEK)
    let (collect, chunk) = (TIMEPLAY_MODE_COLLECT, TIMEPLAY_MODE_CHUNK)
    return modes.map { forward($0, none, seeks, TIMEPLAY_PASSES) } + [
      forward(collect, repeats, seeks, TIMEPLAY_PASSES),
      forward(chunk, repeats, seeks, TIMEPLAY_PASSES),
      backward(auto, none, seeks, asks, TIMEPLAY_WAITS),
      backward(seek, none, seeks, asks, TIMEPLAY_WAITS),
      backward(collect, none, seeks, TIMEPLAY_ASKS_LIVE, TIMEPLAY_COLLECTS),
      backward(collect, repeats, seeks, TIMEPLAY_ASKS_LIVE, TIMEPLAY_COLLECTS),
      backward(chunk, none, seeks, TIMEPLAY_CHUNKS),
      backward(chunk, repeats, seeks, TIMEPLAY_CHUNKS),
      forward(auto, repeats, seeks, asks, TIMEPLAY_WAITS),
      forward(seek, repeats, seeks, asks, TIMEPLAY_WAITS),
      backward(auto, none, refuses, asks, TIMEPLAY_ASKS_LIVE, TIMEPLAY_COLLECTS),
      backward(
        auto, repeats, refuses, asks, TIMEPLAY_WARNS_UNLOOPED, TIMEPLAY_ASKS_LIVE,
        TIMEPLAY_COLLECTS),
      backward(
        seek, none, TIMEPLAY_SOURCE_DIFFERS, asks, TIMEPLAY_WARNS_COLLECTED, TIMEPLAY_ASKS_LIVE,
        TIMEPLAY_COLLECTS),
      backward(
        seek, repeats, refuses, asks, TIMEPLAY_WARNS_UNLOOPED, TIMEPLAY_ASKS_LIVE,
        TIMEPLAY_COLLECTS),
      forward(
        auto, repeats, TIMEPLAY_SOURCE_LACKS_TIMES, asks, TIMEPLAY_WARNS_UNLOOPED,
        TIMEPLAY_PASSES),
      forward(seek, repeats, refuses, asks, TIMEPLAY_WARNS_UNLOOPED, TIMEPLAY_PASSES),
    ]
  }()

  @Test(arguments: choices)
  func aSegmentIsHandledAsThePropertiesAndTheSourceAllow(_ choice: Choice) throws {
    var (owner, door) = try owner(choice.mode, choice.direction, choice.loop)
    door.source = choice.source
    #expect(door.ways(segment) == choice.ways)
    let phase = [
      TIMEPLAY_PASSES: TIMEPLAY_PASSING, TIMEPLAY_COLLECTS: TIMEPLAY_COLLECTING,
      TIMEPLAY_CHUNKS: TIMEPLAY_CHUNKING, TIMEPLAY_WAITS: TIMEPLAY_AWAITING,
    ]
    #expect(timeplay_phase(owner.playback) == choice.ways.last.flatMap { phase[$0] })
  }

  /// The segment has a negative rate, so upstream already delivers it backwards.
  @Test(arguments: modes)
  func aSegmentThatFlipsPassesAndNothingIsAsked(_ mode: TimePlayMode) throws {
    var (owner, door) = try owner(mode, TIMEDSP_BACKWARD, TIMEDSP_LOOP_REPEAT)
    door.flips = true
    #expect(door.ways(segment) == [TIMEPLAY_PASSES])
    #expect(door.ways(buffer) == [TIMEPLAY_PASSES])
    _ = owner
  }

  @Test func aPassingStreamIsTurnedAroundWhenDirectionIsSet() throws {
    let (owner, door) = try owner(TIMEPLAY_MODE_AUTO, TIMEDSP_FORWARD)
    door.arrive(segment)
    #expect(door.ways(buffer) == [TIMEPLAY_PASSES])
    set(owner, TIMEPLAY_MODE_AUTO, TIMEDSP_BACKWARD, TIMEDSP_LOOP_NONE)
    #expect(door.ways(buffer) == [TIMEPLAY_ASKS_SOURCE, TIMEPLAY_STARTS])
    for mode in [TIMEPLAY_MODE_COLLECT, TIMEPLAY_MODE_CHUNK] {
      set(owner, mode, TIMEDSP_BACKWARD, TIMEDSP_LOOP_REPEAT)
      #expect(door.ways(buffer) == [TIMEPLAY_PASSES])
    }
  }

  /// If the end of the stream is not known yet, at most 4 s of audio or 1000 buffers are held back.
  @Test(arguments: [(1_000, 32), (4_000, 8), (1, 1_000)] as [(UInt64, Int)])
  func aStreamWaitsForItsEndToBeKnown(frames: UInt64, count: Int) throws {
    for insists in [false, true] {
      var (owner, door) = try owner(insists ? TIMEPLAY_MODE_SEEK : TIMEPLAY_MODE_AUTO)
      (door.ends, door.frames) = (false, frames)
      for _ in 0..<2 {
        door.arrive(segment)  // a new segment drops the audio that was held back
        for _ in 1..<count {
          #expect(door.ways(buffer) == [TIMEPLAY_ASKS_END, TIMEPLAY_WAITS])
        }
      }
      #expect(door.state.is_waiting == 1)
      let last = insists ? [TIMEPLAY_STARTS] : [TIMEPLAY_ASKS_LIVE, TIMEPLAY_COLLECTS]
      #expect(door.ways(buffer) == [TIMEPLAY_ASKS_END] + last)
      _ = owner
    }
  }

  /// Upstream has no audio after the target of a seek. The playback must not treat the stream as
  /// empty, because there is audio before the target.
  @Test(arguments: [TIMEPLAY_MODE_AUTO, TIMEPLAY_MODE_SEEK])
  func aStreamThatEndsAtASeekTargetIsPlayed(_ mode: TimePlayMode) throws {
    let target: Int64 = 30_000
    for (direction, loop) in [
      (TIMEDSP_BACKWARD, TIMEDSP_LOOP_NONE), (TIMEDSP_FORWARD, TIMEDSP_LOOP_REPEAT),
    ] {
      let (owner, door) = try owner(mode, direction, loop)
      PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: owner.playback)
      door.arrive(segment)
      #expect(door.ways(end) == [TIMEPLAY_ASKS_LIVE, TIMEPLAY_COLLECTS])
      PlaybackStream.send(TIMEPLAY_NEW_SEGMENT, to: owner.playback, from: owner.ns(target))
      door.arrive(segment)
      #expect(door.ways(end) == [TIMEPLAY_ASKS_END, TIMEPLAY_STARTS])
      owner.start(from: target, seqnum: 1)
      PlaybackStream.send(TIMEPLAY_STREAM_END, to: owner.playback)
      owner.play(atMost: Int(target))
      let isForward = direction == TIMEDSP_FORWARD
      let frames: [Int64] = isForward ? Array(0..<target) : (0..<target).reversed()
      #expect(Array(owner.heard.prefix(Int(target))) == frames)
    }
  }
}
