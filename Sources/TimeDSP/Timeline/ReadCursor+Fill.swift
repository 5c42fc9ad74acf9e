// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension ReadCursor {
  /// Fills `points` with at most `limit` positions, and returns how many. Stops at the first
  /// position for which `source` lacks frames, and at the end of a ramp.
  mutating func fill(
    _ points: ReadPoints, limit: Int, _ settings: ScalerSettings,
    from source: FrameSource, arrived: Int64
  ) -> Int {
    let isSmooth = settings.interpolation == TIMEDSP_SMOOTH
    let count: Int
    if let ramp {
      count = fill(points, limit, settings.reach, source, arrived: arrived, along: ramp)
      if isSmooth { points.smoothLengtheningWeights(count) }
    } else if let endpoints {
      count = fill(points, limit, settings.reach, source, along: endpoints)
    } else {
      count = fillSteadily(points, limit, settings.reach, source, arrived: arrived)
      points.divideWeights(count, by: Double(steady.parts))
      if isSmooth && steady.isLengthening { points.smoothWeights(count) }
    }
    if settings.interpolation == TIMEDSP_NEAREST { points.snapToFrames(count) }
    return count
  }

  /// At a constant factor. The weights are still in parts.
  private mutating func fillSteadily(
    _ points: ReadPoints, _ limit: Int, _ reach: Reach, _ source: FrameSource, arrived: Int64
  ) -> Int {
    var (count, run) = (0, 0)
    repeat {
      let window = reach.window(reading)
      guard index &- Int64(truncatingIfNeeded: window.before) >= source.first else { break }
      run = min(limit &- count, readyRun(window, end: source.end, arrived: arrived))
      // a range literal would be checked, and could trap
      put(Range(uncheckedBounds: (count, count &+ run)), in: points, from: source.first)
      count &+= run
    } while run > 0
    return count
  }

  /// How many output frames we can surely compute from here on. If it's 0, we can't compute even
  /// one.
  private func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int {
    // the longest step in frames, and how far the position can advance
    let longestStep = UInt64(truncatingIfNeeded: steady.one.whole &+ 1)
    let frames = min(end &- Int64(truncatingIfNeeded: window.after), arrived) &- 1 &- index
    if frames > steady.one.whole {
      return Int(
        truncatingIfNeeded: UInt64(truncatingIfNeeded: frames).quotient(by: longestStep))
    }
    var (next, weight) = (index, weight)
    let after = weight == 0 ? window.afterOnFrame : window.after
    steady.advance(&next, &weight)
    let isDue = (weight == 0 ? next : next &+ 1) <= arrived
    return index &+ Int64(truncatingIfNeeded: after) < end && isDue ? 1 : 0
  }

  private mutating func fill(
    _ points: ReadPoints, _ limit: Int, _ reach: Reach, _ source: FrameSource, arrived: Int64,
    along first: RampSteps
  ) -> Int {
    var (ramp, count) = (first, 0)
    while count < limit {
      let factor = ramp.factor
      let window = reach.window(Reading(scale: RampSteps.scale(factor), isMoving: true))
      let (index, isOnFrame) = (ramp.position.high, ramp.position.low == 0)
      let after = Int64(truncatingIfNeeded: isOnFrame ? window.afterOnFrame : window.after)
      guard index &- Int64(truncatingIfNeeded: window.before) >= source.first,
        index &+ after < source.end
      else { break }
      points.offsets[count] = Int(truncatingIfNeeded: index &- source.first)
      points.weights[count] = ramp.position.fraction
      points.factors[count] = max(factor, TIMEDSP_MIN_FACTOR)
      var next = ramp
      guard next.advance() else {
        let next = landed(after: ramp)
        guard next.framesPassed <= arrived else { break }
        self = next
        return count &+ 1
      }
      guard next.framesPassed <= arrived else { break }
      ramp = next
      count &+= 1
    }
    go(to: ramp)
    return count
  }

  private mutating func fill(
    _ points: ReadPoints, _ limit: Int, _ reach: Reach, _ source: FrameSource,
    along first: EndpointSteps
  ) -> Int {
    let window = reach.window(first.reading)
    var (endpoints, count) = (first, 0)
    while count < limit, endpoints.remaining > 0 {
      let (index, weight) = (endpoints.index, endpoints.weight)
      let after = Int64(truncatingIfNeeded: weight == 0 ? window.afterOnFrame : window.after)
      guard index &- Int64(truncatingIfNeeded: window.before) >= source.first,
        index &+ after < source.end
      else { break }
      points.offsets[count] = Int(truncatingIfNeeded: index &- source.first)
      points.weights[count] = weight
      endpoints.advance()
      count &+= 1
    }
    go(to: endpoints)
    return count
  }
}

/// Eight consecutive positions at a constant factor. Each lane takes eight steps at once, so no
/// lane waits for another.
///
/// The weights are integers below 2^53, so `Double` represents them and their differences exactly.
/// Every CPU compares vectors of doubles in one instruction, but some don't do that for 64-bit
/// integers.
private struct PositionLanes {
  var indices = SIMD8<Int64>.zero
  var weights = SIMD8<Double>.zero
  static let count = 8

  @inline(__always)
  mutating func advance(_ stride: SteadySteps.Stride) {
    let beyond = weights - stride.gap
    let carries = beyond .>= 0
    // `beyond` replaces sums that are too large to be exact
    weights = (weights + stride.part).replacing(with: beyond, where: carries)
    indices &+= SIMD8(repeating: stride.whole).replacing(with: stride.whole &+ 1, where: carries)
  }
}

extension ReadCursor {
  /// Stores the next positions at a constant factor, and advances. Their offsets are relative to
  /// input frame `first`.
  @inline(__always)
  private mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64) {
    var slot = run.lowerBound
    // for shorter ones, lanes aren't faster
    if run.upperBound &- slot > 2 &* PositionLanes.count {
      slot = putLanes(run, in: points, from: first)
    }
    var (index, weight) = (index, weight)
    while slot < run.upperBound {
      points.offsets[slot] = Int(truncatingIfNeeded: index &- first)
      points.weights[slot] = weight
      steady.advance(&index, &weight)
      slot &+= 1
    }
    go(to: index, weight)
  }

  /// Stores the groups of eight that fit. Returns the index after the last position.
  private mutating func putLanes(
    _ run: Range<Int>, in points: ReadPoints, from first: Int64
  ) -> Int {
    var lanes = PositionLanes()
    var (index, weight) = (index, weight)
    for lane in upTo(PositionLanes.count) {
      lanes.indices[lane] = index &- first
      lanes.weights[lane] = weight
      steady.advance(&index, &weight)
    }
    let stride = steady.stride(PositionLanes.count)
    var slot = run.lowerBound
    while slot &+ PositionLanes.count <= run.upperBound {
      UnsafeMutableRawPointer(points.offsets + slot).write(
        SIMD8<Int>(truncatingIfNeeded: lanes.indices))
      UnsafeMutableRawPointer(points.weights + slot).write(lanes.weights)
      lanes.advance(stride)
      slot &+= PositionLanes.count
    }
    go(to: lanes.indices[0] &+ first, lanes.weights[0])
    return slot
  }
}
