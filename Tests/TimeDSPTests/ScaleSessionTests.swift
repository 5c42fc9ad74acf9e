// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

private let second: UInt64 = 1_000_000_000

/// The decisions of `timescale`, tested without a pipeline.
@Suite struct ScaleSessionTests {
  /// Requires `count` runs of output. A run is a series of buffers whose timestamps are contiguous.
  private func expectRuns(
    _ owner: ScaleOwner, _ count: Int, at line: SourceLocation = #_sourceLocation
  ) {
    #expect(owner.stamps.filter { $0.discont != 0 }.count == count, sourceLocation: line)
    for (last, next) in zip(owner.stamps, owner.stamps.dropFirst()) where next.discont == 0 {
      #expect(next.pts_ns == last.pts_ns + last.duration_ns, sourceLocation: line)
      #expect(next.offset == last.offset_end, sourceLocation: line)
    }
  }

  @Test func `A segment lasts as long as its output`() throws {
    let owner = try ScaleOwner(factor: 1.5)
    var segment = TimeSegment.whole
    (segment.rate, segment.stop, segment.time) = (2, 4 * second, 0)
    owner.begin(segment)
    let sent = try #require(owner.segments.first)
    // the stop is multiplied by 1.5 / 2, and the rate becomes the applied rate
    #expect(sent.rate == 1 && sent.applied_rate == 2 && sent.stop == 3 * second)
  }

  /// The change of the factor begins at an output frame whose position lies between two input
  /// frames. The number of output frames follows from the mean speed during the change.
  @Test func `A factor that is set while it plays takes effect in the next buffer`() throws {
    let owner = try ScaleOwner(factor: 2)
    owner.begin()
    owner.feed(800)
    owner.settings.factor = 1.5
    owner.feed(800)
    owner.end()
    // the change takes 5 ms, which is 40 input frames; it begins at the next output frame, at the
    // input position 799.5
    let meanSpeed = (0.5 + 1 / 1.5) / 2
    let expected: Double = 2 * 799.5 + 40 / meanSpeed + 1.5 * 760.5
    #expect(abs(Double(owner.made.count) - expected) <= 1)
    #expect(owner.kinds.filter { $0 == TIMESCALE_DURATION_CHANGED }.count == 1)
    expectRuns(owner, 1)
  }

  @Test func `A rate in mid-stream begins a segment with a frame`() throws {
    let owner = try ScaleOwner()
    owner.begin()
    owner.feed(800)
    #expect(owner.changeRate(2))
    owner.feed(800)
    owner.end()
    let sent = try #require(owner.segments.last)
    #expect(owner.segments.count == 2 && sent.applied_rate == 2 && sent.start == second / 10)
    #expect(sent.base == second / 10 && sent.time == second / 10)
    #expect(owner.stamps.contains { $0.pts_ns == sent.start })
    #expect(!owner.changeRate(0) && !owner.changeRate(-1))
  }

  /// A curve is read for the beginning of the stream. Then, as each step of 5 ms of input begins,
  /// the curve is read for the end of that step.
  @Test func `Curves are read where they hold`() throws {
    let owner = try ScaleOwner()
    owner.curve = { 1 + Double($0) / Double(second) }
    owner.begin()
    for frames in [30, 10, 170, 400, 190] { owner.feed(frames) }
    owner.end()
    let read = owner.said.filter { $0.kind == TIMESCALE_READ_CURVES }.map(\.time_ns)
    #expect(read.count == 21)
    for (step, time) in read.enumerated() {
      // the next output frame does not coincide with an input frame
      #expect(time.distance(to: UInt64(step) * 5_000_000).magnitude < 2 * ScaleOwner.frameNs)
    }
    // the integral of the factor 1 + t over 0.1 s
    #expect(abs(Double(owner.made.count) - 8000 * 0.105) <= 2)
    expectRuns(owner, 1)
  }

  @Test func `Endpoints are kept until the stream ends`() throws {
    let owner = try ScaleOwner(factor: 0.5)
    owner.settings.alignment = TIMESCALE_ENDPOINTS
    owner.begin()
    for _ in 0..<3 { owner.feed(333) }
    #expect(owner.made.isEmpty)
    owner.end()
    #expect(owner.made.count == 499 && owner.made.first == 0 && owner.made.last == 998)
    #expect(owner.kinds.filter { $0 == TIMESCALE_LOAD }.count == 4)
    #expect(owner.kinds.last == TIMESCALE_FORGET)
    expectRuns(owner, 1)
    // if the pitch does not follow the speed as with a tape, nothing is kept
    owner.settings.pitch.formant_semitones = 1
    owner.feed(10)
    #expect(owner.kinds.filter { $0 == TIMESCALE_KEEP }.count == 3)
  }

  @Test(arguments: [1, 2])
  func `A gap lies where its audio would`(factor: UInt64) throws {
    let owner = try ScaleOwner(factor: Double(factor))
    owner.begin()
    owner.feed(800)
    owner.sendGap(second)
    owner.feed(800)
    owner.end()
    let gap = try #require(owner.said.first { $0.kind == TIMESCALE_SEND_GAP })
    #expect(gap.time_ns == factor * second / 10 && gap.duration_ns == factor * second)
    let end = gap.time_ns + gap.duration_ns
    #expect(owner.stamps.last { $0.discont != 0 }?.pts_ns == end)
    expectRuns(owner, 2)
  }

  /// The chain that was made for the segment has other settings.
  @Test func `Settings between segment and first buffer apply from the first frame`() throws {
    let owner = try ScaleOwner(factor: 0.5)
    owner.begin()
    owner.settings.factor = 2
    owner.feed(1000)
    owner.end()
    #expect(owner.made.count == 2000 && owner.made.prefix(5) == [0, 0.5, 1, 1.5, 2])
    let other = try ScaleOwner(factor: 0.5)
    other.begin()
    other.settings.alignment = TIMESCALE_ENDPOINTS
    other.feed(999)
    other.end()
    #expect(other.made.count == 499 && other.made.last == 998)
  }

  /// The segment is sent downstream before the chain is made, so settings may change meanwhile.
  @Test func `A factor that is set while the segment is sent applies to all frames`() throws {
    let owner = try ScaleOwner()
    owner.meanwhile = { owner, _ in
      if owner.kinds.last == TIMESCALE_SEND_SEGMENT, owner.settings.factor == 1 {
        owner.settings.factor = 2
      }
    }
    owner.begin()
    owner.feed(1000)
    owner.end()
    #expect(owner.made.count == 2000)
  }

  @Test func `A rate before a segment applies to all frames`() throws {
    let owner = try ScaleOwner()
    #expect(owner.changeRate(2))
    owner.begin()
    owner.feed(1000)
    owner.end()
    #expect(owner.made.count == 500)
  }

  @Test func `A latency is reported once`() throws {
    let owner = try ScaleOwner(factor: 1.5)
    owner.settings.interpolation = TIMEDSP_SINC
    owner.begin()
    for _ in 0..<5 { owner.feed(800) }
    let told = owner.said.filter { $0.kind == TIMESCALE_LATENCY }.map(\.time_ns)
    // the latency is half of a sinc kernel, in whole frames
    #expect(told.count == 1 && told.allSatisfy { $0 > 0 && $0 % ScaleOwner.frameNs == 0 })
  }

  @Test func `A seek is answered exactly`() throws {
    let owner = try ScaleOwner(factor: 3)
    owner.begin()
    var seek = TimeScaleSeek(start_ns: 1000, stop_ns: -1, sets_start: 1, sets_stop: 0)
    owner.session.seek(&seek)
    #expect(seek.start_ns == 333 && seek.stop_ns == -1)
    var segment = TimeSegment.whole
    (segment.start, segment.time) = (333, 333)
    owner.begin(segment)
    #expect(owner.segments.last?.time == 1000)
    // the start is counted from the end
    seek = TimeScaleSeek(start_ns: -3000, stop_ns: -1, sets_start: 0, sets_stop: 0)
    owner.session.seek(&seek)
    #expect(seek.start_ns == -1000)
  }

  @Test func `A failed preparation is an error, once`() throws {
    let owner = try ScaleOwner(factor: 1.5)
    owner.prepared = TIMEDSP_NO_MEMORY
    owner.begin()
    owner.feed(800)
    #expect(owner.kinds.last == TIMESCALE_FAIL && owner.said.last?.status == TIMEDSP_NO_MEMORY)
    owner.end()
    #expect(owner.kinds.filter { $0 == TIMESCALE_FAIL }.count == 1)
    owner.prepared = TIMEDSP_OK
    owner.feed(800)
    owner.end()
    #expect(owner.made.count == 1200)
  }

  /// After a failed push, the rest of the work is abandoned, and the next run begins where the last
  /// one stopped.
  @Test func `A push that fails ends the work`() throws {
    let owner = try ScaleOwner(factor: 2)
    owner.begin()
    owner.feed(800)
    owner.failing = [TIMESCALE_PROCESS]
    owner.feed(800)
    let count = owner.made.count
    #expect(count < 2 * 1600 - 1)
    owner.end()
    expectRuns(owner, 1)
    owner.feed(800)
    owner.end()
    expectRuns(owner, 2)
  }
}

/// Plays a stream again and again. Each time, another thread makes one call during one of the
/// actions.
@Suite struct ScaleSessionExplorerTests {
  private enum Input: CaseIterable {
    case configure, rate, seek, refusedSeek, flush
  }

  /// Plays a stream with a change of the factor, a gap and an end. `meanwhile` is called during
  /// each unfinished action.
  private func play(
    _ pitch: TimePitch, _ meanwhile: @escaping (ScaleOwner, Int) -> Void
  ) throws -> ScaleOwner {
    let owner = try ScaleOwner(factor: 1.25, pitch: pitch)
    owner.meanwhile = meanwhile
    owner.begin()
    owner.feed(1000)
    owner.settings.factor = 0.8
    owner.feed(1000)
    owner.sendGap(second / 10)
    owner.feed(1000, isDiscont: true)
    owner.end()
    return owner
  }

  private func give(_ input: Input, to owner: ScaleOwner) {
    switch input {
    case .configure: owner.settings.factor = 1.7
    case .rate: _ = owner.changeRate(1.5)
    case .seek, .refusedSeek:
      var seek = TimeScaleSeek(start_ns: 5000, stop_ns: -1, sets_start: 1, sets_stop: 0)
      owner.session.seek(&seek)
      if input == .refusedSeek { owner.session.refuseSeek() }
    case .flush: owner.session.flush(everything: false)
    }
  }

  @Test(arguments: [false, true])
  func `No input breaks a stream, whenever it comes`(isKept: Bool) throws {
    var pitch = TimePitch.ofTape
    pitch.kept = isKept ? 1 : 0
    pitch.window = TIMESTRETCH_LOW_LATENCY
    var count = 0
    let plain = try play(pitch) { _, _ in count += 1 }
    for input in Input.allCases {
      for moment in 0..<count {
        let owner = try play(pitch) { owner, action in
          if action == moment { give(input, to: owner) }
        }
        #expect(!owner.kinds.contains { $0 == TIMESCALE_FAIL }, "\(input) \(moment)")
        for (last, next) in zip(owner.stamps, owner.stamps.dropFirst()) where next.discont == 0 {
          #expect(next.pts_ns == last.pts_ns + last.duration_ns, "\(input) \(moment)")
        }
        // a seek has no effect before its segment
        if input == .seek || input == .refusedSeek { #expect(owner.made == plain.made) }
        #expect(owner.isReady)
      }
    }
  }
}
