// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

/// Compares a playback with the reference model `Listener`.
@Suite struct PlaybackModelTests {
  /// A playback and a model of it. Both start at the beginning of the stream.
  private struct Pair: ~Copyable {
    let reader: OddReader
    var playback: TestPlayback
    var listener: Listener
    var generator: SplitMix
    private var marks: Range<Int64>
    var hasEnded: Bool { playback.hasEnded }
    /// The playback is waiting for audio, perhaps for the next pass.
    private var isWaiting = false
    /// The actions so far.
    private(set) var log: [String] = []

    init(length: Int, seed: UInt64) throws {
      generator = SplitMix(seed: seed)
      reader = OddReader(frames: length, seed: seed)
      reader.blockFrames = [1, 100, 700, 5_000].randomElement(using: &generator) ?? 1
      // at most the automatic preroll: nothing else shows that a seek forward was too short
      reader.settling = [0, 2_000, 8_000].randomElement(using: &generator) ?? 0
      playback = try TestPlayback(
        reader, longestBlock: [4_000, 32_000].randomElement(using: &generator) ?? 4_000)
      listener = Listener(length: Int64(length))
      listener.seek(to: 0, true, within: 0..<Int64(length))
      marks = 0..<Int64(length)
    }

    private mutating func place() -> Int {
      Int.random(in: 0...reader.audio.count, using: &generator)
    }

    /// Performs a random action of an application.
    mutating func act() {
      // while the next pass waits for its audio, its range and its direction are set
      let least = isWaiting && listener.loop == .pingPong ? 3 : 0
      switch Int.random(in: least..<(isWaiting ? 4 : 6), using: &generator) {
      case 0, 1, 2: turn()
      case 3: seek()
      case 4:
        let (one, other) = (Int64(place()), Int64(place()))
        marks = min(one, other)..<max(one, other)
        setLoop(listener.loop)
      default: setLoop(Listener.Loop.allCases.randomElement(using: &generator) ?? .none)
      }
    }

    /// After the end, a new direction continues from there.
    mutating func turn() {
      let isForward = Bool.random(using: &generator)
      log.append("turn \(isForward)")
      if hasEnded { listener.resume(isForward) } else { listener.turn(isForward) }
      playback.turn(isForward)
    }

    mutating func seek() {
      let (isForward, place) = (Bool.random(using: &generator), place())
      log.append("seek \(isForward) \(place)")
      playback.seek(to: place, isForward)
      listener.seek(to: Int64(place), isForward, within: 0..<listener.length)
    }

    private mutating func setLoop(_ loop: Listener.Loop) {
      log.append("\(loop) \(marks)")
      let loops = [TIMEDSP_LOOP_NONE, TIMEDSP_LOOP_REPEAT, TIMEDSP_LOOP_PING_PONG]
      for (known, code) in zip(Listener.Loop.allCases, loops) where known == loop {
        playback.setLoop(code, marks)
      }
      (listener.loop, listener.markers) = (loop, marks)
    }

    /// Plays some frames with the playback and the model. Stops while the playback waits for audio,
    /// now and then. Returns `false` if the frames differ.
    mutating func hear() throws -> Bool {
      let most = [1, 500, 5_000, 20_000].randomElement(using: &generator) ?? 1
      var reads = Bool.random(using: &generator) ? Int.random(in: 1...6, using: &generator) : .max
      var heard: [Float] = []
      isWaiting = false
      while heard.count < most, !isWaiting, !hasEnded {
        switch try playback.next(reads: false) {
        case .play(let samples): heard += samples
        case .end: break
        case .wait:
          reads -= 1
          isWaiting = reads == 0
          if isWaiting { continue }
          playback.read()
        }
      }
      log.append("hear \(heard.count)")
      var expected: [Float] = []
      while expected.count < heard.count, let frame = listener.next() {
        expected.append(reader.audio[Int(frame)])
      }
      return heard == expected && !(hasEnded && listener.next() != nil)
    }
  }

  @Test(arguments: seeds(0..<100, long: 100..<1000))
  func turnsSeeksAndLoopsFollowTheirDefinition(seed: Int) throws {
    let lengths = [1, 2, 300, 4_000, 12_000, 40_000]
    var pair = try Pair(length: lengths[seed % lengths.count], seed: UInt64(seed))
    for step in 0..<20 {
      let isSame = try pair.hear()
      let log = pair.log
      #expect(isSame, "seed \(seed), step \(step): \(log)")
      if !isSame { return }
      if pair.hasEnded {
        if Bool.random(using: &pair.generator) { pair.turn() } else { pair.seek() }
      }
      for _ in 0..<Int.random(in: 0...2, using: &pair.generator) { pair.act() }
    }
  }

  @Test(arguments: seeds(0..<40, long: 40..<400))
  func everyFrameComesOnceFromADecoderThatCountsWrongly(seed: Int) throws {
    var generator = SplitMix(seed: UInt64(seed))
    let reader = OddReader(frames: [1, 700, 20_000, 40_000][seed % 4], seed: UInt64(seed))
    reader.blockFrames = [100, 700, 5_000].randomElement(using: &generator) ?? 100
    reader.jitter = [0, 1, 300, 600].randomElement(using: &generator) ?? 0
    reader.settling = [0, 2_000].randomElement(using: &generator) ?? 0
    var playback = try TestPlayback(reader, longestBlock: seed % 3 == 0 ? 32_000 : 4_000)
    playback.seek(to: -1, false)  // the end
    var heard: [Float] = []
    while heard.count <= reader.audio.count,
      case .play(let samples) = try playback.next(reads: true)
    {
      heard += samples
    }
    let isWhole = heard == reader.audio.reversed()
    #expect(isWhole, "\(heard.count) of \(reader.audio.count)")
  }
}
