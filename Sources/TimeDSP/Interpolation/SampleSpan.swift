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

  /// The frames around a position at frame `offset`.
  init(_ offset: Int, _ half: Int) {
    self.init(start: offset &- half &+ 1, end: offset &+ half &+ 1)
  }

  var count: Int { end &- start }

  func joined(with other: SampleSpan) -> SampleSpan {
    SampleSpan(start: min(start, other.start), end: max(end, other.end))
  }
}
