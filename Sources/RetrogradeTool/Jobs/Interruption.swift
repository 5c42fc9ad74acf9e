// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Retrograde
import Synchronization

/// Cancels the work or removes its temporary files when a signal ends the process.
enum Interruption {
  /// The first signal cancels the task that runs `work`, and is returned with the result. A second
  /// signal removes the temporary files and ends the process.
  static func watched<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (Result, signal: Int32?) {
    let state = Mutex(State())
    // not in a task, because the work may block all the threads that run tasks
    TerminalInput.listen(to: SignalPipe.ending, keys: nil) { event in
      guard case .signal(let number) = event else { return }
      let isFirst = state.withLock { $0.receive(number) }
      if !isFirst { end(by: number) }
    }
    // keep working even if whoever reads standard output has gone
    signal(SIGPIPE, SIG_IGN)
    let task = Task { await work() }
    state.withLock { state in
      state.cancel = { task.cancel() }
      if state.received != nil { task.cancel() }
    }
    let result = await task.value
    return (result, state.withLock { $0.received })
  }

  /// Ends the process in a second, which gives the work a chance to finish on its own. It may be
  /// waiting for whoever reads standard output.
  private static func end(by number: Int32) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      TemporaryNames.removeAll { SignalPipe.endProgram(by: number) }
    }
  }

  private struct State {
    var received: Int32?
    var cancel: (@Sendable () -> Void)?

    /// Cancels the work, and returns true for the first signal.
    mutating func receive(_ number: Int32) -> Bool {
      guard received == nil else { return false }
      received = number
      cancel?()
      return true
    }
  }
}
