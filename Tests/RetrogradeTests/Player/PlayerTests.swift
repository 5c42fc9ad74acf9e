// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// Tests the events, positions and properties of a player.
@Suite struct PlayerTests {
  /// A sink that buffers before it plays, like a sound device.
  private static let slowSink = AudioPlayer.Sink.custom(
    "queue max-size-time=600000000 max-size-buffers=0 max-size-bytes=0 ! fakesink sync=true")

  @Test func `A file that is opened waits at its beginning`() async throws {
    let player = AudioPlayer(sink: .fast)
    let information = try await player.open(Media.short)
    #expect(await player.state == .paused)
    #expect(information.channels == 2 && information.rate == 44100)
    let position = try #require(await player.positions { _ in true }?.first)
    #expect(position.time == .zero && position.state == .paused)
  }

  @Test func `Backwards it waits at its end`() async throws {
    let player = AudioPlayer(sink: .fast)
    await player.setDirection(.reverse)
    try await player.open(Media.short)
    let position = try #require(await player.positions { _ in true }?.first)
    #expect(abs(position.time.inSeconds - 66167.0 / 44100) < 0.05)
  }

  @Test(.enabled(if: isLong), arguments: [1, 0.5, 3])
  func `The position is that of the output, not of buffers on their way`(
    factor: Double
  ) async throws {
    let (folder, player) = (try TemporaryFolder(), AudioPlayer(sink: Self.slowSink))
    let long = folder.file("long.wav")
    try Frames.noise.write(to: long)
    await player.change { $0.factor = ScaleFactor(clamping: factor) }
    try await player.open(AudioFile(long))
    await player.play()
    #expect(await player.positions { $0.time.inSeconds * factor > 0.3 } != nil)
    // The latency is 0.6 s, plus the duration of the buffers before and after the queue. After a
    // period without output, the latency is lower, so the test checks it repeatedly during
    // playback.
    #expect(
      await soon {
        guard let heard = await player.positions(until: { _ in true })?.first?.time.inSeconds,
          let sent = await player.withPipeline({ position(of: "revbuf", in: $0) })?.inSeconds
        else { return false }
        return (0.5...1.6).contains((sent - heard) * factor)
      })
  }

  /// Waits until the condition is true. Returns false after a minute.
  private func soon(_ isSo: () async -> Bool) async -> Bool {
    for _ in 0..<600 {
      if await isSo() { return true }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return false
  }

  /// After each seek of `revbuf`, the parser sends the tags of the file again. The player must not
  /// report them again.
  @Test func `Tags are reported when they say something new`() async throws {
    let (folder, player) = (try TemporaryFolder(), AudioPlayer(sink: .fast))
    let song = folder.file("song.flac")
    try output(
      of: "ffmpeg", "-v", "error", "-i", Media.short.url.path, "-metadata", "title=A",
      "-metadata", "artist=B", song.path)
    let events = player.events
    try await player.open(AudioFile(song))
    let loaded = try #require(await player.loaded)
    for _ in 0..<2 {
      await player.handle(.tags(AudioTags(["organization": "Radio"])), of: loaded)
    }
    await player.setDirection(.reverse)
    await player.play()
    var reported: [AudioTags] = []
    reading: for await event in events {
      switch event {
      case .tags(let tags): reported.append(tags)
      case .ended, .failed: break reading
      default: continue
      }
    }
    #expect(reported.map(\.values) == [["title": "A", "artist": "B", "organization": "Radio"]])
  }

  @Test(.enabled(if: isLong)) func `It turns back even when the last of it is on its way already`()
    async throws
  {
    let player = AudioPlayer(sink: Self.slowSink)
    try await player.open(Media.short)
    await player.seek(to: .seconds(1))
    await player.play()
    #expect(await player.positions { $0.time > .milliseconds(1300) } != nil)
    await player.setDirection(.reverse)
    #expect(await player.waitForEnd())
    let last = await player.positions { $0.state == .ended }?.last
    #expect(last.map { $0.time < .milliseconds(100) } == true)
  }

  @Test(.enabled(if: isLong)) func `Positions rise forward and fall backwards`() async throws {
    let player = AudioPlayer(sink: .silent)
    try await player.open(Media.short)
    await player.play()
    let up = try #require(await player.positions { $0.time > .milliseconds(600) })
    #expect(zip(up, up.dropFirst()).allSatisfy { $0.time <= $1.time })
    await player.setDirection(.reverse)
    let all = try #require(await player.positions { $0.time < .milliseconds(200) })
    let down = all.drop { $0.direction == .forward }
    #expect(!down.isEmpty)
    #expect(zip(down, down.dropFirst()).allSatisfy { $0.time >= $1.time })
  }

  @Test func `A seek is reported immediately, also while paused`() async throws {
    let player = AudioPlayer(sink: .fast)
    try await player.open(Media.short)
    await player.seek(to: .seconds(1))
    let positions = await player.positions { $0.time == .seconds(1) }
    #expect(positions?.last?.state == .paused)
    await player.seek(to: .seconds(100))
    #expect(await player.positions { $0.time > .milliseconds(1450) } != nil)
  }

  @Test(arguments: [Direction.forward, .reverse])
  func `When it has ended, its position is the end`(direction: Direction) async throws {
    let player = AudioPlayer(sink: .fast)
    #expect(player.position == nil)
    await player.setDirection(direction)
    let duration = try #require(await player.open(Media.short).duration)
    var events = player.events.makeAsyncIterator()
    await player.play()
    while let event = await events.next() {
      if case .ended = event { break }
    }
    let position = try #require(player.position)
    #expect(position.state == .ended)
    #expect(position.time == (direction == .forward ? duration : .zero))
    await player.close()
    #expect(player.position == nil)
  }

  @Test func `It can seek from its end`() async throws {
    let player = AudioPlayer(sink: .fast)
    await player.change { $0.factor = ScaleFactor(clamping: 0.1) }
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    #expect(await player.state == .ended)
    await player.seek(to: .milliseconds(500))
    #expect(await player.state == .playing)
    #expect(await player.waitForEnd())
  }

  @Test func `Information on a file goes with it`() async throws {
    let player = AudioPlayer(sink: .fast)
    let information = try await player.open(Media.file("sample.ogg"))
    #expect(await player.information == information)
    await player.close()
    #expect(await player.information == nil)
    #expect(await player.state == .empty)
  }

  @Test(arguments: [
    (Media.file("missing.wav"), RetrogradeError.Code.inputUnreadable),
    (AudioFile(Media.folder), .inputUnreadable), (Media.file("README.md"), .inputNotAudio),
  ])
  func `A file without audio is not opened, and another one can be`(
    file: AudioFile, code: RetrogradeError.Code
  ) async throws {
    let player = AudioPlayer(sink: .fast)
    let error = await #expect(throws: RetrogradeError.self) { try await player.open(file) }
    #expect(error?.code == code)
    #expect(await player.state == .empty)
    try await player.open(Media.short)
    #expect(await player.state == .paused)
  }

  @Test(arguments: ["nosuchsink", "fakesink !", "videotestsrc", ""])
  func `A description without a sink is refused in a sentence`(description: String) async {
    let player = AudioPlayer(sink: .custom(description))
    let error = await #expect(throws: RetrogradeError.self) {
      try await player.open(Media.short)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `A recording never overwrites a file`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("there.wav")
    try Data("precious".utf8).write(to: file)
    let player = AudioPlayer(sink: .file(file))
    let error = await #expect(throws: RetrogradeError.self) {
      try await player.open(Media.short)
    }
    #expect(error?.code == .outputExists)
    #expect(try Data(contentsOf: file) == Data("precious".utf8))
  }

  @Test func `A recording of nothing leaves no file`() async throws {
    let folder = try TemporaryFolder()
    let player = AudioPlayer(sink: .file(folder.file("heard.wav")))
    try await player.open(Media.short)
    await player.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `A recording that cannot be written is an error, not an endless wait`() async throws {
    let player = AudioPlayer(sink: .file(URL(fileURLWithPath: "/nonexistent/heard.wav")))
    let error = await #expect(throws: RetrogradeError.self) {
      try await player.open(Media.short)
    }
    #expect(error?.code == .outputUnwritable)
  }

  @Test func `The pipeline is lent, and there is none without a file`() async throws {
    let player = AudioPlayer(sink: .fast)
    #expect(await player.withPipeline { $0 == nil })
    try await player.open(Media.short)
    #expect(await player.withPipeline { $0 != nil })
  }

  @Test func `Commands without a file do nothing`() async {
    let player = AudioPlayer(sink: .fast)
    await player.play()
    await player.pause()
    await player.seek(to: .seconds(1))
    await player.change { $0.loop = Loop(.repeat) }
    await player.close()
    #expect(await player.state == .empty)
  }
}
