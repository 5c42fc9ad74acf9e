// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a frame follows a voice: the input is read up to 14 ms aside, where it goes on from
/// the output, and the better it does, the more of the input's own phases are kept (kin to
/// Moinet and Dutoit, "PVSOLA", DAFx 2011).
struct VoiceFollower {
  /// Frames that the input is read later than its place, and what that lacks.
  var shift: Int64 = 0
  var fraction: Float = 0
  /// How well it goes on there, 0 … 1.
  var fit: Float = 0
  /// Whether it is read at the speed that it has.
  var isRigid = false

  /// Moves angles towards those of the input's own phases. What the shift lacks of a whole
  /// frame stays in them: it would be lost frame by frame, and with it the pitch.
  func relax(_ phases: PhaseIntegration, _ fft: RealFFT) {
    if fit > 0 { phases.shrink(by: 1 - 0.8 * fit, to: fraction / Float(fft.count)) }
  }
}

/// Where a frame is to be read, as near as the period of the voice allows.
struct ReadingPlace {
  /// Frames later than its place.
  var aside: Int64 = 0
  /// Whether it is read there at the speed that it has, voice or not.
  var isRigid = false
}
