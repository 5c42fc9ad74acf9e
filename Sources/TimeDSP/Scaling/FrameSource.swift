// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Input frames that can be read at the moment.
struct FrameSource {
  /// Addresses of the planes.
  let planes: UnsafePointer<UnsafeRawPointer?>
  /// The number, in the stream, of the frame to which `planes` points.
  let first: Int64
  /// The number, in the stream, of the frame after the last one.
  let end: Int64
}

/// Memory for output frames, and how much of it is used.
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
