// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// What a key asks for.
enum PlayAction: Equatable, Sendable {
  case play, pause
  case seek(Duration)
  case turn(Direction)
  /// Tape speed. Negative values play backwards.
  case speed(Double)
  case apply(AudioPlayer.Settings)
  case open(Int)
  /// Writes a new file that sounds the way you hear it now.
  case write(AudioEdit)
  case quit

  /// True if it makes no difference to leave this action out before `next`.
  func isOutdone(by next: PlayAction) -> Bool {
    switch (self, next) {
    case (.seek, .seek), (.speed, .speed), (.apply, .apply), (.open, .open): true
    default: false
    }
  }
}
