// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Input positions of the output frames, one after the other, in input frames.
protocol PositionSource {
  /// The frame that the next position falls in or on; never falls.
  var index: Int64 { get }
  /// Whether the next position is on that frame exactly.
  var isOnFrame: Bool { get }
  /// Fraction of the next position after `index`, in a unit of the source.
  var rawWeight: Double { get }
  /// Requirements of the next position on the interpolation.
  var reading: Reading { get }
  /// Whether the next position belongs to another source.
  var isOver: Bool { get }

  /// Whether the next frame may be made once `arrived` frames of input are there, apart from the
  /// frames that the interpolation needs.
  func isDue(arrived: Int64) -> Bool

  /// Number of frames from the next one on that can surely be made, without a look at each of them;
  /// 0 only if not even the next one can. The arguments are those of `isReady(_:end:arrived:)`.
  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64

  /// Records the values of the next position alone at index `place`.
  func note(in points: ReadPoints, _ place: Int)

  /// Advances to the next position.
  mutating func advance()

  /// Puts the next positions into the elements `run` of `points`, with their frames counted from
  /// `first` on, and advances beyond them.
  mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64)
}

extension PositionSource {
  @inline(__always)
  var isOver: Bool { false }

  @inline(__always)
  func note(in points: ReadPoints, _ place: Int) {}

  @inline(__always)
  mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64) {
    var place = run.lowerBound
    while place < run.upperBound {
      points.offsets[place] = Int(truncatingIfNeeded: index &- first)
      points.weights[place] = rawWeight
      note(in: points, place)
      advance()
      place &+= 1
    }
  }

  /// Frames of input that the next position has passed or touched.
  var framesPassed: Int64 { isOnFrame ? index : index &+ 1 }

  /// Whether the next frame can be made from input up to frame `end`, if it needs `window`.
  @inline(__always)
  func isReady(_ window: Window, end: Int64, arrived: Int64) -> Bool {
    let after = isOnFrame ? window.afterOnFrame : window.after
    return index &+ Int64(truncatingIfNeeded: after) < end && isDue(arrived: arrived)
  }

  /// Fills `points` with as many positions as can be read from `source`, at
  /// most `limit`; returns how many. Their weights are raw.
  mutating func fill(
    _ points: ReadPoints, limit: Int, reach: Reach, source: FrameSource, arrived: Int64
  ) -> Int {
    // A copy, so that the compiler sees that nothing else writes to it.
    var position = self
    var count = 0
    var run = 0
    repeat {
      let window = reach.window(position.reading)
      let start = position.index &- Int64(truncatingIfNeeded: window.before)
      guard start >= source.first, !position.isOver else { break }
      let ready = position.readyRun(window, end: source.end, arrived: arrived)
      run = min(limit &- count, Int(truncatingIfNeeded: ready))
      // Not a literal range, which would be checked, and trap.
      let places = Range(uncheckedBounds: (count, count &+ run))
      position.put(places, in: points, from: source.first)
      count &+= run
    } while run > 0
    self = position
    return count
  }
}
