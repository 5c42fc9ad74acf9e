// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension Float {
  /// The largest factor that doesn't raise `peak` above `level`, or nil if that isn't finite.
  static func bringing(_ peak: Double, to level: Double) -> Float? {
    let factor = Float(level / peak)
    guard factor.isFinite else { return nil }
    return Double(factor) * peak > level ? factor.nextDown : factor
  }
}

extension AudioEdit {
  var changesLevel: Bool { gain != 0 || normalizes || fades }

  var fades: Bool { fadeIn > .zero || fadeOut > .zero }

  /// Before we write anything, we need the peak to normalize, and the length to fade out.
  var needsSurvey: Bool { normalizes || fadeOut > .zero }

  /// The end of the fade-in and the start of the fade-out. If they'd overlap, only the fade-out
  /// gets shorter.
  func fadeTimes(in duration: Duration) -> (risen: Duration, falls: Duration) {
    let risen = min(fadeIn, duration)
    return (risen, max(duration - fadeOut, risen))
  }

  /// 10^(gain / 20). To normalize, we divide this by `peak`, the magnitude of the loudest sample,
  /// and round down so that it doesn't exceed the level that you asked for.
  func amplification(peak: Double) -> Float {
    let wanted = pow(10, gain / 20)
    guard normalizes, peak > 0, peak.isFinite else { return Float(wanted) }
    return Float.bringing(peak, to: wanted) ?? Float(wanted)
  }
}
