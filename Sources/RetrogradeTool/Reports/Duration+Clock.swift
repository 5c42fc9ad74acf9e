// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension Duration {
  /// Formats as "1:05", or "1:02:05" with hours. Rounded to seconds.
  var clock: String { Self.clock(seconds: Self.whole(inSeconds.rounded())) }

  /// Formats as "1:05.250". Rounded to milliseconds.
  var preciseClock: String {
    let milliseconds = Self.whole((inSeconds * 1000).rounded())
    let rest = String(milliseconds % 1000 + 1000).dropFirst()
    return "\(Self.clock(seconds: milliseconds / 1000)).\(rest)"
  }

  /// Tape deck style with tenths of a second: "1:02.3", "1:00:02.3". Rounded down.
  var deckClock: String {
    let tenths = Self.whole((inSeconds * 10).rounded(.down))
    return "\(Self.clock(seconds: tenths / 10)).\(tenths % 10)"
  }

  private static func clock(seconds: Int) -> String {
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
    let tail = two(seconds % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  private static func whole(_ value: Double) -> Int { max(Int(saturating: value), 0) }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
