// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An event that a session waits for.
enum PlayEvent: Sendable {
  case terminal(TerminalEvent)
  /// The player has reported its position; the newest one counts.
  case position
  case player(AudioPlayer.Event)
  /// The outline of the file of this index.
  case outline(Int, [Float])
  /// Progress of the file that is being written, 0 … 1.
  case writing(Double)
  case written(Result<AudioFile.Rendering, RetrogradeError>)
  /// The file of this index was opened, or could not be.
  case opened(Int, Result<AudioInformation, RetrogradeError>)
  /// So many actions have been done since the session began.
  case done(Int)
}

/// How a session has ended.
enum PlayEnding: Equatable, Sendable {
  case finished
  case signal(Int32)
}
