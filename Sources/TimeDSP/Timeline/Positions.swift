// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The position source of a scaler: a stream or fixed endpoints, as chosen on creation. While the
/// factor of a stream changes, it is a ramp.
enum Positions {
  case stream(StreamPositions)
  case ramp(RampPositions)
  case endpoints(EndpointPositions)

  /// The input frame at or before the next position.
  var index: Int64 {
    switch self {
    case .stream(let positions): positions.index
    case .ramp(let positions): positions.index
    case .endpoints(let positions): positions.index
    }
  }

  /// Number of input frames before the next position.
  var framesPassed: Int64 {
    switch self {
    case .stream(let positions): positions.framesPassed
    case .ramp(let positions): positions.framesPassed
    case .endpoints(let positions): positions.framesPassed
    }
  }

  /// The distance from `index` to the next position, in frames, 0 ..< 1.
  var fraction: Double {
    switch self {
    case .stream(let positions): positions.fraction
    case .ramp(let positions): positions.rawWeight
    case .endpoints(let positions): positions.rawWeight
    }
  }

  /// The properties of the next positions that the interpolation needs.
  var reading: Reading {
    switch self {
    case .stream(let positions): positions.reading
    case .ramp(let positions): positions.reading
    case .endpoints(let positions): positions.reading
    }
  }

  /// The widest window of the next positions, until the factor is set again.
  func widestWindow(_ reach: Reach) -> Window {
    guard case .ramp(let positions) = self else { return reach.window(reading) }
    return reach.window(scale: positions.leastScale)
  }

  /// The widest window of any position, at any factor.
  func widestWindowEver(_ reach: Reach) -> Window {
    guard case .endpoints(let positions) = self else {
      return reach.window(scale: TIMEDSP_MIN_FACTOR)
    }
    return reach.window(positions.reading)
  }

  /// Number of frames to keep before and after a position, so that a scaler with any other
  /// interpolation can continue there at the current factor.
  var past: Int {
    switch self {
    case .stream(let positions): SincQuality.longestHalf(scale: positions.reading.scale)
    case .ramp(let positions): SincQuality.longestHalf(scale: positions.leastScale)
    case .endpoints: 0
    }
  }

  /// The same as `past`, for any factor.
  var pastEver: Int {
    guard case .endpoints = self else { return SincQuality.longestHalf(scale: TIMEDSP_MIN_FACTOR) }
    return 0
  }

  /// Advances by `frames` frames, which the caller outputs unmodified. Returns `false`, and does
  /// nothing, if the output would differ from the input, or if not all of the `received` frames
  /// have been output.
  mutating func pass(_ frames: Int, after received: Int64) -> Bool {
    guard case .stream(var positions) = self, positions.isIdentity, positions.index == received
    else { return false }
    positions.skip(Int64(truncatingIfNeeded: frames))
    self = .stream(positions)
    return true
  }

  /// The position from which the factor is constant: the next position, or the end of a ramp.
  var steadyFrom: Double {
    guard case .ramp(let positions) = self else { return Double(index) + fraction }
    return Double(positions.landing.index) + positions.landing.fraction
  }

  /// The speed at the next position, in input frames per output frame; `nil` if the factor is
  /// fixed.
  var speed: Double? {
    switch self {
    case .stream(let positions): Double(positions.ticksPerStep) / Double(TickPosition.ticksPerFrame)
    case .ramp(let positions): Double(positions.speed) / Double(TickPosition.ticksPerFrame)
    case .endpoints: nil
    }
  }

  /// How many of `frames` new input frames belong to the stream: with fixed endpoints, frames after
  /// the last expected frame are ignored. `received` is the number of input frames before the new
  /// frames.
  func accepted(_ frames: Int, after received: Int64) -> Int {
    guard case .endpoints(let positions) = self else { return frames }
    let open = positions.count &- received
    return Int64(truncatingIfNeeded: frames) <= open ? frames : Int(truncatingIfNeeded: open)
  }

  /// Whether the next output frame can be computed from the first `arrived` input frames.
  func isReady(_ reach: Reach, arrived: Int64) -> Bool {
    let window = reach.window(reading)
    return switch self {
    case .stream(let positions): positions.isReady(window, end: arrived, arrived: arrived)
    case .ramp(let positions): positions.isReady(window, end: arrived, arrived: arrived)
    case .endpoints(let positions): positions.isReady(window, end: arrived, arrived: arrived)
    }
  }

  /// Fills `points` with the next positions, at most `limit`. Stops before the first position for
  /// which `source` lacks input frames. Returns the number of positions.
  mutating func fill(
    _ points: ReadPoints, limit: Int, _ settings: ScalerSettings,
    from source: FrameSource, arrived: Int64
  ) -> Int {
    let count: Int
    let reach = settings.reach
    let isSmooth = settings.interpolation == TIMEDSP_SMOOTH
    switch self {
    case .stream(var positions):
      count = positions.fill(points, limit: limit, reach: reach, source: source, arrived: arrived)
      positions.finishWeights(points, count, smooth: isSmooth)
      self = .stream(positions)
    case .ramp(var positions):
      count = positions.fill(points, limit: limit, reach: reach, source: source, arrived: arrived)
      if isSmooth { points.smoothLengtheningWeights(count) }
      self = positions.isOver ? .stream(positions.landing) : .ramp(positions)
    case .endpoints(var positions):
      count = positions.fill(points, limit: limit, reach: reach, source: source, arrived: arrived)
      self = .endpoints(positions)
    }
    if settings.interpolation == TIMEDSP_NEAREST { points.snapToFrames(count) }
    return count
  }

  /// Number of output frames still to come if the input ends after `arrived` frames. During a ramp,
  /// this is an upper bound.
  func framesDue(arrived: Int64) -> UInt64 {
    switch self {
    case .stream(let positions): positions.framesDue(arrived: arrived)
    case .ramp(let positions): positions.framesDue(arrived: arrived)
    case .endpoints(let positions): UInt64(truncatingIfNeeded: positions.remaining)
    }
  }

  /// Records that the input ended after `received` frames.
  mutating func endInput(after received: Int64) {
    guard case .endpoints(var positions) = self else { return }
    positions.endInput(after: received)
    self = .endpoints(positions)
  }

  /// Returns to the first position, with a constant factor.
  mutating func reset() {
    switch self {
    case .ramp(let ramp):
      var positions = ramp.landing
      positions.reset()
      self = .stream(positions)
    case .stream(var positions):
      positions.reset()
      self = .stream(positions)
    case .endpoints(var positions):
      positions.reset()
      self = .endpoints(positions)
    }
  }
}
