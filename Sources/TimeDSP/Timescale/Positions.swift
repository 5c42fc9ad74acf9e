// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The position source of a scaler: one of two kinds, chosen when it is made.
enum Positions {
  case stream(StreamPositions)
  case endpoints(EndpointPositions)

  /// The frame that the next position falls in or on.
  var index: Int64 {
    switch self {
    case .stream(let positions): positions.index
    case .endpoints(let positions): positions.index
    }
  }

  /// Frames of input that the next position has passed or touched.
  var framesPassed: Int64 {
    switch self {
    case .stream(let positions): positions.framesPassed
    case .endpoints(let positions): positions.framesPassed
    }
  }

  /// Of `frames` frames of input after the first `received`, those that are
  /// not beyond the end of what was announced.
  func accepted(_ frames: Int, after received: Int64) -> Int {
    guard case .endpoints(let positions) = self else { return frames }
    let open = positions.count &- received
    return Int64(truncatingIfNeeded: frames) <= open ? frames : Int(truncatingIfNeeded: open)
  }

  /// Whether the next frame can be made now that `arrived` frames are there.
  func isReady(_ interpolation: TimeDSPInterpolation, arrived: Int64) -> Bool {
    let lookahead = Int64(truncatingIfNeeded: interpolation.after)
    return switch self {
    case .stream(let positions):
      positions.isReady(lookahead: lookahead, end: arrived, arrived: arrived)
    case .endpoints(let positions):
      positions.isReady(lookahead: lookahead, end: arrived, arrived: arrived)
    }
  }

  /// Fills `points` with the next positions, as many as can be read from
  /// `source` and at most `limit`; returns how many.
  mutating func fill(
    _ points: ReadPoints, limit: Int, _ interpolation: TimeDSPInterpolation,
    from source: FrameSource, arrived: Int64
  ) -> Int {
    let count: Int
    switch self {
    case .stream(var positions):
      count = positions.fill(
        points, limit: limit, window: interpolation, source: source, arrived: arrived)
      positions.finishWeights(points, count, smooth: interpolation == TIMEDSP_SMOOTH)
      self = .stream(positions)
    case .endpoints(var positions):
      count = positions.fill(
        points, limit: limit, window: interpolation, source: source, arrived: arrived)
      self = .endpoints(positions)
    }
    if interpolation == TIMEDSP_NEAREST { points.snapToFrames(count) }
    return count
  }

  /// Frames still to be made from `arrived` frames of input, if it ends there.
  func framesDue(arrived: Int64) -> UInt64 {
    switch self {
    case .stream(let positions): positions.framesDue(arrived: arrived)
    case .endpoints(let positions): UInt64(truncatingIfNeeded: positions.remaining)
    }
  }

  /// Takes note that the input ended after `received` frames.
  mutating func endInput(after received: Int64) {
    guard case .endpoints(var positions) = self else { return }
    positions.endInput(after: received)
    self = .endpoints(positions)
  }

  /// Goes back to the first position.
  mutating func reset() {
    switch self {
    case .stream(var positions):
      positions.reset()
      self = .stream(positions)
    case .endpoints(var positions):
      positions.reset()
      self = .endpoints(positions)
    }
  }
}
