// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Tests the output of a stream, for all kinds of upstreams.
@Suite struct PlaybackTests {
  /// A stream from a faulty upstream: after a seek, up to 1 s of audio is wrong, and frame numbers
  /// are wrong by up to 900 frames.
  private func faulty(_ length: Int64, _ generator: inout SplitMix) -> PlaybackStream {
    let stream = PlaybackStream(length: length, seed: generator.next())
    stream.settling = 8_000
    stream.farthest = 900
    stream.longestBuffer = [1, 100, 1_152, 5_000].randomElement(using: &generator) ?? 1
    return stream
  }

  private enum Estimate: CaseIterable { case right, tooShort, tooLong, farTooLong, absent }

  @Test(arguments: 0..<5)
  func everyFrameIsOutputOnceInFallingOrder(which: Int) throws {
    var generator = SplitMix(seed: 10 + UInt64(which))
    for length in [0, 1, 2, 700, 8_000, 23_456, 50_000] as [Int64] {
      let stream = faulty(length, &generator)
      let error = Int64.random(in: 1...5_000, using: &generator)
      let estimate: Int64 =
        switch Estimate.allCases[which] {
        case .right: length
        case .tooShort: max(length - error, 0)
        case .tooLong: length + error
        case .farTooLong: length + error << 20
        case .absent: 0
        }
      stream.durationNs = estimate == 0 ? .max : timeNs(of: estimate, rate: stream.rate)
      let owner = try PlaybackOwner(stream)
      owner.start(TIMEDSP_BACKWARD, 0, -1)
      owner.play()
      #expect(owner.action.kind == TIMEPLAY_END, "\(length) frames")
      #expect(owner.heard == (0..<length).reversed(), "\(length) frames")
    }
  }

  @Test func everyFrameIsOutputOnceInRisingOrder() throws {
    var generator = SplitMix(seed: 20)
    for length in [0, 1, 700, 23_456, 50_000] as [Int64] {
      let owner = try PlaybackOwner(faulty(length, &generator))
      owner.start(TIMEDSP_FORWARD, 0, -1)
      owner.play()
      #expect(owner.action.kind == TIMEPLAY_END, "\(length) frames")
      #expect(owner.heard == Array(0..<length), "\(length) frames")
    }
  }

  @Test func aDecoderThatSettlesSlowlyWidensThePreroll() throws {
    for seed in 0..<6 as Range<UInt64> {
      let stream = PlaybackStream(length: 60_000, seed: seed)
      stream.settling = 30_000
      let owner = try PlaybackOwner(stream)
      owner.start(TIMEDSP_BACKWARD, 0, -1)
      owner.play()
      #expect(owner.heard == (0..<60_000).reversed(), "seed \(seed)")
    }
  }

  /// A ping-pong loop has changed the direction of playback, but not the property `direction`.
  /// Setting the property to its current value changes the direction of playback again.
  @Test(arguments: [TIMEDSP_FORWARD, TIMEDSP_BACKWARD])
  func aPingPongIsTurnedBackByTheDirectionThatIsSet(_ direction: TimeDSPDirection) throws {
    let owner = try ownerAtSeam(TIMEDSP_LOOP_PING_PONG, direction)
    let isForward = direction == TIMEDSP_FORWARD
    owner.play(atMost: 5_000)
    let count = Int64(owner.heard.count)
    let edge: Int64 = isForward ? 49_999 : 20_000
    #expect(owner.heard.last == (isForward ? edge - count : edge + count))
    // moving a marker and moving it back does not change the direction
    owner.settings.loop_start_ns = owner.ns(20_001)
    owner.settings.loop_start_ns = owner.ns(20_000)
    owner.forgetHeard()
    owner.play(atMost: 400)
    let (last, more) = (owner.heard.last ?? 0, Int64(owner.heard.count))
    #expect(last == (isForward ? edge - count - more : edge + count + more))
    owner.turn(direction)
    owner.forgetHeard()
    owner.play(atMost: 2_000)
    #expect(
      owner.heard.prefix(2_000).elementsEqual(
        (1...2_000).map { isForward ? last + $0 : last - $0 }))
  }

  /// The direction changes while the first block of the next pass of a loop is being fetched. No
  /// frame of that pass has been output, so playback goes back over the previous pass.
  @Test(arguments: [TIMEDSP_FORWARD, TIMEDSP_BACKWARD])
  func aTurnAtTheSeamOfALoopGoesBackOverTheOutput(_ direction: TimeDSPDirection) throws {
    let owner = try ownerAtSeam(TIMEDSP_LOOP_REPEAT, direction)
    let isForward = direction == TIMEDSP_FORWARD
    let edge: Int64 = isForward ? 49_999 : 20_000
    owner.isSlow = true
    while owner.action.kind != TIMEPLAY_FETCH { owner.step() }
    owner.turn(isForward ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD)
    owner.isSlow = false
    owner.play(atMost: 5_000)
    let expected = (1...5_000).map { isForward ? edge - $0 : edge + $0 }
    #expect(owner.heard.prefix(5_000).elementsEqual(expected))
  }

  /// A playback that has played a loop up to a marker, and has not output any frame of the next
  /// pass.
  private func ownerAtSeam(
    _ loop: TimeDSPLoop, _ direction: TimeDSPDirection
  ) throws -> PlaybackOwner {
    let owner = try PlaybackOwner(PlaybackStream(length: 60_000))
    let isForward = direction == TIMEDSP_FORWARD
    owner.settings.max_block_ns = 500_000_000
    owner.settings.loop = loop
    owner.settings.loop_start_ns = owner.ns(20_000)
    owner.settings.loop_stop_ns = owner.ns(50_000)
    owner.start(direction, isForward ? 30_000 : 0, isForward ? -1 : 40_000)
    owner.play(atMost: 20_000)
    #expect(owner.heard.last == (isForward ? 49_999 : 20_000))
    owner.forgetHeard()
    return owner
  }

  /// The direction changes before anything has been output, because the first block does not yet
  /// match the block that precedes it in the stream. So forward playback starts at the target of
  /// the seek.
  @Test func aTurnWhileThePrerollIsWidenedLosesNoFrame() throws {
    let stream = PlaybackStream(length: 60_000)
    stream.settling = 1_000_000
    let owner = try PlaybackOwner(stream)
    owner.start(TIMEDSP_BACKWARD, 0, 40_000)
    while !owner.reports.contains(TIMEPLAY_PREROLL_WIDENED) { owner.step() }
    #expect(owner.heard.isEmpty)
    stream.settling = 0
    owner.turn(TIMEDSP_FORWARD)
    owner.play()
    #expect(owner.heard == Array(40_000..<60_000))
  }

  /// If a block does not match the block that precedes it in the stream, the later block may be
  /// fetched again only in reverse. In forward direction, its frames have already been output.
  @Test func aRunThatDoesNotFitMovesNothingThatGoesForward() throws {
    // the last buffer of the stream has only one frame
    let stream = PlaybackStream(length: 20_000)
    let owner = try PlaybackOwner(stream)
    owner.start(TIMEDSP_FORWARD, 19_679, -1)
    owner.play(atMost: 320)
    #expect(owner.heard.last == 19_998)
    stream.settling = 100_000
    owner.isSlow = true
    owner.turn(TIMEDSP_BACKWARD)
    while owner.action.kind != TIMEPLAY_FETCH { owner.step() }
    owner.turn(TIMEDSP_FORWARD)
    owner.isSlow = false
    owner.play()
    #expect(owner.reports.contains(TIMEPLAY_PREROLL_WIDENED))
    #expect(owner.heard == Array(19_679..<20_000))
  }

  // ---- errors ----

  /// Plays a stream that ends early. Returns the playback's reports about this: the frame at which
  /// the stream ends, and the declared duration in seconds.
  private func wordOfTheEnd(
    _ direction: TimeDSPDirection, from start: Int64 = 0, to stop: Int64 = -1,
    stated frames: Int64, changesBy driftNs: UInt64 = 0
  ) throws -> [String] {
    let stream = PlaybackStream(length: 15_000)
    stream.durationNs = timeNs(of: frames, rate: stream.rate)
    let owner = try PlaybackOwner(stream)
    owner.start(direction, start, stop)
    stream.durationNs += driftNs
    owner.play()
    let played = start..<(stop == -1 ? stream.length : stop)
    #expect(owner.heard == (direction == TIMEDSP_FORWARD ? Array(played) : played.reversed()))
    return owner.words
  }

  @Test(arguments: [TIMEDSP_FORWARD, TIMEDSP_BACKWARD])
  func anEndBeforeTheStatedOneIsReported(_ direction: TimeDSPDirection) throws {
    #expect(try wordOfTheEnd(direction, stated: 20_000) == ["15000, 2.5"])
    // The declared duration may include frames that encoders add and decoders drop. So the playback
    // does not report if up to 0.5 s are missing.
    #expect(try wordOfTheEnd(direction, stated: 19_001) == ["15000, 2.375125"])
    #expect(try wordOfTheEnd(direction, stated: 19_000) == [])
  }

  @Test(arguments: [TIMEDSP_FORWARD, TIMEDSP_BACKWARD])
  func anEstimateOfTheEndIsNoPromise(_ direction: TimeDSPDirection) throws {
    #expect(try wordOfTheEnd(direction, stated: 20_000, changesBy: 1) == [])
  }

  /// An early end is reported only once. A loop never reaches the end of the stream, so the early
  /// end is not reported at all.
  @Test func anEarlyEndIsReportedOnceAndNotForALoop() throws {
    let stream = PlaybackStream(length: 15_000)
    stream.durationNs = timeNs(of: 20_000, rate: stream.rate)
    let owner = try PlaybackOwner(stream)
    owner.settings.loop = TIMEDSP_LOOP_REPEAT
    owner.settings.loop_start_ns = owner.ns(1_000)
    owner.settings.loop_stop_ns = owner.ns(5_000)
    owner.start(TIMEDSP_FORWARD, 2_000, -1)
    owner.play(atMost: 20_000)
    #expect(owner.words == [])
    owner.settings.loop = TIMEDSP_LOOP_NONE
    for _ in 0..<2 {
      owner.play()
      owner.seek(TIMEDSP_BACKWARD, 0, 20_000)
      owner.play()
      owner.seek(TIMEDSP_FORWARD, 1_000, -1)
    }
    #expect(owner.words == ["15000, 2.5"])
  }

  @Test func runsThatDifferAreAnErrorWhereTheyHaveToBeExact() throws {
    // The stream is longer than the maximum preroll. Otherwise a run could begin at the beginning
    // of the stream, from where all samples are correct.
    let stream = PlaybackStream(length: 161_000)
    let owner = try PlaybackOwner(stream)
    owner.settings.exact = 1
    owner.start(TIMEDSP_BACKWARD, 0, 160_000)
    owner.play(atMost: 1_000)
    stream.settling = 10_000_000
    owner.play()
    #expect(owner.reports.last == TIMEPLAY_NOT_EXACT)
    let count = Int64(owner.heard.count)
    #expect(owner.heard == (160_000 - count..<160_000).reversed())
  }

  // ---- times ----

  /// Compares timestamps and segments with the position of each frame in the stream.
  @Test(arguments: [1.0, 0.5, 3.0])
  func timesAreThoseOfTheFrames(rate: Double) throws {
    let stream = PlaybackStream(length: 40_000, rate: 44_100)
    stream.durationNs = timeNs(of: 40_000, rate: 44_100)
    let owner = try PlaybackOwner(stream, fromNs: 77)
    owner.start(TIMEDSP_FORWARD, 3_000, -1, rate: rate)
    owner.play(atMost: 9_000)
    owner.turn(TIMEDSP_BACKWARD)
    owner.play(atMost: 13_000)
    owner.resume(TIMEDSP_FORWARD, rate: rate)
    owner.play()
    #expect(owner.action.kind == TIMEPLAY_END)
    var count = 0
    for (segment, frames) in owner.buffers {
      // running time continues from frame to frame, for any segment
      let running = Double(frames.start_ns - segment.start_ns) / rate + Double(segment.base_ns)
      let expected = Double(count) * 1e9 / 44_100 / rate
      #expect(abs(running - expected) <= 3)
      #expect(frames.start_ns + frames.duration_ns <= segment.stop_ns)
      // in reverse, stream time is counted down from the stop
      let offset = frames.start_ns - segment.start_ns
      let isBackward = segment.direction == TIMEDSP_BACKWARD
      let heard = owner.heard[count]
      let place = isBackward ? segment.stop_ns - offset : segment.start_ns + offset
      let frame = timeNs(of: isBackward ? heard + 1 : heard, rate: 44_100)
      #expect(abs(Int64(place) - Int64(frame)) <= 3)
      #expect(frames.offset_frames == UInt64(count))
      count += frames.frames
    }
    #expect(count == owner.heard.count)
  }

  @Test func onlyAFreshBeginningIsADiscontinuity() throws {
    let owner = try PlaybackOwner(PlaybackStream(length: 30_000))
    owner.start(TIMEDSP_FORWARD, 0, -1)
    owner.play(atMost: 1_000)
    owner.turn(TIMEDSP_BACKWARD)
    owner.play(atMost: 1_500)
    owner.seek(TIMEDSP_FORWARD, 9_000, -1)
    owner.play(atMost: 3_000)
    let marked = owner.buffers.filter { $0.frames.discont != 0 }.map(\.frames.start_ns)
    #expect(marked == [0, 1_125_000_000])
  }

}
