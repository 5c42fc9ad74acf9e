// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Where we read an analysis frame of a voice near an onset or an end, and how well it continues
/// the voice there. It's up to 14 ms from where the time map says. We measure the phase advance
/// there, so every partial keeps its frequency.
struct VoiceFollower {
  /// From where the time map says, in samples.
  var shift: Int64 = 0
  /// How well the input there continues the output, from 0 (not at all) to 1.
  var fit: Float = 0
  /// Near an onset or an end, we read at the original speed.
  var isRigid = false
}

/// Where we'd like to read an analysis frame of a voice. `VoiceSearch` finds the actual position,
/// which also depends on the voice's period.
struct ReadingPosition {
  /// From where the time map says, in samples.
  var aside: Int64
  /// We must read here, at the original speed, even if this doesn't continue the voice.
  var isRigid: Bool
}
