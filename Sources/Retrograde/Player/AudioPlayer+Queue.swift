// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// While a command is running, the other callers wait here.
struct CommandQueue {
  var isBusy = false
  var waiting: [CheckedContinuation<Void, Never>] = []
}

extension AudioPlayer {
  /// Runs commands one after the other, in the order of the calls.
  ///
  /// While a command waits for GStreamer, the actor accepts other calls. They wait in this queue,
  /// because they must not see the state between two steps of the command. We handle messages from
  /// the pipeline as commands, too.
  func inOrder<Result, Failure>(
    _ command: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if queue.isBusy {
      await withCheckedContinuation { queue.waiting.append($0) }
    }
    queue.isBusy = true
    defer {
      if queue.waiting.isEmpty {
        queue.isBusy = false
      } else {
        queue.waiting.removeFirst().resume()  // the queue stays busy: the next command runs
      }
    }
    return try await command()
  }
}
