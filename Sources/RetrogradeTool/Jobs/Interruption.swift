// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Synchronization

/// Ends work in order, its temporary files removed, when the process is told to end.
enum Interruption {
  /// Runs `work`, whose task is cancelled by a signal; that is the second result.
  static func watched<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (Result, signal: Int32?) {
    let state = Mutex(State())
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      let source = await source(for: number) {
        state.withLock { state in
          state.received = state.received ?? number
          state.cancel?()
        }
      }
      if let source { sources.append(source) }
    }
    // who reads our output may go; the work does not stop for that
    signal(SIGPIPE, SIG_IGN)
    let task = Task { await work() }
    state.withLock { state in
      state.cancel = { task.cancel() }
      if state.received != nil { task.cancel() }
    }
    let result = await task.value
    for source in sources { source.cancel() }
    return (result, state.withLock { $0.received })
  }

  private struct State {
    var received: Int32?
    /// nil before the work begins.
    var cancel: (@Sendable () -> Void)?
  }

  /// Listens when it returns; nil for a signal that whoever started us wants ignored (`nohup`).
  private static func source(
    for number: Int32, _ handler: @escaping @Sendable () -> Void
  ) async -> (any DispatchSourceSignal)? {
    var before = sigaction()
    sigaction(number, nil, &before)
    if isIgnored(before) { return nil }
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler {
      signal(number, SIG_DFL)  // a second one ends us at once
      handler()
    }
    await withCheckedContinuation { continuation in
      source.setRegistrationHandler { continuation.resume() }
      source.resume()
    }
    return source
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
