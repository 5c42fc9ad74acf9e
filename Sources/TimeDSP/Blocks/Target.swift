// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The position, direction and range with which playback begins, or continues after a seek.
struct Target {
  enum Kind {
    /// Playback begins in a stream that has been passed through so far. `after` is the last frame
    /// that was passed through; `unknownFrame` if there is none.
    case start(after: Int64)
    /// A seek to a new position.
    case goTo
    /// A seek that keeps the position, for example because it only sets a rate.
    case resume

    /// Whether playback jumps to a new position. Otherwise, playback continues after the last frame
    /// that was sent.
    var isElsewhere: Bool {
      switch self {
      case .start(let frame): frame == unknownFrame
      case .goTo: true
      case .resume: false
      }
    }
  }

  var kind = Kind.goTo
  var direction = TIMEDSP_FORWARD
  /// The first frame of the range. Forward playback begins here.
  var startFrame: Int64 = 0
  /// The end of the range (exclusive); `unknownFrame` for the end of the stream. Backward playback
  /// begins here.
  var stopFrame = unknownFrame
  /// The end of the stream; `unknownFrame` if it is not known.
  var endFrame = unknownFrame
  /// The format of the following frames, if a seek by another element may have changed the stream.
  /// Otherwise, a format without a rate.
  var format = TimeBlocksFormat()
}
