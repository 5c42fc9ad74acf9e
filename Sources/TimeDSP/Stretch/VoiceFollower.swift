// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The position at which an analysis frame of a voice is read near an onset or an end, and how well
/// the frame continues the voice there. The reading position may be up to 14 ms away from the
/// position that the time map gives. The phase advance is measured at the reading position, so
/// every partial keeps its frequency.
struct VoiceFollower {
  /// Distance in samples from the position that the time map gives to the reading position.
  var shift: Int64 = 0
  /// How well the input at the reading position continues the output, from 0 (not at all) to 1.
  var fit: Float = 0
  /// Whether the frame is read at the original speed, because it is near an onset or an end.
  var isRigid = false
}

/// The position at which an analysis frame of a voice should be read. `VoiceSearch` finds the
/// actual position, which also depends on the period of the voice.
struct ReadingPosition {
  /// Distance in samples from the position that the time map gives to the reading position.
  var aside: Int64
  /// Whether the frame must be read at this position, at the original speed, even if it does not
  /// continue the voice.
  var isRigid: Bool
}
