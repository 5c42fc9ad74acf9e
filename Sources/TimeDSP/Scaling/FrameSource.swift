// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

struct FrameSource {
  let planes: UnsafePointer<UnsafeRawPointer?>
  /// `planes` points to this frame of the stream.
  let first: Int64
  /// The source ends before this frame of the stream.
  let end: Int64
}

/// The caller's memory for output frames, and how much of it is full.
struct FrameSink {
  /// Never `nil` if `capacity` is above 0.
  let planes: UnsafePointer<UnsafeMutableRawPointer?>?
  var capacity: Int
  var made = 0

  var room: Int { capacity &- made }
}
