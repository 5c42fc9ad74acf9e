// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a frame near the end or the beginning of a voice follows the voice. The input is read at a
/// position where it continues the output. This position is up to 14 ms away from the frame's own
/// position. The phase advance is measured at the reading position, so every partial keeps its
/// frequency.
struct VoiceFollower {
  /// Distance in frames from the frame's own position to the reading position.
  var shift: Int64 = 0
  /// How well the input at the reading position continues the output, 0 … 1.
  var fit: Float = 0
  /// Whether the frame is read at the original speed, because it is near an onset or an end.
  var isRigid = false
}

/// The position at which a frame should be read. The actual position also depends on the period of
/// the voice.
struct ReadingPosition {
  /// Distance in frames from the frame's own position.
  var aside: Int64
  /// Whether the frame is read there at the original speed, even if no voice is found to continue.
  var isRigid: Bool
}
