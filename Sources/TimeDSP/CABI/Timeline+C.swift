// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Multiplies a time. See `timeline.h`.
@c @implementation
public func timedsp_scale_time(_ timeNs: UInt64, _ factor: Double) -> UInt64 {
  scaledTime(timeNs, by: factor)
}
