// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The input positions of successive output frames, in input frames.
protocol PositionSource {
  /// The frame at or before the next position; never decreases.
  var index: Int64 { get }
  /// Whether the next position is exactly on that frame.
  var isOnFrame: Bool { get }
  /// The distance of the next position from `index`, in a unit of the source.
  var rawWeight: Double { get }
  /// What the next position requires of the interpolation.
  var reading: Reading { get }
  /// Whether the next position belongs to another source.
  var isOver: Bool { get }

  /// Whether the next frame is due once `arrived` input frames are available, apart from the frames
  /// that the interpolation needs.
  func isDue(arrived: Int64) -> Bool

  /// The number of frames, beginning with the next one, that can be output without examining each
  /// of them; 0 only if not even the next one can. The arguments are those of
  /// `isReady(_:end:arrived:)`.
  func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int64

  /// Records the values of the next position at index `place`, without advancing.
  func note(in points: ReadPoints, _ place: Int)

  /// Advances to the next position.
  mutating func advance()

  /// Stores the next positions in the elements `run` of `points`, with frames counted from `first`,
  /// and advances beyond them.
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

  /// Number of input frames before or at the next position.
  var framesPassed: Int64 { isOnFrame ? index : index &+ 1 }

  /// Whether the next frame can be output with input up to frame `end`, if it needs `window`.
  @inline(__always)
  func isReady(_ window: Window, end: Int64, arrived: Int64) -> Bool {
    let after = isOnFrame ? window.afterOnFrame : window.after
    return index &+ Int64(truncatingIfNeeded: after) < end && isDue(arrived: arrived)
  }

  /// Fills `points` with as many positions as can be read from `source`, at most `limit`; returns
  /// their number. The weights are still raw.
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
      let places = Range(uncheckedBounds: (count, count &+ run))
      position.put(places, in: points, from: source.first)
      count &+= run
    } while run > 0
    self = position
    return count
  }
}
