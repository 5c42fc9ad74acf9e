// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Performs actions on the player in order, while the session continues to handle keys.
actor PlayWorker {
  private let player: AudioPlayer
  private let files: [AudioFile]
  private let report: AsyncStream<PlayEvent>.Continuation
  private var waiting: [PlayAction] = []
  private var work: Task<Void, Never>?
  /// The number of actions that we've performed, or dropped in favour of a later one.
  private var done = 0

  init(_ player: AudioPlayer, _ files: [AudioFile], _ report: AsyncStream<PlayEvent>.Continuation) {
    (self.player, self.files, self.report) = (player, files, report)
  }

  /// Queues actions and returns immediately. If several of the same kind follow each other, such as
  /// seeks, only the last one is performed.
  func add(_ actions: [PlayAction]) {
    for action in actions {
      if let last = waiting.last, last.isOutdone(by: action) {
        waiting.removeLast()
        done += 1
      }
      waiting.append(action)
    }
    guard work == nil else { return }
    work = Task { await performAll() }
  }

  /// Discards all queued actions, and stops opening a file.
  func cancel() {
    waiting = []
    work?.cancel()
  }

  private func performAll() async {
    while !waiting.isEmpty {
      await perform(waiting.removeFirst())
      done += 1
    }
    work = nil
    report.yield(.done(done))
  }

  private func perform(_ action: PlayAction) async {
    switch action {
    case .play: await player.play()
    case .pause: await player.pause()
    case .seek(let position): await player.seek(to: position)
    case .turn(let direction): await player.setDirection(direction)
    case .speed(let speed): await player.setSpeed(speed)
    case .apply(let settings): await player.apply(settings)
    case .open(let index): await open(index)
    case .write, .quit: break  // performed by the session itself
    }
  }

  private func open(_ index: Int) async {
    do {
      let information = try await player.open(files[index])
      report.yield(.opened(index, .success(information)))
    } catch {
      report.yield(.opened(index, .failure(RetrogradeError(error))))
    }
  }
}

extension PlayAction {
  fileprivate func isOutdone(by next: PlayAction) -> Bool {
    switch (self, next) {
    case (.seek, .seek), (.speed, .speed), (.apply, .apply), (.open, .open): true
    default: false
    }
  }
}
