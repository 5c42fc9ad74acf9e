// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// Tests commands from several tasks at the same time, and the state after everything has been
/// closed.
@Suite struct PlayerOrderTests {
  private let folder: TemporaryFolder
  private let (one, other): (AudioFile, AudioFile)
  private let player = AudioPlayer(sink: .fast)

  init() throws {
    folder = try TemporaryFolder()
    (one, other) = (AudioFile(folder.file("one.wav")), AudioFile(folder.file("other.wav")))
    try FileManager.default.copyItem(at: Media.short.url, to: one.url)
    try FileManager.default.copyItem(at: Media.file("speech.wav").url, to: other.url)
  }

  /// The number of pipelines that read the test's files. Each pipeline has one open file, which
  /// /proc lists.
  private var openFiles: Int {
    let descriptors = "/proc/self/fd"
    let files = FileManager.default
    return ((try? files.contentsOfDirectory(atPath: descriptors)) ?? []).filter {
      let target = try? files.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
      return target?.hasPrefix(folder.url.path) == true
    }.count
  }

  @Test func `Of two files that are opened at a time, none is left when all is closed`()
    async throws
  {
    async let first = player.open(one)
    async let second = player.open(other)
    let channels = try await [first, second].map(\.channels)
    #expect(channels == [2, 1])
    #expect(openFiles == 1)
    await player.close()
    #expect(openFiles == 0)
  }

  @Test func `A file that has ended does not continue when it is closed`() async throws {
    await player.change { $0.factor = ScaleFactor(clamping: 0.01) }
    for _ in 0..<5 {
      try await player.open(one)
      await player.play()
      #expect(await player.waitForEnd())
      async let play: Void = player.play()
      async let close: Void = player.close()
      _ = await (play, close)
      #expect(await player.state == .empty)
      #expect(openFiles == 0)
    }
  }

  @Test func `Settings during opening hold for the file`() async throws {
    async let open = player.open(Media.short)
    while await !player.isBusy, await player.state == .empty { await Task.yield() }
    await player.change { $0.factor = ScaleFactor(clamping: 2) }
    await player.change { $0.loop = Loop(.repeat) }
    _ = try await open
    #expect(await player.withPipeline { property("factor", of: "timescale", in: $0) } == "2")
    #expect(await player.withPipeline { property("loop", of: "revbuf", in: $0) } == "repeat")
    await player.close()
  }

  @Test func `The end of the stream before a seek does not count`() async throws {
    let player = AudioPlayer(sink: .silent)
    await player.change { $0.factor = ScaleFactor(clamping: 0.01) }
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    // from here on, the file would play for minutes
    await player.change { $0.factor = ScaleFactor(clamping: 100) }
    await player.seek(to: .zero)
    // a message that was posted before the seek
    let loaded = try #require(await player.loaded)
    await player.handle(.endOfStream, of: loaded)
    #expect(await player.state == .playing)
    await player.close()
  }

  @Test func `Streams end when the player is closed, and there are new ones for the next file`()
    async throws
  {
    await player.change { $0.factor = ScaleFactor(clamping: 0.1) }
    let (positions, events) = (player.positions, player.events)
    let readers = [
      Task { for await _ in positions {} }, Task { for await _ in player.positions {} },
      Task { for await _ in events {} }, Task { for await _ in player.events {} },
    ]
    try await player.open(Media.short)
    await player.close()
    for reader in readers { await reader.value }
    try await player.open(Media.short)
    #expect(await player.positions { _ in true }?.first?.state == .paused)
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
  }

  @Test func `Streams end when the player is gone`() async {
    var player: AudioPlayer? = AudioPlayer(sink: .fast)
    let positions = player?.positions
    let events = player?.events
    player = nil
    if let positions { for await _ in positions {} }
    if let events { for await _ in events {} }
  }

  @Test func `Every reader hears of everything`() async throws {
    await player.change { $0.factor = ScaleFactor(clamping: 0.1) }
    let readers = [player.events, player.events]
    try await player.open(Media.short)
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    for events in readers {
      var ends = 0
      for await event in events { if case .ended = event { ends += 1 } }
      #expect(ends == 1)
    }
  }
}
