// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Kernels cover these input frames, numbered like the offsets of `ReadPoints`.
struct SampleSpan {
  let start: Int
  let end: Int

  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  /// A kernel at `offset` covers `half` frames on either side.
  init(_ offset: Int, _ half: Int) {
    self.init(start: offset &- half &+ 1, end: offset &+ half &+ 1)
  }

  var count: Int { end &- start }

  func joined(with other: SampleSpan) -> SampleSpan {
    SampleSpan(start: min(start, other.start), end: max(end, other.end))
  }
}
