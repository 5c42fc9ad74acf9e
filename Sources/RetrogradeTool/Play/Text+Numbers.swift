// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde

extension Duration {
  /// As on a tape deck, with tenths: 1:02.3, 1:00:02.3.
  var clock: String {
    let tenths = max(Int((inSeconds * 10).rounded(.down)), 0)
    let (seconds, minutes) = (tenths / 10 % 60, tenths / 600)
    let tail = String(format: "%02d.%d", seconds, tenths % 10)
    guard minutes >= 60 else { return "\(minutes):\(tail)" }
    return String(format: "%d:%02d:", minutes / 60, minutes % 60) + tail
  }
}

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
