// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Synchronization

enum Key: Equatable, Sendable {
  case character(Character)
  case left, right, up, down, home, end, pageUp, pageDown
  case shiftLeft, shiftRight
  case enter
  /// A letter with Ctrl.
  case control(Character)

  /// Calls `report` for each key that's pressed in the terminal from now on, and with nil when no
  /// more can follow.
  static func watch(_ report: @escaping @Sendable (Key?) -> Void) {
    let parser = Mutex(KeyParser())
    let source = DispatchSource.makeReadSource(
      fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "retrograde.keys"))
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
      parser.withLock { $0.feed(bytes.prefix(max(count, 0))) }.forEach(report)
      guard count <= 0 else { return }
      report(nil)
      source.cancel()
    }
    source.resume()
  }
}

/// Converts the bytes from a terminal to keys. An arrow key sends several bytes starting with ESC,
/// and over a slow line they may arrive one at a time.
struct KeyParser {
  private var pending: [UInt8] = []

  /// All the keys that we know have much shorter sequences.
  private static let longestSequence = 32

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = parse() {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// The first key (nil if we don't know it) and how many bytes it has. The whole result is nil if
  /// we need more bytes.
  private func parse() -> (Key?, Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return parseEscape()
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x01, 0x02: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
    default: return (nil, 1)
    }
  }

  private func parseEscape() -> (Key?, Int)? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "O"): return pending.count > 2 ? (Self.key(final: pending[2], ""), 3) : nil
    case UInt8(ascii: "["): return parseControlSequence()
    default: return (nil, 1)  // the ESC key does nothing
    }
  }

  /// Parses a control sequence: ESC [, the parameters, and a final byte.
  private func parseControlSequence() -> (Key?, Int)? {
    guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return pending.count > Self.longestSequence ? (nil, pending.count) : nil
    }
    let parameters = String(decoding: pending[2..<end], as: UTF8.self)
    return (Self.key(final: pending[end], parameters), end + 1)
  }

  private static func key(final: UInt8, _ parameters: String) -> Key? {
    switch (Character(Unicode.Scalar(final)), parameters.prefix { $0 != ";" }) {
    case ("C", _) where parameters.hasSuffix(";2"): .shiftRight
    case ("D", _) where parameters.hasSuffix(";2"): .shiftLeft
    case ("A", _): .up
    case ("B", _): .down
    case ("C", _): .right
    case ("D", _): .left
    case ("H", _), ("~", "1"), ("~", "7"): .home
    case ("F", _), ("~", "4"), ("~", "8"): .end
    case ("~", "5"): .pageUp
    case ("~", "6"): .pageDown
    default: nil
    }
  }
}
