// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Frames that kernels cover, numbered as in `ReadPoints`.
struct SampleSpan {
  let start: Int
  let end: Int

  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  /// Around a position in the frame `offset`.
  init(_ offset: Int, _ half: Int) {
    self.init(start: offset &- half &+ 1, end: offset &+ half &+ 1)
  }

  var count: Int { end &- start }

  /// From one channel to the next.
  var stride: Int { Self.stride(count) }

  /// Positions that `count` samples of a channel occupy: a little more than they need, so that the
  /// channels do not all fall on the same lines of the cache.
  static func stride(_ count: Int) -> Int { (count | 15) &+ 16 }

  func joined(with other: SampleSpan) -> SampleSpan {
    SampleSpan(start: min(start, other.start), end: max(end, other.end))
  }
}
