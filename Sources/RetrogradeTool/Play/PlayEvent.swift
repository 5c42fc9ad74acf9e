// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An event that a session handles.
enum PlayEvent: Sendable {
  case terminal(TerminalEvent)
  /// The player has reported its position. The event contains no position, because only the newest
  /// one is needed.
  case position
  case player(AudioPlayer.Event)
  /// The waveform of the file with this index.
  case outline(Int, [Float])
  /// Progress of the file that is being written, 0 … 1.
  case writing(Double)
  case written(Result<AudioFile.Rendering, RetrogradeError>)
  /// The file with this index was opened, or opening it failed.
  case opened(Int, Result<AudioInformation, RetrogradeError>)
  /// The number of actions that have been performed since the session began.
  case done(Int)
}

/// The reason why a session has ended.
enum PlayEnding: Equatable, Sendable {
  case finished
  case signal(Int32)
}
