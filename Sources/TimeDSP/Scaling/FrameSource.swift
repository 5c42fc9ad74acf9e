// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Consecutive input frames that can be read.
struct FrameSource {
  /// Addresses of the planes.
  let planes: UnsafePointer<UnsafeRawPointer?>
  /// The position in the stream of the frame to which `planes` points.
  let first: Int64
  /// The position in the stream after the last frame.
  let end: Int64
}

/// The caller's memory for output frames, and the number of frames written so far.
struct FrameSink {
  /// Addresses of the planes; must not be `nil` if `capacity` is above 0.
  let planes: UnsafePointer<UnsafeMutableRawPointer?>?
  /// Capacity in frames.
  var capacity: Int
  /// Number of frames written.
  var made = 0

  /// Number of frames that still fit.
  var room: Int { capacity &- made }
}
