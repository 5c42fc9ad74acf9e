// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Where the output frames are read, one after the other, in input frames.
protocol PositionSource {
  /// The frame that the next position falls in or on; never falls.
  var index: Int64 { get }
  /// Whether the next position is on that frame exactly.
  var isOnFrame: Bool { get }
  /// What the next position adds to `index`, in a unit of the source's own.
  var rawWeight: Double { get }

  /// Whether the next frame may be made once `arrived` frames of input are
  /// there, as far as it does not depend on what the interpolation looks at.
  func isDue(arrived: Int64) -> Bool

  /// How many frames from the next one on can surely be made, without looking
  /// at each of them; 0 only if not even the next one can. The arguments are
  /// those of `isReady(lookahead:end:arrived:)`.
  func readyRun(lookahead: Int64, end: Int64, arrived: Int64) -> Int64

  /// Goes on to the next position.
  mutating func advance()
}

extension PositionSource {
  /// Frames of input that the next position has passed or touched.
  var framesPassed: Int64 { isOnFrame ? index : index &+ 1 }

  /// Whether the next frame can be made from input up to frame `end`, with
  /// `lookahead` frames looked at after the one that the position falls in.
  @inline(__always)
  func isReady(lookahead: Int64, end: Int64, arrived: Int64) -> Bool {
    (isOnFrame ? index : index &+ lookahead) < end && isDue(arrived: arrived)
  }

  /// Fills `points` with as many positions as can be read from `source`, at
  /// most `limit`; returns how many. Their weights are raw.
  mutating func fill(
    _ points: ReadPoints, limit: Int, window: TimeDSPInterpolation, source: FrameSource,
    arrived: Int64
  ) -> Int {
    let lookahead = Int64(truncatingIfNeeded: window.after)
    guard index &- Int64(truncatingIfNeeded: window.before) >= source.first else { return 0 }
    // A copy, so that the compiler sees that nothing else writes to it.
    var position = self
    var count = 0
    var run = 0
    repeat {
      let ready = position.readyRun(lookahead: lookahead, end: source.end, arrived: arrived)
      run = min(limit &- count, Int(truncatingIfNeeded: ready))
      let runEnd = count &+ run
      while count < runEnd {
        points.offsets[count] = Int(truncatingIfNeeded: position.index &- source.first)
        points.weights[count] = position.rawWeight
        position.advance()
        count &+= 1
      }
    } while run > 0
    self = position
    return count
  }
}
