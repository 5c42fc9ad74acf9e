// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc

enum Signals {
  /// Signals that end the program.
  static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Calls `report` on `queue` for each of these signals from now on. Signals that are already
  /// ignored, for example because of nohup, stay ignored.
  static func watch(
    _ signals: [Int32], on queue: DispatchQueue, _ report: @escaping @Sendable (Int32) -> Void
  ) {
    let watched = signals.filter { !isIgnored($0) }
    let isWatched = DispatchSemaphore(value: 0)
    for signal in watched {
      let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
      // the handler keeps its source alive
      source.setEventHandler { withExtendedLifetime(source) { report(signal) } }
      source.setRegistrationHandler { isWatched.signal() }
      source.resume()
    }
    for _ in watched { isWatched.wait() }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return true }
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
}
