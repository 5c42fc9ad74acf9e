// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Double {
  /// The number with a few significant digits: 1, 1.06, 0.015.
  var short: String {
    let steps = self < 0.1 ? 1000.0 : 100.0
    let text = "\((self * steps).rounded() / steps)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
