// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

enum PlayAction: Equatable, Sendable {
  case play, pause
  case seek(Duration)
  case turn(Direction)
  /// For the tape. Below 0, it plays backwards.
  case speed(Double)
  case apply(AudioPlayer.Settings)
  case open(Int)
  /// Writes the file into a new one, edited as you hear it.
  case write(AudioEdit)
  case quit
  case redraw
}
