// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a frame near the end or the beginning of a voice follows the voice: the input is read up to
/// 14 ms away from its position, where it continues the output. This changes no phase: the phase
/// advance is measured where the frame is read, so that every partial keeps its frequency, whether
/// it belongs to the voice or not.
struct VoiceFollower {
  /// Number of frames after its own position at which the input is read.
  var shift: Int64 = 0
  /// How well the input there continues the output, 0 … 1.
  var fit: Float = 0
  /// Whether it is read at its original speed.
  var isRigid = false
}

/// The position at which a frame should be read, to the extent that the period of the voice allows.
struct ReadingPlace {
  /// Number of frames after its own position.
  var aside: Int64
  /// Whether it is read there at its original speed, voice or not.
  var isRigid: Bool
}
