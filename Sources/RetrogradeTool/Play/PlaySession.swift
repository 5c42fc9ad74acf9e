// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Plays a list of files, and connects the player, the keys and the display.
///
/// All events arrive in one stream. A ``PlayWorker`` performs the player's actions concurrently, so
/// that keys don't have to wait for a seek.
final class PlaySession {
  let files: [AudioFile]
  let player: AudioPlayer
  let makeDisplay: () -> PlayDisplay
  /// An interactive session doesn't end after the last file.
  let isInteractive: Bool
  let report: AsyncStream<PlayEvent>.Continuation
  let worker: PlayWorker
  private let events: AsyncStream<PlayEvent>

  var model: PlayModel
  /// Extra actions to perform once the first file is open, before we play it.
  var preparation: [PlayAction] = []
  var hasBegun = false
  /// Where playback of the first file, or its loop, starts. The file must be longer than this.
  var firstPosition: Duration?
  /// Nil until a file is open, so that earlier errors leave the terminal alone.
  var display: PlayDisplay?
  /// Errors about files that we couldn't play or write.
  var failures: [RetrogradeError] = []
  var ending: PlayEnding?
  var outline: Task<Void, Never>?
  var writing: (task: Task<Void, Never>, name: String)?
  /// The file that pressing w again will write.
  var offered: FilePath?
  var isAdvancing = true
  var isQuitting = false
  private var asked = 0
  private var done = 0

  init(
    _ files: [AudioFile], with player: AudioPlayer, model: PlayModel, isInteractive: Bool,
    makeDisplay: @escaping () -> PlayDisplay
  ) {
    (self.files, self.player, self.model) = (files, player, model)
    (self.isInteractive, self.makeDisplay) = (isInteractive, makeDisplay)
    (events, report) = AsyncStream.makeStream(of: PlayEvent.self)
    worker = PlayWorker(player, files, report)
  }

  func run(_ input: TerminalInput) async -> PlayEnding {
    let feeds = [
      feed(input.events) { .terminal($0) }, feed(player.positions) { _ in .position },
      feed(player.events) { .player($0) },
    ]
    await ask([.open(0)])
    for await event in events {
      await handle(event)
      display?.show(model)
      if ending != nil { break }
    }
    display?.suspend()
    for feed in feeds { feed.cancel() }
    return ending ?? .finished
  }

  private func feed<Element: Sendable>(
    _ stream: AsyncStream<Element>, as event: @escaping @Sendable (Element) -> PlayEvent
  ) -> Task<Void, Never> {
    Task { [report] in
      for await element in stream { report.yield(event(element)) }
    }
  }

  /// Stops everything, and removes an incomplete file.
  func close() async {
    await worker.cancel()
    outline?.cancel()
    writing?.task.cancel()
    await writing?.task.value
    await player.close()
  }

  func ask(_ actions: [PlayAction]) async {
    asked += actions.count
    await worker.add(actions)
  }

  /// Where you stopped playback, and in which file. Nil at the end of the file.
  var stop: (name: String, time: String)? {
    guard model.transport == .playing || model.transport == .paused else { return nil }
    return (model.track.name, model.position.deckClock)
  }

  /// Some of the actions that you asked for are still to come, so the player's reported positions
  /// are out of date.
  var hasPendingActions: Bool { done < asked }

  func note(done: Int) { self.done = done }
}
