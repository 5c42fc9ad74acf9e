// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing
import TimeDSP

/// Requirements that hold with every reader: the playback outputs all frames that the reader can
/// return, in order, or reports the missing frames. No playback continues indefinitely.
@Suite struct ReaderLawTests {
  /// Readers that can return every frame from the first one on.
  static let readers: [Kind] = [
    Kind("exact", 0, { _ in }),
    Kind("seeks for each block", 0, { $0.hasNoMemory = true }),
    Kind("off by 1 behind a seek", 0, { $0.jitter = 1 }),
    Kind("off by 600 behind a seek", 0, { $0.jitter = 600 }),
    Kind("rounded", 0, { $0.rounding = 40 }),
    Kind("rounded and off", 0, { ($0.rounding, $0.jitter) = (40, 300) }),
    Kind("late by 1", 1, { $0.late = { _ in 1 } }),
    Kind("late by 300", 300, { $0.late = { _ in 300 } }),
    Kind("late by 3000", 3_000, { $0.late = { _ in 3_000 } }),
    Kind("late by 20000", 20_000, { $0.late = { _ in 20_000 } }),
    Kind("begins at 5600", 5_600, { $0.late = { max(5_600 - $0, 0) } }),
    Kind(
      "begins at 5600, late there", 5_600,
      { $0.late = { $0 == 5_600 ? 700 : max(5_600 - $0, 0) } }),
    Kind("late here and there", 0, { $0.late = { $0 / 100 * 7_919 % 6_000 } }),
    Kind("late but at 0", 0, { $0.late = { $0 == 0 ? 0 : 2_000 } }),
    Kind(
      "a decoder, late and off", 0,
      { ($0.settling, $0.jitter, $0.late) = (2_000, 300, { $0 == 0 ? 0 : 500 }) }),
    Kind("in packets", 0, { ($0.hasNoMemory, $0.grid) = (true, 333) }),
    Kind("back by 1", 0, { ($0.hasNoMemory, $0.back) = (true, 1) }),
    Kind("back by 600", 0, { ($0.hasNoMemory, $0.back) = (true, 600) }),
    Kind("from 0 behind each seek", 0, { $0.grid = .max }),
    Kind("an empty block at the end", 0, { $0.atEnd = AudioBlock(at: 0, []) }),
  ]

  struct Kind: Sendable {
    let name: String
    let first: Int
    let make: @Sendable (OddReader) -> Void

    init(_ name: String, _ first: Int, _ make: @escaping @Sendable (OddReader) -> Void) {
      (self.name, self.first, self.make) = (name, first, make)
    }

    /// Whether the reader numbers all frames correctly.
    var isExact: Bool { !name.contains("off") && !name.contains("rounded") }
  }

  private func reader(
    _ index: Int, _ frames: Int, channels: Int = 1, seed: Int = 1
  ) -> OddReader {
    let reader = OddReader(frames: frames, channels: channels, seed: UInt64(seed))
    Self.readers[index].make(reader)
    return reader
  }

  private func options(_ preroll: Int?) -> PlaybackOptions {
    var options = PlaybackOptions()
    (options.prerollFrames, options.longestBlock) = (preroll, 4_000)
    return options
  }

  /// All output up to the end of the stream, or at least `frames` frames of output, in whole
  /// buffers.
  private func heard(
    _ playback: inout Playback<Float>, from reader: OddReader, atLeast frames: Int = .max
  ) throws -> [Float] {
    reader.readsLeft = 10_000
    var heard: [Float] = []
    while heard.count < frames, let samples = try playback.next(reading: reader.block) {
      heard += samples
    }
    return heard
  }

  private func expect(_ heard: [Float], _ expected: [Float], _ comment: String) {
    guard heard != expected else { return }
    let place = zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset
    Issue.record("\(comment): \(heard.count) of \(expected.count), differ at \(place ?? -1)")
  }

  // ---- every frame ----

  @Test(arguments: readers.indices, [nil, 0, 700])
  func everyFrameIsOutput(index: Int, preroll: Int?) throws {
    for (seed, promised) in [60_000, 61_234, 400_000, nil, 60_000, nil].enumerated() {
      for direction in [Direction.forward, .backward] {
        let channels = 1 + seed % 2
        let reader = reader(index, 60_000, channels: channels, seed: seed)
        var playback = try Playback<Float>(
          sampleRate: 8_000, channels: channels, frames: promised, direction: direction,
          options: options(preroll))
        let name = "\(Self.readers[index].name), \(promised ?? 0), \(direction)"
        do {
          let heard = try heard(&playback, from: reader)
          let all = Array(reader.audio[(Self.readers[index].first * channels)...])
          expect(heard, direction == .forward ? all : all.framesReversed(channels), name)
        } catch {
          Issue.record("\(name): \(error)")
        }
      }
    }
  }

  /// Plays with random directions, positions and loops, and compares the output with the reference
  /// model.
  @Test(arguments: readers.indices.filter { readers[$0].isExact })
  func theOutputFollowsItsDefinition(index: Int) throws {
    let first = Self.readers[index].first
    for seed in 0..<6 {
      var generator = SplitMix(seed: UInt64(100 * index + seed))
      let reader = reader(index, 40_000, seed: seed)
      var playback = try Playback<Float>(
        sampleRate: 8_000, frames: 40_000, options: options([nil, 0, 700][seed % 3]))
      let bounds = Int64(first)..<40_000
      var listener = Listener(length: 40_000)
      var log = "\(Self.readers[index].name), seed \(seed)"
      for step in 0..<12 {
        let isForward = Bool.random(using: &generator)
        let place = Int.random(in: first + 1...40_000, using: &generator)
        let other = Int.random(in: first + 1...40_000, using: &generator)
        let frames = min(place, other)..<max(place, other)
        if step > 0, Bool.random(using: &generator) {
          log += ", turn \(isForward)"
          playback.direction = isForward ? .forward : .backward
          listener.turn(isForward)
        } else {
          log += ", loop \(step % 3) \(frames), seek \(isForward) \(other)"
          playback.direction = isForward ? .forward : .backward
          playback.loop = [.none, .repeating(frames), .pingPong(frames)][step % 3]
          playback.seek(to: other)
          listener.loop = [.none, .again, .pingPong][step % 3]
          if step % 3 > 0 { listener.markers = Int64(frames.lowerBound)..<Int64(frames.upperBound) }
          listener.seek(to: Int64(other), isForward, within: bounds)
        }
        let samples = try heard(&playback, from: reader, atLeast: 1_000)
        var expected: [Float] = []
        while expected.count < samples.count, let frame = listener.next() {
          expected.append(reader.audio[Int(frame)])
        }
        if samples != expected {
          expect(samples, expected, log)
          return
        }
      }
    }
  }

  /// If the reader's frame numbers are wrong, the playback's position is wrong by at most the same
  /// number of frames, but the output is still one contiguous run.
  @Test(arguments: readers.indices.filter { !readers[$0].isExact })
  func aPlaceIsOffByNoMoreThanNumbersAre(index: Int) throws {
    var generator = SplitMix(seed: UInt64(index))
    let reader = reader(index, 40_000)
    var playback = try Playback<Float>(sampleRate: 8_000, frames: 40_000, options: options(nil))
    let farthest = reader.jitter + reader.rounding
    for step in 0..<30 {
      let place = Int.random(in: farthest...40_000 - farthest, using: &generator)
      playback.direction = step % 2 == 0 ? .forward : .backward
      playback.seek(to: place)
      let samples = try heard(&playback, from: reader, atLeast: step % 3 == 0 ? .max : 3_000)
      let frames = step % 2 == 0 ? samples : samples.reversed()
      let begins = (max(place - farthest - frames.count, 0)..<40_000).first { begin in
        reader.audio[begin...].starts(with: frames)
      }
      guard let begins else {
        Issue.record("\(Self.readers[index].name), step \(step), \(place): no run of frames")
        return
      }
      #expect(abs((step % 2 == 0 ? begins : begins + frames.count) - place) <= farthest)
      let left = step % 2 == 0 ? 40_000 - begins - frames.count : begins
      if step % 3 == 0 { #expect(left == 0) }
    }
  }

  @Test(arguments: [Direction.forward, .backward])
  func oneFrameAtATimeIsEnough(direction: Direction) throws {
    let reader = OddReader(frames: 9_000)
    reader.blockFrames = 1
    reader.rounding = 3
    var playback = try Playback<Float>(
      sampleRate: 8_000, frames: 9_000, direction: direction, options: options(0))
    reader.readsLeft = 100_000
    var heard: [Float] = []
    while let samples = try playback.next(reading: reader.block) { heard += samples }
    expect(heard, direction == .forward ? reader.audio : reader.audio.reversed(), "\(direction)")
  }

  // ---- missing audio ----

  @Test(arguments: [Direction.forward, .backward], [nil, 0])
  func anEndThatComesTooSoonIsAFact(direction: Direction, preroll: Int?) throws {
    for (there, promised) in [(50_000, 60_000), (50_000, 50_000), (50_000, 400_000), (0, 70_000)] {
      let reader = OddReader(frames: 50_000)
      reader.length = there
      var playback = try Playback<Float>(
        sampleRate: 8_000, frames: promised, direction: direction, options: options(preroll))
      let before = playback.endedEarly
      let heard = try heard(&playback, from: reader)
      let all = Array(reader.audio[..<there])
      expect(heard, direction == .forward ? all : all.reversed(), "\(there) of \(promised)")
      let missing = playback.endedEarly
      #expect(before == 0 && missing == promised - there)
    }
    var unknown = try Playback<Float>(sampleRate: 8_000, direction: direction)
    _ = try heard(&unknown, from: OddReader(frames: 20_000))
    let missing = unknown.endedEarly
    #expect(missing == 0)
  }

  /// The reader seeks for each block, and always starts after the requested frame, so some frames
  /// never arrive. The playback must report the missing frames instead of requesting them
  /// indefinitely.
  @Test(arguments: [1, 200, 900], [nil, 0])
  func aReaderThatIsLateForEachBlockLeavesOutAudio(late: Int, preroll: Int?) throws {
    for direction in [Direction.forward, .backward] {
      let reader = OddReader(frames: 60_000)
      (reader.hasNoMemory, reader.late) = (true, { _ in late })
      var playback = try Playback<Float>(
        sampleRate: 8_000, frames: 60_000, direction: direction, options: options(preroll))
      playback.seek(to: 30_000)
      #expect(throws: TimeDSPError.audioMissing) { try heard(&playback, from: reader) }
    }
  }

  /// A reader that never reports its end returns its last block again and again. Near the end that
  /// the reader has stated, the repetition counts as the end of the stream. Far before that, or if
  /// the reader has stated no end, it is an error.
  @Test(arguments: [1, 600], [60_000, 61_234, 70_000, nil])
  func aReaderThatRepeatsTheLastBlockHasEnded(back: Int, promised: Int?) throws {
    for direction in [Direction.forward, .backward] {
      let reader = OddReader(frames: 60_000)
      (reader.hasNoMemory, reader.back, reader.tellsEnd) = (true, back, false)
      var playback = try Playback<Float>(
        sampleRate: 8_000, frames: promised, direction: direction, options: options(0))
      reader.readsLeft = 10_000
      var (heard, error): ([Float], TimeDSPError?) = ([], nil)
      do {
        while let samples = try playback.next(reading: reader.block) { heard += samples }
      } catch let thrown as TimeDSPError {
        error = thrown
      }
      if let promised, promised < 64_000 {
        let missing = playback.endedEarly
        #expect(error == nil && missing == promised - 60_000)
        expect(heard, direction == .forward ? reader.audio : reader.audio.reversed(), "\(promised)")
      } else {
        #expect(error == .readerStuck(frame: 60_000))
      }
    }
  }

  @Test(arguments: [0, 1, 600, 5_000])
  func aReaderThatRepeatsItselfIsStuck(back: Int) throws {
    // with `back` 0, the stream begins at the position of the seek, and nothing is before it
    for direction in back == 0 ? [Direction.forward] : [.forward, .backward] {
      let reader = OddReader(frames: 60_000)
      let stuck = AudioBlock(at: 30_000 - back, Array(reader.audio[(30_000 - back)..<30_700]))
      var playback = try Playback<Float>(
        sampleRate: 8_000, frames: 60_000, direction: direction, options: options(0))
      playback.seek(to: 30_000)
      reader.readsLeft = 100
      var error: TimeDSPError?
      do {
        while try playback.next(reading: { frame in
          _ = try reader.block(frame)
          return stuck
        }) != nil {}
      } catch let thrown as TimeDSPError {
        error = thrown
      }
      guard case .readerStuck = error else {
        Issue.record("back by \(back), \(direction): \(String(describing: error))")
        continue
      }
      // after the error, playback has stopped; it resumes at a new position
      let step = try playback.next()
      #expect(step == .end)
      playback.direction = .forward
      playback.seek(to: 7_000)
      let again = try heard(&playback, from: reader, atLeast: 3_000)
      expect(again, Array(reader.audio[7_000..<7_000 + again.count]), "behind the error")
    }
  }

  /// Whatever the reader returns, after a limited number of reads the playback must output frames,
  /// end, or throw an error.
  @Test(arguments: 0..<40)
  func nonsenseDoesNotGoOnForEver(seed: Int) throws {
    var generator = SplitMix(seed: UInt64(seed))
    let audio = OddReader.sound(frames: 3_000, channels: 1)
    let farthest = [0, 3, 300, 5_000, 1 << 40][seed % 5]
    func answer(_ asked: Int) -> AudioBlock<Float>? {
      let dice = Int.random(in: 0..<100, using: &generator)
      let off = Int.random(in: -farthest...farthest, using: &generator)
      if dice < 3 { return dice == 0 ? nil : AudioBlock(at: asked + off, []) }
      let count = dice < 30 ? 1 : Int.random(in: 1...3_000, using: &generator)
      // often, the reader returns the same block again
      return AudioBlock(at: asked + (dice < 60 ? off : 0), Array(audio[..<count]))
    }
    var playback = try Playback<Float>(
      sampleRate: 8_000, frames: seed % 3 == 0 ? nil : 40_000,
      direction: seed % 2 == 0 ? .forward : .backward, options: options([nil, 0][seed / 2 % 2]))
    for step in 0..<60 {
      var reads = 0
      let samples = try? playback.next { asked in
        reads += 1
        if reads > 20_000 { throw OddReader.ReadsTooMuch() }
        return answer(asked)
      }
      #expect(reads <= 20_000, "seed \(seed), step \(step)")
      if reads > 20_000 { return }
      if samples == nil || step % 7 == 0 {
        playback.direction = step % 3 == 0 ? .forward : .backward
        playback.seek(to: Int.random(in: 0...50_000, using: &generator))
      }
    }
  }

  /// The application appends each block as soon as it is available, even if the playback has not
  /// requested it. The playback ignores unrequested blocks, and no frame is lost.
  @Test func audioAppendedTooSoonRemovesNothing() throws {
    let reader = OddReader(frames: 60_000)
    var playback = try Playback<Float>(sampleRate: 8_000)
    var (heard, position): ([Float], Int) = ([], 0)
    func handOver(_ frame: Int) throws {
      let block = try reader.block(frame)
      try playback.append(block?.samples ?? [], at: frame)
      position = frame + (block?.samples.count ?? 0)
    }
    loop: while true {
      switch try playback.next() {
      case .read(let frame): try handOver(frame)
      case .play(let samples):
        heard += samples
        try handOver(position)  // not requested, so ignored
      case .end: break loop
      }
    }
    expect(heard, reader.audio, "too soon")
  }
}
