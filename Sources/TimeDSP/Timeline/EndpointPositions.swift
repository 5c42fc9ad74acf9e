// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Positions that scale a known number of input frames to a given number of output frames. The
/// first and the last output frame are the first and the last input frame. The positions are the
/// control points of `scaleToD` in "Scaling Audio Files".
///
/// All values are computed in double precision, in the article's order of operations, and each
/// position from the number of its output frame, not from the previous position. The results agree
/// with the article to the last digit.
struct EndpointPositions: PositionSource {
  /// Number of input frames.
  let count: Int64
  /// Number of output frames.
  let length: Int64
  /// Whether smoothstep is applied to positions between two frames. Only for `TIMEDSP_SMOOTH` when
  /// lengthening.
  private let isSmooth: Bool
  /// Output frames per input frame if `isSmooth`, otherwise input frames per output frame. Measured
  /// from the first frame to the last, so n frames count as n - 1.
  private let slope: Double
  /// The number of the last input frame. No position is after it.
  private var last: Double
  /// The number of the next output frame.
  private var made: Int64 = 0
  /// Input position of the next output frame.
  private var point = 0.0
  private(set) var index: Int64 = 0
  private(set) var rawWeight = 0.0

  /// `count` must be at least 1 unless `length` is 0; both must be at most 2^53.
  init(count: Int64, length: Int64, smooth: Bool) {
    self.count = count
    self.length = length
    isSmooth = smooth && length > count && count > 1
    let inputSpan = Double(count &- 1)
    let outputSpan = Double(length &- 1)
    slope = isSmooth ? outputSpan / inputSpan : (length > 1 ? inputSpan / outputSpan : 0)
    last = max(inputSpan, 0)
    settlePoint()
  }

  /// Below the smallest factor of a stream, kernels do not become longer. If the input or the
  /// output has fewer than two frames, frames are copied and not interpolated.
  var reading: Reading {
    let factor = isSmooth ? 1 : 1 / slope
    return Reading(
      scale: max(TIMEDSP_MIN_FACTOR, min(factor, 1)),
      isIdentity: length == count || length < 2 || count < 2)
  }

  var isOnFrame: Bool { rawWeight == 0 }

  /// Number of output frames still to come.
  var remaining: Int64 { length &- made }

  func isDue(arrived: Int64) -> Bool { made < length }

  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64 {
    isReady(window, end: end, arrived: arrived) ? 1 : 0
  }

  mutating func advance() {
    made &+= 1
    settlePoint()
  }

  /// Returns to the first position.
  mutating func reset() {
    self = EndpointPositions(count: count, length: length, smooth: isSmooth)
  }

  /// Records that the input ended after `received` frames. If this is less than `count`, the last
  /// frame is repeated in place of the missing frames.
  mutating func endInput(after received: Int64) {
    guard received < count else { return }
    last = Double(max(received, 1) &- 1)
    settlePoint()
  }

  /// Computes the position of frame `made`.
  private mutating func settlePoint() {
    // the only output frame is the first input frame, not the last
    let isAtEnd = made >= max(length &- 1, 1) || length == 0
    // without the limits, rounding could put the position after `last` or before the previous
    // position
    point = min(max(isAtEnd ? last : exactPoint, point), last)
    index = timedsp_whole_part(point)
    rawWeight = point - Double(index)
  }

  private var exactPoint: Double {
    let frame = Double(made)
    guard isSmooth else { return frame * slope }
    let way = frame / slope
    let whole = Double(timedsp_whole_part(way))
    return whole + smoothstep(way - whole)
  }
}
