// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

extension AudioFile.Verification {
  var sentence: String {
    let (differing, surplus) = (comparison.differing, comparison.surplus)
    let compared = "\(Self.count(comparison.frames, "frame")) compared"
    switch verdict {
    case .exact: return "verified: \(compared), all are the same."
    case .rounded: return "verified: \(compared), \(differing) differ by rounding, \(largest)."
    case .clipped where differing == 0:
      return "verified: \(compared), all are the same except for \(clipped)."
    case .clipped:
      return "verified: \(compared), \(differing) differ by rounding, \(largest), "
        + "apart from \(clipped)."
    case .different where surplus != 0:
      return "reversed again, it has \(Self.count(abs(surplus), "frame")) "
        + "\(surplus > 0 ? "more" : "fewer") "
        + "than the original; \(compared), \(differing) differ."
    case .different:
      return
        "reversed again, it differs from the original: \(compared), \(differing) differ, \(largest), "
        + "the first is frame \(comparison.firstDifference ?? 0)."
    }
  }

  private var clipped: String { Self.count(comparison.clipped, "clipped sample") }

  private static func count(_ number: Int64, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }

  private var largest: String {
    let decibels = 20 * log10(max(comparison.largestDifference, 1e-20))
    return "by \((10 * decibels).rounded() / 10) dB at most"
  }
}
