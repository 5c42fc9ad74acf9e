// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Callers wait here while another command is running.
struct CommandQueue {
  var isBusy = false
  var waiting: [CheckedContinuation<Void, Never>] = []
}

extension AudioPlayer {
  /// Runs commands one at a time, in the order of the calls.
  ///
  /// The actor accepts other calls while a command waits for GStreamer. They wait in this queue so
  /// that they don't see a half-finished command. Messages from the pipeline are handled as
  /// commands, too.
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
