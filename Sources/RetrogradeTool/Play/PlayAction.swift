// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// What the player is asked for by a key.
enum PlayAction: Equatable, Sendable {
  case play, pause
  case seek(Duration)
  case turn(Direction)
  case factor(Double)
  case keepPitch(Bool)
  case semitones(Double)
  case interpolation(Interpolation)
  case channels(ChannelSelection)
  case loop(Loop)
  /// The file of this index.
  case open(Int)
  /// What is heard goes into a new file.
  case write(Edit)
  case quit
  case redraw
}
