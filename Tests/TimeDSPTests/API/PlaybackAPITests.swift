// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing
import TimeDSP

/// Feeds a playback as an application does, and compares its output with the input array.
@Suite struct PlaybackAPITests {
  /// All output up to the end of the stream, or at least `frames` frames of output, in whole
  /// buffers.
  private func heard(
    _ playback: inout Playback<Float>, from reader: OddReader, atLeast frames: Int = .max
  ) throws -> [Float] {
    var heard: [Float] = []
    while heard.count / reader.channels < frames,
      let samples = try playback.next(reading: reader.block)
    {
      heard += samples
    }
    return heard
  }

  /// Expects equal arrays. Reports only the first difference, instead of both arrays.
  private func expect<Sample: Equatable>(
    _ heard: [Sample], _ expected: [Sample], _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    guard heard != expected else { return }
    let place = zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset
    let difference = place.map { "sample \($0) differs" } ?? "\(heard.count) of \(expected.count)"
    Issue.record("\(difference); \(comment?.rawValue ?? "")", sourceLocation: location)
  }

  /// A reader that behaves like an MP3 decoder: some frames after a seek are wrong, and frame
  /// numbers may be up to `farthest` frames too high or too low.
  private func reader(
    _ frames: Int, channels: Int = 2, farthest: Int = 0, seed: UInt64 = 1
  ) -> OddReader {
    let reader = OddReader(frames: frames, channels: channels, seed: seed)
    (reader.blockFrames, reader.grid, reader.jitter) = (1152, 1152, farthest)
    // the decoder needs one or two packets to settle
    reader.settling = 2_000
    return reader
  }

  private func playback(
    _ reader: OddReader, _ direction: Direction = .backward, isLengthKnown: Bool = true,
    _ options: PlaybackOptions = PlaybackOptions()
  ) throws -> Playback<Float> {
    try Playback(
      sampleRate: 8_000, channels: reader.channels, frames: isLengthKnown ? reader.length : nil,
      direction: direction, options: options)
  }

  @Test func everySeamIsVerified() throws {
    let reader = reader(100_000, farthest: 600)
    var playback = try playback(reader)
    _ = try heard(&playback, from: reader)
    let counts = playback.statistics
    #expect(counts.blocks > 5)
    #expect(counts.seamsVerified + counts.seamsAligned == counts.blocks - 1)
    #expect(counts.seamsAligned > 0)
  }

  /// The length may be an estimate that is wrong in any way.
  @Test(arguments: [0, 1, 2, 700, 8_000, 23_456, 50_000])
  func everyFrameOfAnyLengthIsOutputOnce(frames: Int) throws {
    let estimates = [frames, frames / 2, frames + 5_000, frames + 5 << 30, nil]
    for (seed, estimate) in estimates.enumerated() {
      for direction in [Direction.forward, .backward] {
        let reader = reader(frames, channels: 1, farthest: 900, seed: UInt64(seed))
        reader.settling = 8_000
        reader.blockFrames = [1, 100, 1_152, 5_000, 700][seed]
        var playback = try Playback<Float>(
          sampleRate: 8_000, frames: estimate, direction: direction)
        let heard = try heard(&playback, from: reader)
        let expected = direction == .forward ? reader.audio : reader.audio.reversed()
        expect(heard, expected, "\(direction), \(estimate ?? -1)")
      }
    }
  }

  @Test func aDecoderThatSettlesSlowlyIsReadFromFartherBack() throws {
    for seed in 0..<6 as Range<UInt64> {
      let reader = reader(60_000, seed: seed)
      reader.settling = 30_000
      var playback = try playback(reader)
      expect(try heard(&playback, from: reader), reader.audio.framesReversed(2))
    }
  }

  @Test func wholeNumbersAreOutputUnchanged() throws {
    let audio = (0..<50_000).map { Int16(truncatingIfNeeded: $0 &* 40_503) }
    var playback = try Playback<Int16>(sampleRate: 44_100, frames: 50_000, direction: .backward)
    var heard: [Int16] = []
    while let samples = try playback.next(reading: { frame in
      AudioBlock(at: frame, Array(audio[min(frame, 50_000)..<min(frame + 1_000, 50_000)]))
    }) { heard += samples }
    expect(heard, audio.reversed())
  }

  // ---- direction, position, loops ----

  /// `PlaybackModelTests` compares the frames.
  @Test(arguments: [Direction.forward, .backward])
  func thePositionFollowsTheOutput(direction: Direction) throws {
    let reader = reader(80_000)
    var playback = try playback(reader, direction)
    playback.seek(to: 30_000)
    let sought = playback.position
    #expect(sought == 30_000)
    let count = try heard(&playback, from: reader, atLeast: 500).count / 2
    let position = playback.position
    #expect(position == (direction == .forward ? 30_000 + count : 30_000 - count))
  }

  /// Answers requests until the reader has seeked `seeks` times. Returns the samples that are played
  /// meanwhile.
  private func heard(
    _ playback: inout Playback<Float>, from reader: OddReader, untilSeeks seeks: Int
  ) throws -> [Float] {
    var heard: [Float] = []
    while reader.seeks.count < seeks {
      switch try playback.next() {
      case .play(let samples): heard += samples
      case .end: return heard
      case .read(let frame):
        let block = try reader.block(frame)
        try playback.append(block?.samples ?? [], at: block?.frame ?? frame)
      }
    }
    return heard
  }

  /// The direction changes before anything has been output, because the first block does not match
  /// the block before it. So forward playback begins at the target of the seek.
  @Test func aTurnWhileBlocksDoNotMatchLosesNoFrame() throws {
    let reader = reader(60_000, channels: 1)
    reader.settling = .max / 4
    var playback = try playback(reader)
    playback.seek(to: 40_000)
    #expect(try heard(&playback, from: reader, untilSeeks: 3) == [])
    reader.settling = 0
    playback.direction = .forward
    expect(try heard(&playback, from: reader), Array(reader.audio[40_000...]))
  }

  /// If a block does not match the block before it, the later block may be read again only in
  /// reverse. In forward direction, its frames have already been output.
  @Test func aBlockThatDoesNotMatchMovesNothingForward() throws {
    let reader = OddReader(frames: 20_000)
    reader.blockFrames = 20_000
    var playback = try playback(reader, .forward)
    playback.seek(to: 19_679)
    // all frames but the last one
    var all = try heard(&playback, from: reader, atLeast: 320)
    reader.settling = .max / 4
    playback.direction = .backward
    all += try heard(&playback, from: reader, untilSeeks: reader.seeks.count + 1)
    playback.direction = .forward
    all += try heard(&playback, from: reader)
    expect(all, Array(reader.audio[19_679...]))
  }

  @Test(arguments: [0, 1, 3_000, 5_600])
  func nothingIsPlayedInReverseBeforeTheFirstFrame(place: Int) throws {
    let reader = OddReader(frames: 20_000)
    reader.late = { max(5_600 - $0, 0) }
    for hasBegun in [false, true] {
      var playback = try playback(reader)
      if hasBegun { _ = try heard(&playback, from: reader, atLeast: 15_000) }
      playback.seek(to: place)
      #expect(try heard(&playback, from: reader) == [])
    }
  }

  @Test func audioInMemoryIsNotReadAgain() throws {
    let reader = reader(60_000)
    var playback = try playback(reader)
    playback.seek(to: 30_000)
    _ = try heard(&playback, from: reader, atLeast: 6_000)
    let count = reader.reads
    playback.seek(to: playback.position + 300)
    _ = try heard(&playback, from: reader, atLeast: 1)
    #expect(reader.reads == count)
  }

  // ---- errors ----

  @Test func aDecoderThatNeverRepeatsItselfIsFadedOrRefused() throws {
    // The stream is longer than the maximum preroll. Otherwise the decoder could start at the
    // beginning of the stream, from where it always returns the same samples.
    let reader = reader(200_000)
    reader.settling = .max / 4
    var options = PlaybackOptions()
    var smooth = try playback(reader, options)
    let heard = try heard(&smooth, from: reader)
    #expect(heard.count == reader.audio.count)
    let counts = smooth.statistics
    #expect(counts.seamsFaded > 0 && counts.seamsUnlike > 0)

    options.mayFade = false
    var exact = try playback(reader, options)
    #expect(throws: TimeDSPError.seamNotExact) { try self.heard(&exact, from: reader) }
    // after the error, playback has stopped; it resumes at a new position
    let end = try exact.next()
    #expect(end == .end)
    reader.settling = 0
    exact.seek(to: 8_000)
    let again = try self.heard(&exact, from: reader)
    expect(again, Array(reader.audio[..<16_000]).framesReversed(2))
  }

  private func playback(
    _ reader: OddReader, _ options: PlaybackOptions
  ) throws -> Playback<Float> {
    try playback(reader, .backward, isLengthKnown: true, options)
  }

  @Test func audioThatIsGoneIsAnError() throws {
    let reader = reader(100_000)
    var playback = try playback(reader)
    _ = try heard(&playback, from: reader, atLeast: 20_000)
    reader.length = 30_000
    #expect {
      _ = try heard(&playback, from: reader)
    } throws: { error in
      guard case TimeDSPError.endedEarly(let frames) = error else { return false }
      return frames > 0
    }
  }

  private struct Unreadable: Error {}

  @Test func errorsOfTheReaderAreRethrownAndNothingIsLost() throws {
    let reader = reader(50_000, farthest: 600)
    var playback = try playback(reader)
    var calls = 0
    var heard: [Float] = []
    var failures = 0
    while true {
      do {
        let samples = try playback.next { frame in
          calls += 1
          if calls % 5 == 0 { throw Unreadable() }
          return try reader.block(frame)
        }
        guard let samples else { break }
        heard += samples
      } catch is Unreadable {
        failures += 1
      }
    }
    #expect(failures > 5)
    expect(heard, reader.audio.framesReversed(2))
  }

  @Test func whatCannotBeIsRefused() throws {
    #expect(throws: TimeDSPError.badSampleRate) { _ = try Playback<Float>(sampleRate: 0) }
    #expect(throws: TimeDSPError.badChannels) {
      _ = try Playback<Float>(sampleRate: 48_000, channels: 1_025)
    }
    #expect(throws: TimeDSPError.badFrameCount) {
      _ = try Playback<Float>(sampleRate: 48_000, frames: -1)
    }
    var playback = try Playback<Float>(sampleRate: 48_000, channels: 2)
    #expect(throws: TimeDSPError.badLength) { try playback.append([1, 2, 3], at: 0) }
    #expect(throws: TimeDSPError.badLength) { try playback.append([1, 2], at: .min) }
    // a position or a loop outside the stream must not trap
    playback.loop = .repeating(.min ..< .max)
    playback.seek(to: .min)
    playback.seek(to: .max)
    _ = try playback.next()
  }

  @Test func everyErrorIsASentence() {
    let errors: [TimeDSPError] = [
      .badChannels, .badFrameSize, .badLength, .badFactor, .badQuality, .badSampleRate,
      .badOutput, .badFrameCount, .noAudio, .finished, .noMemory, .seamNotExact,
      .audioMissing, .endedEarly(frames: 3), .readerStuck(frame: 3),
    ]
    for error in errors {
      let text = "\(error)"
      #expect(text.hasSuffix(".") && text.contains(" "))
    }
  }
}
