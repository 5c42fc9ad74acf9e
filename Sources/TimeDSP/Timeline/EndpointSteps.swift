// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Read positions that scale a known number of input frames to a given number of output frames, and
/// keep the first and the last frame. They're the control points of `scaleToD` in "Scaling Audio
/// Files".
///
/// We compute in double precision, in the article's order of operations, and each position from the
/// number of its output frame. So results agree with the article to the last digit.
struct EndpointSteps: BitwiseCopyable {
  let count: Int64
  private let length: Int64
  /// Smoothstep is for positions between two frames, and only for `TIMEDSP_SMOOTH` when
  /// lengthening.
  private let isSmooth: Bool
  /// Output frames per input frame if `isSmooth`, otherwise input frames per output frame. It's
  /// from the first frame to the last, so n frames count as n - 1.
  private let slope: Double
  /// The last input frame. No position is after it.
  private var last: Double
  private var made: Int64 = 0
  /// Where the next output frame is read.
  private var position = 0.0

  /// The input frame at or before the next position.
  var index: Int64 { timedsp_whole_part(position) }
  var weight: Double { position - Double(index) }

  /// `count` must be at least 1, unless `length` is 0. Both must be at most 2^53.
  init(count: Int64, length: Int64, smooth: Bool) {
    self.count = count
    self.length = length
    isSmooth = smooth && length > count && count > 1
    let inputSpan = Double(count &- 1)
    let outputSpan = Double(length &- 1)
    slope = isSmooth ? outputSpan / inputSpan : (length > 1 ? inputSpan / outputSpan : 0)
    last = max(inputSpan, 0)
    settle()
  }

  var restarted: EndpointSteps { EndpointSteps(count: count, length: length, smooth: isSmooth) }

  /// Below a stream's smallest factor, kernels don't become longer. If input or output has fewer
  /// than two frames, we copy instead of interpolating.
  var reading: Reading {
    let factor = isSmooth ? 1 : 1 / slope
    return Reading(
      scale: max(TIMEDSP_MIN_FACTOR, min(factor, 1)),
      isIdentity: length == count || length < 2 || count < 2)
  }

  var remaining: UInt64 { UInt64(truncatingIfNeeded: length &- made) }

  mutating func advance() {
    made &+= 1
    settle()
  }

  /// If `received` is less than `count`, the last frame stands for the missing frames.
  mutating func endInput(after received: Int64) {
    guard received < count else { return }
    last = Double(max(received, 1) &- 1)
    settle()
  }

  private mutating func settle() {
    // a single output frame is the first input frame, not the last
    let isAtEnd = made >= max(length &- 1, 1) || length == 0
    // otherwise, rounding could put the position after `last`, or before the previous one
    position = min(max(isAtEnd ? last : exactPosition, position), last)
  }

  private var exactPosition: Double {
    let frame = Double(made)
    guard isSmooth else { return frame * slope }
    let distance = frame / slope
    let whole = Double(timedsp_whole_part(distance))
    return whole + smoothstep(distance - whole)
  }
}
