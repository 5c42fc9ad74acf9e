// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension Float {
  /// The factor that scales `peak` to `level`, or to slightly less; nil if it is not a finite
  /// number.
  static func bringing(_ peak: Double, to level: Double) -> Float? {
    let factor = Float(level / peak)
    guard factor.isFinite else { return nil }
    return Double(factor) * peak > level ? factor.nextDown : factor
  }
}

extension AudioEdit {
  /// Whether it makes the sound louder, or quieter.
  var changesLevel: Bool { gain != 0 || normalizes || fades }

  /// Whether the gain changes during the sound.
  var fades: Bool { fadeIn > .zero || fadeOut > .zero }

  /// Whether the whole sound has to be known before it can be written.
  var needsSurvey: Bool { normalizes || fadeOut > .zero }

  /// Ends and starts of the fades in sound of this duration: the end of the rise, and the start of
  /// the fall. If the two would overlap, it rises first.
  func fadeTimes(in duration: Duration) -> (risen: Duration, falls: Duration) {
    let risen = min(fadeIn, duration)
    return (risen, max(duration - fadeOut, risen))
  }

  /// The factor for samples: 10^(gain / 20), divided by `peak`, the magnitude of the loudest
  /// sample, if that is to reach full scale first. Rounding never makes it larger.
  func amplification(peak: Double) -> Float {
    let wanted = pow(10, gain / 20)
    guard normalizes, peak > 0, peak.isFinite else { return Float(wanted) }
    return Float.bringing(peak, to: wanted) ?? Float(wanted)
  }
}
