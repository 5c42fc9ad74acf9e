// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a frame near an end or a beginning of a voice follows it: the input is read up to 14 ms
/// aside, where it continues the output. That moves no phase: the phase advance is measured where
/// the frame is read, so that every partial keeps its frequency, whether it belongs to the voice or
/// not.
struct VoiceFollower {
  /// Frames that the input is read later than its place.
  var shift: Int64 = 0
  /// How well the input there continues the output, 0 … 1.
  var fit: Float = 0
  /// Whether it is read at the speed that it has.
  var isRigid = false
}

/// The position at which a frame is to be read, as near as the period of the voice allows.
struct ReadingPlace {
  /// Frames later than its place.
  var aside: Int64
  /// Whether it is read there at the speed that it has, voice or not.
  var isRigid: Bool
}
