// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Delivers signals as bytes in a pipe. The signal handler only writes a byte, and the thread that
/// polls the pipe is then free to call any function.
enum SignalPipe {
  /// Signals that end the program. The others stop or resume it, or report a new terminal size.
  static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  static let all = ending + [SIGTSTP, SIGCONT, SIGWINCH]

  /// The signal handlers write here. Set before we install the first handler, and never changed
  /// after that.
  nonisolated(unsafe) private static var writeEnd: Int32 = -1

  /// Installs the handlers, and returns the end of the pipe to read from. Returns nil if we can't
  /// create the pipe. Signals that are already ignored, for example because of nohup, stay ignored.
  static func open(_ signals: [Int32]) -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd = ends[1]
    for signal in signals where !isIgnored(signal) { catchSignal(signal) }
    return ends[0]
  }

  static func close() {
    for signal in all where !isIgnored(signal) { setHandler(SIG_DFL, of: signal) }
  }

  /// Stops the program like Ctrl-Z, and returns when it's resumed.
  static func stopProgram() {
    setHandler(SIG_DFL, of: SIGTSTP)
    kill(getpid(), SIGTSTP)
    usleep(100_000)  // if another thread gets the signal, stopping this one takes a moment
    catchSignal(SIGTSTP)
  }

  /// Ends the program through the signal itself, so that the parent process learns the reason.
  static func endProgram(by signal: Int32) -> Never {
    setHandler(SIG_DFL, of: signal)
    kill(getpid(), signal)
    usleep(1_000_000)
    exit(128 + signal)
  }

  private static func catchSignal(_ signal: Int32) {
    setHandler(
      { signal in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(SignalPipe.writeEnd, &byte, 1)
        errno = before
      }, of: signal)
  }

  private static func setHandler(_ handler: sighandler_t?, of signal: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = SA_RESTART
    sigaction(signal, &action, nil)
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
