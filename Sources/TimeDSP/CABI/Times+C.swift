// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// An unknown end or position, or a marker that isn't set: `TIMEDSP_UNKNOWN`, a macro that Swift
/// can't import.
let unknownFrame: Int64 = -1

/// See `timedsp.h`.
@c @implementation
public func timedsp_scale_time(_ timeNs: UInt64, _ factor: Double) -> UInt64 {
  scaledTime(timeNs, by: factor)
}
