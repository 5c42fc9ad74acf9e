// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

extension Double {
  /// With as many digits as one reads at a glance: 1, 1.06, 0.015.
  var short: String {
    let text = String(format: self < 0.1 ? "%.3f" : "%.2f", self)
    guard text.contains(".") else { return text }
    var trimmed = Substring(text)
    while trimmed.last == "0" { trimmed.removeLast() }
    return String(trimmed.last == "." ? trimmed.dropLast() : trimmed)
  }
}
