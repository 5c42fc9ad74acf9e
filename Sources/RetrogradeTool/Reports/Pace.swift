// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

struct Pace: Equatable {
  /// The fraction that's done, 0 … 1.
  var fraction: Double
  /// Seconds of sound per second. Nil until we know.
  var speed: Double?
  /// In seconds. Nil until we know.
  var remaining: Double?

  init(_ progress: JobProgress, elapsed: Duration) {
    fraction = progress.fraction
    guard fraction > 0, elapsed > .zero else { return }
    if progress.seconds > 0 { speed = progress.seconds / elapsed.inSeconds }
    remaining = elapsed.inSeconds * (1 - fraction) / fraction
  }

  /// For example "42 %, 35.2 × real time, 0:12 left".
  var text: String {
    var parts = ["\(Int(saturating: fraction * 100)) %"]
    if let speed { parts.append("\(Self.short(speed)) × real time") }
    if let remaining { parts.append("\(Duration.seconds(saturating: remaining).clock) left") }
    return parts.joined(separator: ", ")
  }

  private static func short(_ value: Double) -> String {
    value < 10 ? String((value * 10).rounded() / 10) : String(Int(saturating: value.rounded()))
  }
}
