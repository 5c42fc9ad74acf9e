// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Positions that fit a known number of frames to another and keep both ends:
/// the control points of `scaleToD` in "Scaling Audio Files".
///
/// Everything is computed in double precision in the order of operations of
/// that article, from the number of the frame and not from the position before
/// it, so that the figures agree with its own to the last digit.
struct EndpointPositions: PositionSource {
  /// Frames of input and of output.
  let count: Int64
  let length: Int64
  /// Whether the way from each frame to the next is bent by smoothstep.
  private let isSmooth: Bool
  /// Between the first frame and the last: output frames per input frame if the interpolation
  /// curves the way, otherwise input frames per output frame.
  private let slope: Double
  /// The last frame of input, beyond which there are no positions.
  private var last: Double
  /// The number of the next output frame, and its position.
  private var made: Int64 = 0
  private var point = 0.0
  private(set) var index: Int64 = 0
  private(set) var rawWeight = 0.0

  /// `count` is at least 1 unless `length` is 0; both are 2^53 at most.
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

  /// A shorter output has room for less of the band; below the least factor of
  /// a stream, kernels grow no longer. Fewer than two frames on either side
  /// are not scaled but picked.
  var reading: Reading {
    let factor = isSmooth ? 1 : 1 / slope
    return Reading(
      scale: max(TIMEDSP_MIN_FACTOR, min(factor, 1)),
      isIdentity: length == count || length < 2 || count < 2)
  }

  var isOnFrame: Bool { rawWeight == 0 }

  /// Frames still to be made.
  var remaining: Int64 { length &- made }

  func isDue(arrived: Int64) -> Bool { made < length }

  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64 {
    isReady(window, end: end, arrived: arrived) ? 1 : 0
  }

  mutating func advance() {
    made &+= 1
    settlePoint()
  }

  /// The first position again.
  mutating func reset() {
    self = EndpointPositions(count: count, length: length, smooth: isSmooth)
  }

  /// Records that the input ended after `received` frames. If that is early, the last of them
  /// replaces the missing ones.
  mutating func endInput(after received: Int64) {
    guard received < count else { return }
    last = Double(max(received, 1) &- 1)
    settlePoint()
  }

  /// Finds the position of frame `made`.
  private mutating func settlePoint() {
    // A single frame of output is the first frame of input, not the last.
    let isAtEnd = made >= max(length &- 1, 1) || length == 0
    // Rounding may lift a position over the last frame, or let one fall below
    // the position before it; neither may be read.
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
