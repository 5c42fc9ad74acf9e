// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

struct Style: Hashable, Sendable {
  /// Basic colours with their SGR numbers. Every terminal supports them.
  enum Color: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  var color: Color?
  var isBold = false
  var isDim = false

  static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)

  static func color(_ color: Color, isBold: Bool = false) -> Style {
    Style(color: color, isBold: isBold)
  }

  func sequence(hasColor: Bool) -> String {
    var codes = [0]
    if isBold { codes.append(1) }
    if isDim { codes.append(2) }
    if let color, hasColor { codes.append(color.rawValue) }
    return "\u{1B}[" + codes.map(String.init).joined(separator: ";") + "m"
  }
}
