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
    let received = Mutex<Int32?>(nil)
    let task = Task { await work() }
    let sources = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].compactMap { number in
      source(for: number) {
        received.withLock { $0 = $0 ?? number }
        task.cancel()
      }
    }
    // who reads our output may go; the work does not stop for that
    signal(SIGPIPE, SIG_IGN)
    let result = await task.value
    for source in sources { source.cancel() }
    return (result, received.withLock { $0 })
  }

  /// nil for a signal that whoever started us wants ignored (`nohup`).
  private static func source(
    for number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> (any DispatchSourceSignal)? {
    var before = sigaction()
    sigaction(number, nil, &before)
    if isIgnored(before) { return nil }
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler {
      signal(number, SIG_DFL)  // a second one ends us at once
      handler()
    }
    source.resume()
    return source
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
