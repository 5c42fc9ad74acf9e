// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

@testable import RetrogradeTool

@Suite struct PlaySessionTests {
  private static let short = AudioFile(
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../launch-examples/media/short.wav"))

  /// A session without a user. Its player has played its only file to the end.
  private func ended() async throws -> PlaySession {
    let player = AudioPlayer(sink: .silent)
    var settings = AudioPlayer.Settings()
    settings.factor = ScaleFactor(clamping: 0.01)
    await player.apply(settings)
    let session = PlaySession([Self.short], with: player, model: PlayModel(count: 1))
    try await player.open(Self.short)
    var events = player.events.makeAsyncIterator()
    await player.play()
    while let event = await events.next() {
      if case .ended = event { break }
    }
    return session
  }

  @Test func `It ends at the end of the last file`() async throws {
    let session = try await ended()
    await session.handle(.player(.ended))
    #expect(session.hasEnded)
    await session.player.close()
  }

  @Test func `An end during an action counts when the action is done`() async throws {
    let session = try await ended()
    session.ask([.apply(AudioPlayer.Settings())])
    await session.handle(.player(.ended))
    #expect(!session.hasEnded)
    await session.handle(.done)
    #expect(session.hasEnded)
    await session.player.close()
  }

  @Test func `An end does not count if an action leads away from it`() async throws {
    let session = try await ended()
    var settings = AudioPlayer.Settings()
    settings.factor = ScaleFactor(clamping: 100)
    await session.player.apply(settings)
    session.ask([.seek(.zero)])
    await session.handle(.player(.ended))
    await session.player.seek(to: .zero)
    await session.handle(.done)
    #expect(!session.hasEnded)
    await session.player.close()
  }
}
