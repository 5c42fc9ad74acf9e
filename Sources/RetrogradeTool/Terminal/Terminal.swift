// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The terminal while the player's screen is on it: keys arrive one by one, the screen is a
/// separate one, and the previous state is restored by ``leave()``, or when the program crashes.
final class Terminal {
  private let input: Int32
  private let output: Int32
  private let before: termios
  private var isEntered = false

  /// Alternate screen, no cursor, no scrolling at the last column; and all of it back.
  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let leaveSequence: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// nil if there can be no screen: input or output is no terminal, or a dumb one.
  init?(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    let type = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    var mode = termios()
    guard isatty(output) != 0, type != "dumb", tcgetattr(input, &mode) == 0 else { return nil }
    (self.input, self.output, before) = (input, output, mode)
  }

  deinit { leave() }

  /// Enters the player's screen; again after another program, such as a shell, has used the
  /// terminal.
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

  /// Gives the terminal back, without keys that were meant for us.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    TerminalRescue.disarm()
    write("\(Self.leaveSequence)")
    var mode = before
    tcsetattr(input, TCSAFLUSH, &mode)
  }

  /// 80×24 if the terminal does not report it.
  var size: ScreenSize {
    var size = winsize()
    guard ioctl(output, UInt(clamping: TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(columns: Int(clamping: size.ws_col), rows: Int(clamping: size.ws_row))
  }

  /// Whether colours are there, and wanted (no-color.org).
  static var hasColor: Bool {
    getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// Whether block characters can be shown.
  static var isUnicode: Bool {
    setlocale(LC_CTYPE, "")
    return nl_langinfo(Int32(clamping: CODESET)).map { String(cString: $0).uppercased() } == "UTF-8"
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(output, start, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }  // the terminal is gone; SIGHUP comes
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}
