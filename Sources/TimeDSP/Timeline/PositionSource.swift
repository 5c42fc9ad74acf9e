// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The positions in the input at which successive output frames are read. A position is counted in
/// input frames, and may be between two of them. The next position is the position of the next
/// output frame. `Positions` has the kinds of sources.
protocol PositionSource {
  /// The input frame at or before the next position. It never decreases.
  var index: Int64 { get }
  /// Whether the next position is exactly on input frame `index`.
  var isOnFrame: Bool { get }
  /// The distance from `index` to the next position, in a unit that depends on the source.
  var rawWeight: Double { get }
  /// The properties of the next positions that the interpolation needs.
  var reading: Reading { get }
  /// Whether the sequence has ended, so that another source has the next position.
  var isOver: Bool { get }

  /// Whether the next output frame is due: whether the input that it represents is among the first
  /// `arrived` frames. The interpolation may need more input frames (`isReady`).
  func isDue(arrived: Int64) -> Bool

  /// A number of output frames, beginning with the next output frame, for all of which
  /// `isReady(_:end:arrived:)` is true. It is 0 only if the next frame is not ready. Arguments as
  /// in `isReady`.
  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64

  /// Stores additional values of the next position, such as its factor, in `points` at index
  /// `slot`. Does not advance.
  func note(in points: ReadPoints, _ slot: Int)

  /// Advances to the next position.
  mutating func advance()

  /// Stores the next positions in the elements `run` of `points`, and advances beyond them. Their
  /// offsets are relative to input frame `first`, and their weights are raw.
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

  /// Number of input frames before the next position.
  var framesPassed: Int64 { isOnFrame ? index : index &+ 1 }

  /// Whether the next output frame can be computed. `end` is the frame after the last readable
  /// input frame, `window` the window of the interpolation, and `arrived` the number of input
  /// frames that have arrived.
  @inline(__always)
  func isReady(_ window: Window, end: Int64, arrived: Int64) -> Bool {
    let after = isOnFrame ? window.afterOnFrame : window.after
    return index &+ Int64(truncatingIfNeeded: after) < end && isDue(arrived: arrived)
  }

  /// Fills `points` with up to `limit` next positions, as far as the input for them is in `source`.
  /// Returns the number of positions. Their weights are still raw.
  mutating func fill(
    _ points: ReadPoints, limit: Int, reach: Reach, source: FrameSource, arrived: Int64
  ) -> Int {
    // a local copy, which the compiler can keep in registers
    var position = self
    var count = 0
    var run = 0
    repeat {
      let window = reach.window(position.reading)
      let start = position.index &- Int64(truncatingIfNeeded: window.before)
      guard start >= source.first, !position.isOver else { break }
      let ready = position.readyRun(window, end: source.end, arrived: arrived)
      run = min(limit &- count, Int(truncatingIfNeeded: ready))
      // a range literal would be checked, and could trap
      let slots = Range(uncheckedBounds: (count, count &+ run))
      position.put(slots, in: points, from: source.first)
      count &+= run
    } while run > 0
    self = position
    return count
  }
}
