// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Retrograde
import Synchronization

/// Signals as events.
enum Signals {
  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let first = Mutex<Int32?>(nil)

  /// The first signal that asked the program to end.
  static var received: Int32? { first.withLock { $0 } }

  /// Calls `report` for the signals that ask the program to end, and for `others`, from now on.
  /// Signals that are already ignored, for example because of nohup, stay ignored.
  ///
  /// After a second signal that asks the program to end, we give it another second to finish on its
  /// own. Then we remove the temporary files and end it.
  static func watch(
    _ others: [Int32] = [], _ report: @escaping @Sendable (Int32) -> Void
  ) {
    let queue = DispatchQueue(label: "retrograde.signals")
    for number in ending + others where !isIgnored(number) {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      let isWatched = DispatchSemaphore(value: 0)
      // the handler keeps its source alive
      source.setEventHandler { withExtendedLifetime(source) { handle(number, report) } }
      source.setRegistrationHandler { isWatched.signal() }
      source.resume()
      isWatched.wait()
    }
  }

  private static func handle(_ number: Int32, _ report: (Int32) -> Void) {
    let isRepeated = ending.contains(number) && received != nil
    if ending.contains(number) { first.withLock { $0 = $0 ?? number } }
    guard isRepeated else { return report(number) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      TemporaryNames.removeAll { endProgram(by: number) }
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends the program through the signal itself, so that the parent process learns the reason.
  static func endProgram(by number: Int32) -> Never {
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, number)
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
    exit(128 + number)
  }

  /// The first signal cancels the task that runs `work`.
  static func cancelling<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> Result {
    // keep working even if whoever reads standard output has gone
    signal(SIGPIPE, SIG_IGN)
    let (start, starter) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in start {}
      return await work()
    }
    // not in a task, because the work may block all the threads that run tasks
    watch { _ in task.cancel() }
    starter.finish()
    return await task.value
  }
}
