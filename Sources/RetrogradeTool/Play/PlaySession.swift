// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Plays a list of files, and connects the player, the keys and the display.
///
/// All events arrive in one stream. A ``PlayWorker`` performs the actions for the player
/// concurrently, so that a key does not have to wait for a seek.
final class PlaySession {
  let files: [AudioFile]
  let player: AudioPlayer
  let makeDisplay: () -> any PlayDisplay
  /// Whether a user can press keys. If so, the session does not end after the last file.
  let isInteractive: Bool
  let report: AsyncStream<PlayEvent>.Continuation
  let worker: PlayWorker
  private let events: AsyncStream<PlayEvent>

  var model: PlayModel
  /// Actions that are performed after the first file has been opened and before it is played.
  var preparation: [PlayAction] = []
  /// Start position in the first file, or the start of its loop if that is later. The file must be
  /// longer than this.
  var firstPosition: Duration?
  /// The display, or nil until a file is open, so that earlier errors leave the terminal unchanged.
  var display: (any PlayDisplay)?
  /// Errors about files that could not be played or written.
  var failures: [RetrogradeError] = []
  var ending: PlayEnding?
  var outline: Task<Void, Never>?
  var writing: (task: Task<Void, Never>, name: String)?
  /// Whether the next file was requested because the previous one has ended.
  var isAdvancing = true
  /// Whether the user wants to quit while a file is being written.
  var isQuitting = false
  private var asked = 0
  private var done = 0

  init(
    _ files: [AudioFile], with player: AudioPlayer, model: PlayModel, isInteractive: Bool,
    makeDisplay: @escaping () -> any PlayDisplay
  ) {
    (self.files, self.player, self.model) = (files, player, model)
    (self.isInteractive, self.makeDisplay) = (isInteractive, makeDisplay)
    (events, report) = AsyncStream.makeStream(of: PlayEvent.self)
    worker = PlayWorker(player, files, report)
  }

  /// Plays until the list is finished or the user quits.
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

  /// Whether some requested actions have not been performed yet, so that the positions reported by
  /// the player are out of date.
  var hasPendingActions: Bool { done < asked }

  func note(done: Int) { self.done = done }
}
