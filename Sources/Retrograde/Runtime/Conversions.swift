// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Converting numbers that come from files, devices and C. `Int64(value)` traps if the value doesn't
// fit, so every conversion must have a label that says what happens then. `scripts/lint.sh` checks
// this. Swift has `clamping:`, `exactly:` and `truncatingIfNeeded:`. This file adds `saturating:`.

extension FixedWidthInteger {
  /// The integer part of `value`, or the nearest integer that fits. NaN becomes 0.
  package init(saturating value: Double) {
    self =
      Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }

  /// The bytes of the number as they lie in memory.
  var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension Duration {
  /// Creates a time from a GStreamer time in nanoseconds. GST_CLOCK_TIME_NONE becomes nil.
  ///
  /// An unsigned value that has wrapped around is read as a negative time. A running time is the
  /// clock time minus the base time, and it wraps around if the clock is before the base time,
  /// which happens briefly with a sound device's clock after a flush.
  init?(_ time: GstClockTime) {
    guard time != cgst_no_time else { return nil }
    self = .nanoseconds(Int64(truncatingIfNeeded: time))
  }

  /// About 30 years, later than any file ends.
  package static let longest = Duration.seconds(1_000_000_000)

  /// Like `seconds(_:)`, but limited to 292 years. NaN becomes zero.
  package static func seconds(saturating value: Double) -> Duration {
    .nanoseconds(Int64(saturating: value * 1e9))
  }

  /// Clamped to 292 years, because files may declare any time.
  func scaled(by factor: ScaleFactor) -> Duration {
    let seconds = inSeconds * factor.value
    return seconds < 9e9 ? self * factor.value : .seconds(saturating: seconds)
  }

  /// Rounded towards zero, and clamped to 64 bits, about 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, beyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return beyond ? (seconds < 0 ? .min : .max) : sum
  }

  /// The nearest Double.
  package var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
