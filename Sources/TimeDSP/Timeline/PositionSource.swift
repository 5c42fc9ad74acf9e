// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The input positions of successive output frames, in input frames.
protocol PositionSource {
  /// The frame at or before the next position; never decreases.
  var index: Int64 { get }
  /// Whether the next position is exactly on frame `index`.
  var isOnFrame: Bool { get }
  /// The distance of the next position from `index`. Its unit depends on the source.
  var rawWeight: Double { get }
  /// What the next position requires of the interpolation.
  var reading: Reading { get }
  /// Whether the next position belongs to another source.
  var isOver: Bool { get }

  /// Whether `arrived` input frames are enough for the next frame to be due. The frames that the
  /// interpolation needs are not considered.
  func isDue(arrived: Int64) -> Bool

  /// The number of frames, beginning with the next one, that can be output without examining each
  /// of them. It is 0 only if the next frame cannot be output. The arguments have the same meaning
  /// as in `isReady(_:end:arrived:)`.
  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64

  /// Stores additional values of the next position at index `slot` of `points`. Does not advance.
  func note(in points: ReadPoints, _ slot: Int)

  /// Advances to the next position.
  mutating func advance()

  /// Stores the next positions in the elements `run` of `points`, and advances beyond them. Offsets
  /// are relative to frame `first`.
  mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64)
}

extension PositionSource {
  @inline(__always)
  var isOver: Bool { false }

  @inline(__always)
  func note(in points: ReadPoints, _ slot: Int) {}

  @inline(__always)
  mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64) {
    var slot = run.lowerBound
    while slot < run.upperBound {
      points.offsets[slot] = Int(truncatingIfNeeded: index &- first)
      points.weights[slot] = rawWeight
      note(in: points, slot)
      advance()
      slot &+= 1
    }
  }

  /// Number of input frames before or at the next position.
  var framesPassed: Int64 { isOnFrame ? index : index &+ 1 }

  /// Whether the next frame can be output if the input before frame `end` is available. The
  /// interpolation needs the frames of `window`.
  @inline(__always)
  func isReady(_ window: Window, end: Int64, arrived: Int64) -> Bool {
    let after = isOnFrame ? window.afterOnFrame : window.after
    return index &+ Int64(truncatingIfNeeded: after) < end && isDue(arrived: arrived)
  }

  /// Fills `points` with the positions that can be read from `source`, at most `limit`. Returns the
  /// number of positions. Their weights are still raw.
  mutating func fill(
    _ points: ReadPoints, limit: Int, reach: Reach, source: FrameSource, arrived: Int64
  ) -> Int {
    // a copy, so that the compiler knows that nothing else writes to it
    var position = self
    var count = 0
    var run = 0
    repeat {
      let window = reach.window(position.reading)
      let start = position.index &- Int64(truncatingIfNeeded: window.before)
      guard start >= source.first, !position.isOver else { break }
      let ready = position.readyRun(window, end: source.end, arrived: arrived)
      run = min(limit &- count, Int(truncatingIfNeeded: ready))
      // a literal range would be checked, and could trap
      let slots = Range(uncheckedBounds: (count, count &+ run))
      position.put(slots, in: points, from: source.first)
      count &+= run
    } while run > 0
    self = position
    return count
  }
}
