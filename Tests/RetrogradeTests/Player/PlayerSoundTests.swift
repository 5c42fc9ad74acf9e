// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

/// Compares the output, which the sink records, with the file, frame by frame.
@Suite struct PlayerSoundTests {
  private let folder: TemporaryFolder
  private let heard: URL
  private let player: AudioPlayer
  private let frames: Frames

  init() throws {
    folder = try TemporaryFolder()
    heard = folder.file("heard.wav")
    player = AudioPlayer(sink: .file(heard))
    frames = try Frames(of: Media.short.url)
    #expect(frames.count == 66167)
  }

  /// Waits until `count` frames have been recorded. Returns `false` after a minute.
  private func hear(_ count: Int) async throws -> Bool {
    for _ in 0..<1200 {
      let size = try? heard.resourceValues(forKeys: [.fileSizeKey]).fileSize
      if let size, size > 68 + 4 * count { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  private func recorded() async throws -> Frames {
    await player.close()
    return try Frames(of: heard)
  }

  @Test func `Forward, it is the file`() async throws {
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames)
  }

  /// Samples are multiplied by the cube of the volume: at volume 0.5 by 1/8.
  @Test func `Quieter, it is the file by the cube of the volume`() async throws {
    await player.setVolume(0.5)
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    let quiet = try await recorded()
    #expect(quiet.count == frames.count)
    let pairs = zip(quiet.left + quiet.right, frames.left + frames.right)
    #expect(pairs.allSatisfy { abs(Double($0) - Double($1) / 8) <= 1 })
  }

  @Test func `Backwards, it is the file backwards`() async throws {
    await player.turn(.reverse)
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames.reversed)
  }

  @Test func `Turned before it plays, it starts at the end`() async throws {
    try await player.open(Media.short)
    await player.turn(.reverse)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames.reversed)
  }

  @Test func `At its end it turns around, and at its beginning again`() async throws {
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    await player.turn(.reverse)
    #expect(await player.waitForEnd())
    await player.turn(.forward)
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames + frames.reversed + frames)
  }

  @Test func `In the middle it turns around without losing or repeating a frame`() async throws {
    try await player.open(try noise())
    await player.play()
    #expect(await player.positions { $0.time > .milliseconds(500) } != nil)
    await player.turn(.reverse)
    #expect(await player.waitForEnd())
    let sound = try await recorded()
    // equally many frames are played in both directions, but the frame at the change of direction
    // is played only once
    let turn = (sound.count + 1) / 2
    #expect(turn > 22050)
    #expect(sound == Frames.noise[0..<turn] + Frames.noise[0..<turn - 1].reversed)
  }

  @Test func `It begins exactly at the seek target`() async throws {
    try await player.open(Media.short)
    await player.seek(to: .seconds(1))
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames[44100..<66167])
  }

  @Test func `Backwards it begins exactly at the seek target, and goes down from there`()
    async throws
  {
    await player.turn(.reverse)
    try await player.open(Media.short)
    await player.seek(to: .milliseconds(500))
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames[0..<22050].reversed)
  }

  @Test func `After a seek it turns and turns back, past the seek target`()
    async throws
  {
    try await player.open(try noise())
    await player.seek(to: .seconds(5))
    await player.play()
    for (direction, place) in [
      (AudioEdit.Direction.reverse, 5.3), (.forward, 4.8), (.forward, 5.5),
    ] {
      let isForward = place > 5
      #expect(await player.positions { ($0.time.inSeconds > place) == isForward } != nil)
      await player.turn(direction)
    }
    let sound = try await recorded()
    let start = 5 * 44100
    let high = start + turn(in: sound, from: start, step: 1)
    let low = high - turn(in: sound, from: high, step: -1, after: high - start)
    let way = Frames.noise[start..<high + 1] + Frames.noise[low..<high].reversed
    #expect(high > start && low < start)
    #expect(sound.count > way.count + start - low)
    #expect(sound == way + Frames.noise[low + 1..<low + 1 + sound.count - way.count])
  }

  /// Returns the index of the last frame that continues the noise in steps of `step`, from frame
  /// `first` on. The first `skipped` frames are not compared.
  private func turn(in sound: Frames, from first: Int, step: Int, after skipped: Int = 0) -> Int {
    let count = (skipped..<sound.count).first {
      sound.left[$0] != Frames.noise.left[first + step * ($0 - skipped)]
    }
    return (count ?? sound.count) - skipped - 1
  }

  private func noise() throws -> AudioFile {
    let url = folder.file("noise.wav")
    try Frames.noise.write(to: url)
    return AudioFile(url)
  }

  @Test func `A loop repeats the part between its markers`() async throws {
    try await player.open(Media.short)
    await player.setLoop(
      AudioPlayer.Loop(.repeat, from: .milliseconds(100), to: .milliseconds(300)))
    await player.seek(to: .milliseconds(100))
    await player.play()
    #expect(try await hear(3 * 8820))
    let sound = try await recorded()
    let lap = frames[4410..<13230]
    try #require(sound.count > 2 * lap.count)
    for start in stride(from: 0, to: sound.count, by: lap.count) {
      let part = sound[start..<start + lap.count]
      #expect(part == lap[0..<part.count])
    }
  }

  @Test func `A ping-pong loop turns around at its markers`() async throws {
    try await player.open(Media.short)
    await player.setLoop(
      AudioPlayer.Loop(.pingPong, from: .milliseconds(100), to: .milliseconds(300)))
    await player.seek(to: .milliseconds(100))
    await player.play()
    let seen = await player.positions { $0.direction == .reverse && $0.time < .milliseconds(250) }
    #expect(seen?.first?.direction == .forward)
    #expect(try await hear(2 * 8820 + 4410))
    let sound = try await recorded()
    let there = frames[4410..<13230]
    let back = frames[4410..<13229].reversed  // the frame at the change of direction is played once
    let laps = there + back + frames[4411..<13230]
    try #require(sound.count > there.count + back.count)
    #expect(sound[0..<laps.count] == laps[0..<min(sound.count, laps.count)])
  }

  @Test(arguments: [0.5, 2, 1.25])
  func `A factor makes it as long as the law says`(factor: Double) async throws {
    await player.setFactor(ScaleFactor(clamping: factor))
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded().count == Int(66167 * factor))
  }

  @Test(arguments: [0.5, 1.25])
  func `With the pitch kept or moved it is as long as the law says`(factor: Double) async throws {
    await player.setFactor(ScaleFactor(clamping: factor))
    await player.setPitch(AudioEdit.Pitch(isKept: true, semitones: 3))
    #expect(await player.pitch == AudioEdit.Pitch(isKept: true, semitones: 3))
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded().count == Int(66167 * factor))
  }

  @Test(arguments: [(99, 24), (-25, -24), (-0.5, -0.5), (.nan, 0.0)])
  func `Semitones out of range are moved into it`(asked: Double, given: Double) async {
    await player.setPitch(AudioEdit.Pitch(semitones: asked))
    #expect(await player.pitch.semitones == given)
  }

  @Test func `A mix, and the first channel alone, are played on both sides`() async throws {
    await player.setChannels(AudioEdit.Channels.first)
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    await player.setChannels(AudioEdit.Channels.merged)
    await player.play()
    #expect(await player.waitForEnd())
    await player.setChannels(AudioEdit.Channels.all)
    await player.play()
    #expect(await player.waitForEnd())
    let sound = try await recorded()
    try #require(sound.count == 3 * 66167)
    let mix = zip(frames.left, frames.right).map { (Double($0) + Double($1)) / 2 }
    let first = frames.left.map(Double.init)
    for (part, expected) in [(sound[0..<66167], first), (sound[66167..<132334], mix)] {
      for side in [part.left, part.right] {
        #expect(zip(side, expected).allSatisfy { abs(Double($0) - $1) <= 1.5 })  // dither
      }
    }
    #expect(sound[132334..<198501] == frames)
  }

  @Test func `Of surround sound, too, the first channel can be played alone`() async throws {
    let file = Media.file("surround.flac")
    await player.setFactor(ScaleFactor(clamping: 0.5))
    await player.setInterpolation(.nearest)
    try await player.open(file)
    for channels in [AudioEdit.Channels.all, .first] {
      await player.setChannels(channels)
      await player.play()
      #expect(await player.waitForEnd())
    }
    await player.close()
    // every sixth sample belongs to the first channel
    let samples = try Samples(of: heard).values
    let half = samples.count / 2
    let first = stride(from: 0, to: half, by: 6).map { samples[$0] }
    let alone = stride(from: half, to: samples.count, by: 6).map { samples[$0] }
    #expect(first.count == 158400 / 2)
    #expect(zip(first, alone).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func `Files go into the recording one after the other`() async throws {
    for file in [Media.short, Media.file("short.aiff")] {
      try await player.open(file)
      await player.play()
      #expect(await player.waitForEnd())
    }
    #expect(try await recorded() == frames + frames)
  }

  @Test func `While it is paused nothing is recorded, and nothing is lost`() async throws {
    try await player.open(Media.short)
    await player.play()
    #expect(await player.positions { $0.time > .milliseconds(300) } != nil)
    await player.pause()
    try await Task.sleep(for: .milliseconds(300))
    await player.play()
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames)
  }
}
