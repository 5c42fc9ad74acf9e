// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// While it shows the player, the terminal is on its alternate screen, and echo and line editing are
/// off. ``leave()`` restores the previous state, and so does ``TerminalRescue`` after a crash.
final class Terminal {
  private let input: Int32
  private let output: Int32
  private let before: termios
  private var isEntered = false

  /// Switches to the alternate screen, hides the cursor and disables line wrap. `leaveSequence`
  /// undoes this.
  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let leaveSequence: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// Nil if we can't show a screen, because input or output isn't a terminal, or only a dumb one.
  init?(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    let type = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    var mode = termios()
    guard isatty(output) != 0, type != "dumb", tcgetattr(input, &mode) == 0 else { return nil }
    (self.input, self.output, before) = (input, output, mode)
  }

  deinit { leave() }

  /// Switches to the player's screen. Call it at the start, and again after another program such as
  /// a shell has used the terminal.
  func enter() {
    var mode = before
    mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    isEntered = true
    TerminalRescue.arm(
      input: input, output: output, mode: before, text: Self.leaveSequence)
    tcsetattr(input, TCSADRAIN, &mode)
    write(Self.enterSequence)
  }

  /// Restores the terminal, and discards keys that were meant for the player.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    TerminalRescue.disarm()
    write("\(Self.leaveSequence)")
    var mode = before
    tcsetattr(input, TCSAFLUSH, &mode)
  }

  var size: ScreenSize { Console(descriptor: output).size }

  /// The user can disable colours (no-color.org).
  static var hasColor: Bool {
    getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// If the terminal has been closed, SIGHUP follows.
  func write(_ text: String) { Console(descriptor: output).write(text) }
}
