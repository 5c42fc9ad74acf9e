// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Scales frames. See `timescale.h`.
@c @implementation
public func timescale_process(
  _ action: UnsafeMutablePointer<TimeScaleAction>!,
  _ input: UnsafePointer<UnsafeRawPointer?>!,
  _ output: UnsafePointer<UnsafeMutableRawPointer?>!
) {
  guard let action, let work = action.pointee.work else { return }
  action.pointee.frames_used = 0
  action.pointee.frames_made = 0
  action.pointee.more = 0
  let outcome = status { () throws(TimeDSPStatus) in
    try UnsafeMutablePointer<ScaleWork>(work).pointee.process(&action.pointee, input, output)
  }
  action.pointee.status = outcome
}
