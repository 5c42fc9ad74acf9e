// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The running command, and the commands that wait for it.
struct CommandQueue {
  var isBusy = false
  var waiting: [CheckedContinuation<Void, Never>] = []
}

extension AudioPlayer {
  /// Runs commands one after the other, in the order of the calls.
  ///
  /// While a command waits for GStreamer, the actor accepts other calls. Those must not see the
  /// command half done, so they wait. Messages of the pipeline are handled as commands, too.
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
        queue.waiting.removeFirst().resume()  // the queue stays busy
      }
    }
    return try await command()
  }
}
