// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// How a part of the screen looks: SGR numbers, with basic colours, which every terminal supports.
enum Style: String {
  case plain = "0"
  case bold = "0;1"
  case dim = "0;2"
  case message = "0;33"
  case wave = "0;36"
  case loop = "0;1;32"
  case playhead = "0;1;31"

  /// The user can disable colours (no-color.org).
  private static let hasColor = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true

  var sequence: String {
    let numbers = rawValue.split(separator: ";").filter { Self.hasColor || $0.count == 1 }
    return "\u{1B}[" + numbers.joined(separator: ";") + "m"
  }
}

extension String {
  func styled(_ style: Style) -> String { style.sequence + self }
}
