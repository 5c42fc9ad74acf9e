// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The terminal that the program runs in. While it shows the player, it's on its alternate screen,
/// and echo and line editing are off. ``leave()`` restores the previous state, and so does a crash,
/// e.g. in a decoder.
final class Terminal {
  /// The state to restore. The handler of crashes reads it, so there's only one.
  nonisolated(unsafe) private static var before = termios()
  private static let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP]

  /// Switches to the alternate screen, hides the cursor and disables line wrap. `leaveSequence`
  /// undoes this.
  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let leaveSequence: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private var isEntered = false

  /// Nil if we can't show a screen, because input or output isn't a terminal, or only a dumb one.
  init?() {
    guard Console.output.isTerminal, tcgetattr(STDIN_FILENO, &Self.before) == 0 else { return nil }
  }

  /// Switches to the player's screen. Call it at the start, and again after another program such as
  /// a shell has used the terminal.
  func enter() {
    var mode = Self.before
    mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    mode.c_lflag |= tcflag_t(NOFLSH)  // Ctrl-C would discard half a sequence
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    isEntered = true
    // Swift creates a constant when we first read it, which a handler can't wait for
    _ = Self.leaveSequence
    // this only calls async-signal-safe functions, and doesn't allocate memory or take locks
    for crash in Self.crashes {
      signal(crash) { number in
        _ = Glibc.write(
          STDOUT_FILENO, Terminal.leaveSequence.utf8Start, Terminal.leaveSequence.utf8CodeUnitCount)
        tcsetattr(STDIN_FILENO, TCSANOW, &Terminal.before)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    write(Self.enterSequence)
  }

  /// Restores the terminal, and discards keys that were meant for the player.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    for crash in Self.crashes { signal(crash, SIG_DFL) }
    write("\(Self.leaveSequence)")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &Self.before)
  }

  /// If the terminal has been closed, SIGHUP follows.
  func write(_ text: String) { Console.output.write(text) }
}
