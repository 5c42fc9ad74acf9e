// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension Float {
  /// The largest factor that does not raise `peak` above `level`, or nil if it is not finite.
  static func bringing(_ peak: Double, to level: Double) -> Float? {
    let factor = Float(level / peak)
    guard factor.isFinite else { return nil }
    return Double(factor) * peak > level ? factor.nextDown : factor
  }
}

extension AudioEdit {
  /// Whether the edit makes the sound louder or quieter.
  var changesLevel: Bool { gain != 0 || normalizes || fades }

  /// Whether the gain varies over the length of the sound.
  var fades: Bool { fadeIn > .zero || fadeOut > .zero }

  /// Whether the whole sound must be read once before it can be written: normalizing needs its
  /// peak, and a fade-out its length.
  var needsSurvey: Bool { normalizes || fadeOut > .zero }

  /// The end of the fade-in and the start of the fade-out in a sound of this duration. If the two
  /// would overlap, only the fade-out is shortened.
  func fadeTimes(in duration: Duration) -> (risen: Duration, falls: Duration) {
    let risen = min(fadeIn, duration)
    return (risen, max(duration - fadeOut, risen))
  }

  /// The factor by which samples are multiplied: 10^(gain / 20). If the sound is normalized, this
  /// number is divided by `peak`, the magnitude of the loudest sample, and rounded down, so the
  /// loudest sample does not exceed the requested level.
  func amplification(peak: Double) -> Float {
    let wanted = pow(10, gain / 20)
    guard normalizes, peak > 0, peak.isFinite else { return Float(wanted) }
    return Float.bringing(peak, to: wanted) ?? Float(wanted)
  }
}
