// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// See `timedsp.h`.
@c @implementation
public func timedsp_reverse(
  _ input: UnsafeRawPointer!, _ output: UnsafeMutableRawPointer!, _ frames: Int,
  _ frameBytes: Int
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let sizes = 1...Int(TIMEDSP_MAX_FRAME_BYTES)
    try require(sizes.contains(frameBytes), else: TIMEDSP_BAD_FRAME_SIZE)
    if frames == 0 { return }
    guard let input, let output else { throw TIMEDSP_NULL_POINTER }
    let source = try MemoryRange(input, frames: frames, frameBytes: frameBytes)
    let target = try MemoryRange(output, frames: frames, frameBytes: frameBytes)
    try require(
      source.start == target.start || !source.overlaps(target), else: TIMEDSP_OVERLAP)
    FrameReversal(input: input, output: output, frames: frames, frameBytes: frameBytes).run()
  }
}
