// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The reading position of a voice frame near an onset or an end, and how well the frame continues
/// the voice there. This position may be up to 14 ms away from the frame's own position. The phase
/// advance is measured at the reading position, so every partial keeps its frequency.
struct VoiceFollower {
  /// Distance in frames from the frame's own position to the reading position.
  var shift: Int64 = 0
  /// How well the input at the reading position continues the output, from 0 (not at all) to 1.
  var fit: Float = 0
  /// Whether the frame is read at the original speed, because it is near an onset or an end.
  var isRigid = false
}

/// The position at which a voice frame should be read. `VoiceSearch` finds the actual position,
/// which also depends on the period of the voice.
struct ReadingPosition {
  /// Distance in frames from the frame's own position to the reading position.
  var aside: Int64
  /// Whether the frame must be read there, at the original speed, even if it does not continue the
  /// voice.
  var isRigid: Bool
}
