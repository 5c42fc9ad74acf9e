// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Restores the terminal when the program crashes, e.g. in a decoder. The signal handler only uses
/// async-signal-safe functions, and doesn't allocate memory or take locks.
enum TerminalRescue {
  private static let crashes: [Int32] = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP]

  private struct RescueState {
    var input: Int32 = -1
    var output: Int32 = -1
    var mode = termios()
    var text: StaticString = ""
  }

  /// The state that the handler restores. Set it before you install the handlers.
  nonisolated(unsafe) private static var rescueState = RescueState()

  /// From now on, a crash writes `text` to `output` and restores the `mode` of `input`.
  static func arm(input: Int32, output: Int32, mode: termios, text: StaticString) {
    rescueState = RescueState(input: input, output: output, mode: mode, text: text)
    for signal in crashes { handle(signal, by: { TerminalRescue.restore($0) }) }
  }

  static func disarm() {
    for signal in crashes { handle(signal, by: SIG_DFL) }
  }

  private static func restore(_ signal: Int32) {
    _ = write(rescueState.output, rescueState.text.utf8Start, rescueState.text.utf8CodeUnitCount)
    tcsetattr(rescueState.input, TCSANOW, &rescueState.mode)
    raise(signal)
  }

  /// Installs a one-shot handler. The system removes it before the call, so the handler can end the
  /// program by raising the signal again.
  private static func handle(_ signal: Int32, by handler: sighandler_t?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
    sigaction(signal, &action, nil)
  }
}
