// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

/// Compares the output with the file, frame by frame. The sink does not wait for a clock.
@Suite struct PlayerSoundTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let player: AudioPlayer
  private let frames: Frames

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("heard.wav")
    player = AudioPlayer(sink: .writing(file))
    frames = try Frames(of: Media.short.url)
    #expect(frames.count == 66167)
  }

  /// Opens a file, and plays it to its end. Returns its output.
  private func heard(
    _ input: AudioFile = Media.short, seekTo target: Duration? = nil
  ) async throws -> Frames {
    try await player.open(input)
    if let target { await player.seek(to: target) }
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    return try Frames(of: file)
  }

  @Test func `Forward, it is the file`() async throws { #expect(try await heard() == frames) }

  /// Samples are multiplied by the cube of the volume: at volume 0.5 by 1/8.
  @Test func `Quieter, it is the file by the cube of the volume`() async throws {
    await player.change { $0.volume = 0.5 }
    let quiet = try await heard()
    #expect(quiet.count == frames.count)
    let pairs = zip(quiet.left + quiet.right, frames.left + frames.right)
    #expect(pairs.allSatisfy { abs(Double($0) - Double($1) / 8) <= 1 })
  }

  @Test func `Backwards, it is the file backwards`() async throws {
    await player.setDirection(.reverse)
    #expect(try await heard() == frames.reversed)
  }

  @Test(arguments: [2, -2, 0.5, -0.5])
  func `At another speed it is as on a tape`(speed: Double) async throws {
    let tape = folder.file("tape.wav")
    let curve = try SpeedCurve([SpeedCurve.Point(time: .zero, speed: speed)])
    try await Media.short.render(AudioEdit().with(\.speedCurve, curve), to: tape)
    await player.setSpeed(speed)
    #expect(await player.direction == (speed < 0 ? .reverse : .forward))
    let (sound, expected) = (try await heard(), try Frames(of: tape))
    #expect(sound.count == expected.count && sound.count == Int((66167 / abs(speed)).rounded(.up)))
    let pairs = zip(sound.left + sound.right, expected.left + expected.right)
    #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func `A turn keeps the speed, and a seek keeps both`() async throws {
    await player.setSpeed(2)
    await player.setDirection(.reverse)
    #expect(await player.speed == -2)
    #expect(try await heard(seekTo: .seconds(1)).count == 22050)
  }

  @Test func `Turned before it plays, it starts at the end`() async throws {
    try await player.open(Media.short)
    await player.setDirection(.reverse)
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    #expect(try Frames(of: file) == frames.reversed)
  }

  @Test func `It begins exactly at the seek target`() async throws {
    #expect(try await heard(seekTo: .seconds(1)) == frames[44100..<66167])
  }

  @Test func `Backwards it begins exactly at the seek target, and goes down from there`()
    async throws
  {
    await player.setDirection(.reverse)
    #expect(try await heard(seekTo: .milliseconds(500)) == frames[0..<22050].reversed)
  }

  /// A loop begins at its first marker, and is output for at least three passes.
  @Test(arguments: [Loop.Mode.repeat, .pingPong])
  func `A loop repeats or turns around at its markers`(mode: Loop.Mode) async throws {
    try await player.open(Media.short)
    await player.change { $0.loop = Loop(mode, from: .milliseconds(100), to: .milliseconds(300)) }
    await player.seek(to: .milliseconds(100))
    await player.play()
    #expect(await isHeard(3 * 8820))
    await player.close()
    let sound = try Frames(of: file)
    let there = frames[4410..<13230]
    // the frame at the change of direction is played once
    let back = frames[4410..<13229].reversed + frames[4411..<13230]
    let passes = there + (mode == .repeat ? there + there : back)
    #expect(sound[0..<passes.count] == passes)
  }

  /// Waits until `count` frames have been written. Returns `false` after a minute.
  private func isHeard(_ count: Int) async -> Bool {
    for _ in 0..<6000 {
      let size = try? URL(fileURLWithPath: file.path)
        .resourceValues(forKeys: [.fileSizeKey]).fileSize
      if let size, size > 68 + 4 * count { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test(arguments: [
    (0.5, Pitch.followsSpeed), (1.25, Pitch(isKept: true, semitones: 3)),
  ])
  func `A factor makes it as long as the law says`(
    factor: Double, pitch: Pitch
  ) async throws {
    await player.change { $0.factor = ScaleFactor(clamping: factor) }
    await player.change { $0.pitch = pitch }
    #expect(await player.settings.pitch == pitch)
    #expect(try await heard().count == Int(66167 * factor))
  }

  @Test(arguments: [(99, 24), (-25, -24), (-0.5, -0.5), (.nan, 0.0)])
  func `Semitones out of range are moved into it`(asked: Double, given: Double) async {
    await player.change { $0.pitch = Pitch(semitones: asked) }
    #expect(await player.settings.pitch.semitones == given)
  }

  @Test(arguments: [AudioEdit.Channels.first, .merged])
  func `A mix, and the first channel alone, are played on both sides`(
    channels: AudioEdit.Channels
  ) async throws {
    await player.change { $0.channels = channels }
    let sound = try await heard()
    let mix = zip(frames.left, frames.right).map { (Double($0) + Double($1)) / 2 }
    let expected = channels == .first ? frames.left.map(Double.init) : mix
    for side in [sound.left, sound.right] {
      #expect(side.count == 66167)
      #expect(zip(side, expected).allSatisfy { abs(Double($0) - $1) <= 1.5 })
    }
  }
}

/// Plays in real time, because commands have to arrive while the file plays.
@Suite(.enabled(if: isLong)) struct PlayerRecordingTests {
  private let folder: TemporaryFolder
  private let heard: URL
  private let player: AudioPlayer
  private let frames: Frames

  init() throws {
    folder = try TemporaryFolder()
    heard = folder.file("heard.wav")
    player = AudioPlayer(sink: .file(heard))
    frames = try Frames(of: Media.short.url)
  }

  private func recorded() async throws -> Frames {
    await player.close()
    return try Frames(of: heard)
  }

  @Test func `At its end it turns around, and at its beginning again`() async throws {
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    await player.setDirection(.reverse)
    #expect(await player.waitForEnd())
    await player.setDirection(.forward)
    #expect(await player.waitForEnd())
    #expect(try await recorded() == frames + frames.reversed + frames)
  }

  @Test func `In the middle it turns around without losing or repeating a frame`() async throws {
    try await player.open(try noise())
    await player.play()
    #expect(await player.positions { $0.time > .milliseconds(500) } != nil)
    await player.setDirection(.reverse)
    #expect(await player.waitForEnd())
    let sound = try await recorded()
    // equally many frames are played in both directions, but the frame at the change of direction
    // is played only once
    let turn = (sound.count + 1) / 2
    #expect(turn > 22050)
    #expect(sound == Frames.noise[0..<turn] + Frames.noise[0..<turn - 1].reversed)
  }

  private func noise() throws -> AudioFile {
    let url = folder.file("noise.wav")
    try Frames.noise.write(to: url)
    return AudioFile(url)
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
    try await player.open(try noise())
    for _ in 0..<3 {
      await player.play()
      await player.pause()
    }
    await player.play()
    #expect(await player.positions { $0.time > .milliseconds(500) } != nil)
    let sound = try await recorded()
    #expect(sound.count > 22050)
    #expect(sound == Frames.noise[0..<sound.count])
  }
}
