// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Numbers from outside: from files, devices and C. `Int64(value)` ends the program where the
// value does not fit. So no conversion goes without a label that says what becomes of such a
// value; `scripts/lint.sh` looks after it. `clamping:`, `exactly:` and `truncatingIfNeeded:`
// are Swift's own, and these are for what it lacks.

extension FixedWidthInteger {
  /// The integer part of `value`, or the nearest there is; 0 for what is no number.
  package init(saturating value: Double) {
    self =
      Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}

extension Duration {
  /// A time of GStreamer's, in nanoseconds; nil for GST_CLOCK_TIME_NONE.
  ///
  /// A running time is a clock's time less that of another moment. It wraps where the clock
  /// lies behind, as that of a sound device does for a moment after a flush: it is negative then.
  init?(_ time: GstClockTime) {
    guard time != cgst_no_time else { return nil }
    self = .nanoseconds(Int64(truncatingIfNeeded: time))
  }

  /// Like `seconds(_:)`, but of at most 292 years, and zero for what is no number.
  package static func seconds(saturating value: Double) -> Duration {
    .nanoseconds(Int64(saturating: value * 1e9))
  }

  /// What this time becomes by a factor; of at most 292 years, as what files declare may be
  /// any time.
  func scaled(by factor: ScaleFactor) -> Duration {
    let seconds = inSeconds * factor.value
    return seconds < 9e9 ? self * factor.value : .seconds(saturating: seconds)
  }

  /// Rounded towards zero; at most what 64 bits hold, some 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, beyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return beyond ? (seconds < 0 ? .min : .max) : sum
  }

  /// In seconds, as near as a Double comes.
  package var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
