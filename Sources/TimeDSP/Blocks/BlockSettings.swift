// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How blocks are fetched, and which range is repeated.
package struct BlockSettings {
  /// Maximum length of a block.
  var maxBlockFrames: Int64 = 0
  /// Number of frames that are decoded before a block and dropped; `unknownFrame` for automatic.
  var prerollFrames = unknownFrame
  var maxMemoryBytes: UInt64 = 0
  /// Whether two runs that differ are an error. Otherwise they are crossfaded.
  var isExact = false
  var loop = TIMEDSP_LOOP_NONE
  var loopStartFrame: Int64 = 0
  /// The end of the loop; `unknownFrame` for the end of the stream.
  var loopStopFrame = unknownFrame
}

/// The target of a seek, or of the start of playback.
struct Target {
  enum Kind {
    /// Playback begins after the last played frame. `after` is the number of that frame;
    /// `unknownFrame` if no frame has been played.
    case start(after: Int64)
    /// Playback continues at another position.
    case goTo
    /// Playback continues from its position.
    case resume

    /// Whether playback jumps, instead of continuing after the last played frame.
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
  var startFrame: Int64 = 0
  /// The frame before which playback stops; `unknownFrame` for the end of the stream.
  var stopFrame = unknownFrame
  /// The end of the stream; `unknownFrame` if it is not known.
  var endFrame = unknownFrame
  /// The format of the following frames, if the stream may have changed. Otherwise, a format
  /// without a rate.
  var format = TimePlayFormat()
}
