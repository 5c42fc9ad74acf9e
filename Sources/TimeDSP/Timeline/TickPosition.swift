// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A position as a frame and a number of ticks. Unlike the parts of `StreamPositions`, ticks do not
/// depend on the factor.
struct TickPosition {
  /// Number of ticks per frame: the largest power of two for which twice a step of 100 frames is
  /// below 2^63.
  static let ticksPerFrame: Int64 = 1 << 55

  /// The frame at or before the position.
  var frame: Int64
  /// The distance from `frame` in ticks, `0 ..< ticksPerFrame`.
  var ticks: Int64

  /// The position `frames` frames and `more` ticks after this one. `more` must not be negative.
  func advanced(frames: Int64, ticks more: Int64) -> TickPosition {
    let sum = ticks &+ more
    return TickPosition(
      frame: frame &+ frames &+ sum &>> 55, ticks: sum & (Self.ticksPerFrame &- 1))
  }

  /// Whether this position is before `other`.
  func precedes(_ other: TickPosition) -> Bool {
    frame == other.frame ? ticks < other.ticks : frame < other.frame
  }

  /// The distance from `frame` in frames, below 1. Without the limit, `Double` would round the last
  /// ticks before a frame to 1.
  var fraction: Double { min(Double(ticks) / Double(Self.ticksPerFrame), 1.0.nextDown) }
}
