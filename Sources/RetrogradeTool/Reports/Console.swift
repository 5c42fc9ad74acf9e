// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Unbuffered output to a file descriptor, normally standard output or standard error.
struct Console: Sendable {
  let descriptor: Int32

  static let output = Console(descriptor: STDOUT_FILENO)
  static var error: Console { Console(descriptor: StandardError.descriptor) }

  var isTerminal: Bool { isatty(descriptor) != 0 && getenv("TERM").map(Self.isDumb) != true }

  /// 80 if we don't know.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(clamping: TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(clamping: size.ws_col)
  }

  /// A failed write is reported when the process ends.
  func write(_ text: String) {
    write(Array(text.utf8)[...])
  }

  @discardableResult
  func write(_ bytes: ArraySlice<UInt8>) -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        Self.note(errno, at: descriptor)
        return false
      }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Characters that a terminal wouldn't print become "?".
  func writeLine(_ text: String) {
    write(text.printable + "\n")
  }

  func writeLines(_ lines: [String]) {
    lines.forEach(writeLine)
  }

  private static func isDumb(_ terminal: UnsafeMutablePointer<CChar>) -> Bool {
    String(cString: terminal) == "dumb"
  }
}
