// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A position between frames in ticks, a unit that every factor shares.
struct Place {
  /// Ticks in a frame: as many as leave a step of 100 frames, twice, below
  /// 2^63.
  static let ticksPerFrame: Int64 = 1 << 55

  /// The frame that the position falls in or on.
  var frame: Int64
  /// The way from there; below `ticksPerFrame`.
  var ticks: Int64

  /// The position `frames` frames and `more` ticks further on; `more` is
  /// not negative.
  func advanced(frames: Int64, ticks more: Int64) -> Place {
    let sum = ticks &+ more
    return Place(frame: frame &+ frames &+ sum &>> 55, ticks: sum & (Self.ticksPerFrame &- 1))
  }

  /// Whether it comes before `other`.
  func precedes(_ other: Place) -> Bool {
    frame == other.frame ? ticks < other.ticks : frame < other.frame
  }

  /// The way from `frame`, in frames; below 1, though the last ticks before a
  /// frame are nearer to it than any `Double` below 1 is.
  var fraction: Double { min(Double(ticks) / Double(Self.ticksPerFrame), 1.0.nextDown) }
}
