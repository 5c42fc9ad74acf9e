// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Handling of messages from the pipeline, and the position.

extension AudioPlayer {
  /// Interval between positions during playback.
  private static let interval = Duration.milliseconds(50)

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
    case .warning(let warning): eventBoard.send(.warning(warning.text))
    case .tags(let tags):
      let known = information?.tags
      information?.tags.merge(tags.descriptive)
      if let tags = information?.tags, tags.values != known?.values { eventBoard.send(.tags(tags)) }
    case .latency: await deck.pipeline.recalculateLatency()
    default: break
    }
  }

  /// Handles the end of the stream. If the direction or a loop was changed while the last frames
  /// were queued in the sink, playback continues from here. The end of a stream from before a seek
  /// is ignored.
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

  private func reportWhilePlaying() {
    if state == .playing { report() }
  }

  /// Reports the playhead; `known` is its time if the caller knows it. After a seek, the seek
  /// target is reported until the first frame is played.
  func report(at known: Duration? = nil) {
    guard let deck else { return }
    let heard = deck.place
    place = known ?? heard?.place ?? place
    positionBoard.send(
      Position(
        time: place, direction: heard?.direction ?? direction, factor: factor, state: state))
  }
}
