// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Input frames that can be read now.
struct FrameSource {
  /// Addresses of the planes.
  let planes: UnsafePointer<UnsafeRawPointer?>
  /// The number in the stream of the frame at those addresses.
  let first: Int64
  /// The number of the frame after the last one.
  let end: Int64
}

/// Room for output frames, and how much of it is used.
struct FrameSink {
  /// Addresses of the planes; only for a `capacity` of 0 may there be none.
  let planes: UnsafePointer<UnsafeMutableRawPointer?>?
  /// Frames that there is room for.
  var capacity: Int
  /// Frames that are written.
  var made = 0

  /// Frames that there is still room for.
  var room: Int { capacity &- made }
}
