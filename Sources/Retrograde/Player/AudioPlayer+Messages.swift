// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// How the player handles messages from its pipeline, and how it reports positions.

extension AudioPlayer {
  /// The interval between positions during playback.
  private static let interval = Duration.milliseconds(50)
  /// We give up on a file after this many intervals without new sound, 10 s.
  private static let maxDryTicks = 200

  func watch(_ loaded: LoadedFile) {
    watchers = [
      Task { [weak self] in
        for await message in loaded.pipeline.messages {
          await self?.inOrder { await self?.handle(message, of: loaded) }
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

  func handle(_ message: Message, of loaded: LoadedFile) async {
    guard loaded.pipeline === self.loaded?.pipeline else { return }
    switch message {
    case .endOfStream: await end(loaded)
    case .failed(let failure):
      let error = error(failure, of: loaded) ?? loaded.file.error(failure)
      await eject()
      eventBoard.send(.failed(error))
    case .warning(let warning): eventBoard.send(.warning(loaded.file.sentence(warning)))
    case .tags(let tags):
      let known = information?.tags
      information?.tags.merge(tags.descriptive)
      if let tags = information?.tags, tags.values != known?.values { eventBoard.send(.tags(tags)) }
    case .latency: await loaded.pipeline.recalculateLatency()
    default: break
    }
  }

  /// Handles the end of the stream. If you changed the direction or the loop after `revbuf` had
  /// sent the last frames to the sink, playback starts over in the current direction. If there's
  /// been a seek since, the message is out of date and we ignore it.
  private func end(_ loaded: LoadedFile) async {
    guard state == .playing, loaded.playback({ $0.isComplete }) else { return }
    let hasTurned = loaded.playback { $0.lastDirection ?? direction } != direction
    if hasTurned || settings.loop.mode != .none {
      return await startOver(loaded)
    }
    state = .ended
    report()
    eventBoard.send(.ended)
  }

  private func reportWhilePlaying() async {
    guard state == .playing, let loaded else { return }
    report()
    let reached = loaded.starvedSince
    dryTicks = reached != nil && reached == dryAt ? dryTicks + 1 : 0
    dryAt = reached
    // we count ticks rather than time, because nothing plays while the process is stopped, either
    guard dryTicks >= Self.maxDryTicks else { return }
    loaded.pipeline.activity.isStuck = true
    await eject()
    eventBoard.send(.failed(loaded.file.stuck))
  }

  /// Sends the position of the playhead to ``positions``. Callers that already know it can pass it
  /// as `known`. After a seek, we report the seek target until the first frame is played.
  func report(at known: Duration? = nil) {
    guard let loaded else { return }
    let played = loaded.played(isAtEnd: state == .ended)
    playhead = known ?? played?.position ?? playhead
    positionBoard.send(
      Position(
        time: playhead, direction: played?.direction ?? direction,
        factor: loaded.playback.factor, state: state))
  }
}
