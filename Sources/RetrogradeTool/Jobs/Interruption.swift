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
    // keep working even if whoever reads standard output has gone
    signal(SIGPIPE, SIG_IGN)
    let received = Mutex<Int32?>(nil)
    let (start, starter) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in start {}
      return await work()
    }
    // not in a task, because the work may block all the threads that run tasks
    Signals.watch(Signals.ending, on: DispatchQueue(label: "retrograde.signals")) { number in
      let isFirst = received.withLock { received in
        defer { received = received ?? number }
        return received == nil
      }
      if isFirst { task.cancel() } else { end(by: number) }
    }
    starter.finish()
    let result = await task.value
    return (result, received.withLock { $0 })
  }

  /// Ends the process in a second, which gives the work a chance to finish on its own. It may be
  /// waiting for whoever reads standard output.
  private static func end(by number: Int32) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      TemporaryNames.removeAll { Signals.endProgram(by: number) }
    }
  }
}
