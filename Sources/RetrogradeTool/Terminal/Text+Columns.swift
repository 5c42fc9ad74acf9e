// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Unicode.Scalar {
  /// East Asian scripts and most emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]

  fileprivate var isWide: Bool { Self.wide.contains { $0.contains(value) } }

  /// False for control characters, and for those that change the writing direction.
  fileprivate var isPrintable: Bool {
    if properties.isJoinControl { return true }  // needed by some scripts and emoji
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      false
    default: true
    }
  }
}

extension Character {
  var columns: Int { unicodeScalars.first?.isWide == true ? 2 : 1 }
}

extension String {
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text with "?" for each character that a terminal can't display. Tags and file names may
  /// contain control characters.
  var printable: String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "?" }))
  }

  /// Cuts off text that's too long, and adds an ellipsis.
  func fitted(to width: Int) -> String {
    guard columns > width else { return self }
    guard width > 1 else { return width == 1 ? "…" : "" }
    var text = ""
    var used = 1
    for character in self {
      used += character.columns
      guard used <= width else { break }
      text.append(character)
    }
    return text + "…"
  }

  /// Cuts off text that's too long, and adds spaces to text that's too short.
  func padded(to width: Int) -> String {
    let text = fitted(to: width)
    return text + String(repeating: " ", count: max(width - text.columns, 0))
  }
}

extension Double {
  /// The number with a few significant digits: 1, 1.06, 0.015.
  var short: String {
    let steps = self < 0.1 ? 1000.0 : 100.0
    let text = "\((self * steps).rounded() / steps)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
