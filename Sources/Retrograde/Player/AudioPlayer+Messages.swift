// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// How the player handles messages from its pipeline, and how it reports positions.

extension AudioPlayer {
  /// Interval between positions during playback.
  private static let interval = Duration.milliseconds(50)
  /// Number of intervals without new sound after which a file is given up: 10 s.
  private static let mostDryTicks = 200

  func watch(_ deck: Deck) {
    watchers = [
      Task { [weak self] in
        for await message in deck.pipeline.messages {
          await self?.handleInOrder(message, of: deck)
        }
      },
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.interval)
          await self?.reportWhilePlaying()
        }
      },
    ]
  }

  private func handleInOrder(_ message: Message, of deck: Deck) async {
    await inOrder { await handle(message, of: deck) }
  }

  func handle(_ message: Message, of deck: Deck) async {
    guard deck.pipeline === self.deck?.pipeline else { return }
    switch message {
    case .endOfStream: await end(deck)
    case .failed(let failure):
      let error = error(failure, of: deck)
      await eject()
      eventBoard.send(.failed(error))
    case .warning(let warning): eventBoard.send(.warning(deck.file.sentence(warning)))
    case .tags(let tags):
      let known = information?.tags
      information?.tags.merge(tags.descriptive)
      if let tags = information?.tags, tags.values != known?.values { eventBoard.send(.tags(tags)) }
    case .latency: await deck.pipeline.recalculateLatency()
    default: break
    }
  }

  /// Handles the end of the stream. If the direction or the loop was changed after `revbuf` had
  /// sent the last frames to the sink, playback starts over in the current direction. If there was
  /// a seek after the end, the message is out of date, and is ignored.
  private func end(_ deck: Deck) async {
    guard state == .playing, deck.played.isComplete else { return }
    let hasTurned = deck.played.lastDirection.map { $0 != direction } ?? false
    if hasTurned || loop.mode != .none {
      return await startOver(deck)
    }
    state = .ended
    report()
    eventBoard.send(.ended)
  }

  private func reportWhilePlaying() async {
    guard state == .playing, let deck else { return }
    report()
    let reached = deck.starvedSince
    dryTicks = reached != nil && reached == dryAt ? dryTicks + 1 : 0
    dryAt = reached
    // ticks rather than time, because a stopped process plays nothing either
    guard dryTicks >= Self.mostDryTicks else { return }
    deck.pipeline.activity.isStuck = true
    await eject()
    eventBoard.send(.failed(deck.file.stuck))
  }

  /// Sends the position of the playhead to ``positions``. `known` is that position if the caller
  /// knows it: after a seek, the seek target is reported until the first frame is played.
  func report(at known: Duration? = nil) {
    guard let deck else { return }
    // at the end everything has been played, even if the sink did not wait for the clock
    let played =
      state == .ended ? deck.played.played(at: deck.played.reached) : deck.playedPosition
    playhead = known ?? played?.position ?? playhead
    positionBoard.send(
      Position(
        time: playhead, direction: played?.direction ?? direction, factor: factor, state: state))
  }
}
