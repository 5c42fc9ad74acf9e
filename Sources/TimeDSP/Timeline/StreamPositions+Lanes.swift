// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Eight consecutive positions of a `StreamPositions`. Each lane advances by eight steps, so that
/// no lane depends on another.
///
/// The remainders are integers. They are below 2^53, so `Double` represents them and their
/// differences exactly. Every processor compares vectors of doubles in one instruction, but some
/// processors do not compare vectors of 64-bit integers in one instruction.
private struct PositionLanes {
  var indices = SIMD8<Int64>.zero
  var remainders = SIMD8<Double>.zero
  static let count = 8

  /// Advances by `whole` frames and `part` parts. `gap` is the number of parts per frame minus
  /// `part`.
  @inline(__always)
  mutating func advance(whole: Int64, part: Double, gap: Double) {
    let beyond = remainders - gap
    let carries = beyond .>= 0
    // a sum that is too large to be exact is replaced with `beyond`
    remainders = (remainders + part).replacing(with: beyond, where: carries)
    indices &+= SIMD8(repeating: whole).replacing(with: whole &+ 1, where: carries)
  }
}

extension StreamPositions {
  @inline(__always)
  mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64) {
    var slot = run.lowerBound
    // lanes are only faster for longer runs
    if run.upperBound &- slot > 2 &* PositionLanes.count {
      slot = putLanes(run, in: points, from: first)
    }
    while slot < run.upperBound {
      points.offsets[slot] = Int(truncatingIfNeeded: index &- first)
      points.weights[slot] = rawWeight
      advance()
      slot &+= 1
    }
  }

  /// Stores as many groups of eight positions as fit into `run`. Returns the index after the last
  /// position.
  private mutating func putLanes(
    _ run: Range<Int>, in points: ReadPoints, from first: Int64
  ) -> Int {
    var lanes = PositionLanes()
    var start = self
    var lane = 0
    while lane < PositionLanes.count {
      lanes.indices[lane] = start.index &- first
      lanes.remainders[lane] = start.rawWeight
      start.advance()
      lane &+= 1
    }
    let (whole, part, gap) = steps(PositionLanes.count)
    var slot = run.lowerBound
    while slot &+ PositionLanes.count <= run.upperBound {
      UnsafeMutableRawPointer(points.offsets + slot).write(
        SIMD8<Int>(truncatingIfNeeded: lanes.indices))
      UnsafeMutableRawPointer(points.weights + slot).write(lanes.remainders)
      lanes.advance(whole: whole, part: part, gap: gap)
      slot &+= PositionLanes.count
    }
    move(to: lanes.indices[0] &+ first, lanes.remainders[0])
    return slot
  }
}
