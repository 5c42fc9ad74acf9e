// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An action that a key requests.
enum PlayAction: Equatable, Sendable {
  case play, pause
  case seek(Duration)
  case turn(AudioEdit.Direction)
  /// A speed for the tape. Below 0 backwards.
  case speed(Double)
  case factor(ScaleFactor)
  case pitch(AudioEdit.Pitch)
  case interpolation(AudioEdit.Interpolation)
  case channels(AudioEdit.Channels)
  /// The volume, 0 … 1 as on a fader.
  case volume(Double)
  case loop(AudioPlayer.Loop)
  /// Opens the file with this index.
  case open(Int)
  /// Writes the file, edited as it is being played, into a new file.
  case write(AudioEdit)
  case quit
  case redraw
}
