// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

enum PlayEvent: Sendable {
  case terminal(TerminalEvent)
  /// The player has reported its position. The event doesn't contain it, because we only need the
  /// latest one.
  case position
  case player(AudioPlayer.Event)
  case outline(Int, [Float])
  /// Progress of the file that we write, 0 … 1.
  case writing(Double)
  case written(Result<AudioFile.Rendering, RetrogradeError>)
  /// The file with this index is open, or couldn't be opened.
  case opened(Int, Result<AudioInformation, RetrogradeError>)
  /// How many actions have been performed since the session began.
  case done(Int)
}

enum PlayEnding: Equatable, Sendable {
  case finished
  case signal(Int32)
}

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
}
