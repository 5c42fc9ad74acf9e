// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How blocks are fetched, and what is repeated.
package struct BlockSettings {
  /// The longest block.
  var maxBlockFrames: Int64 = 0
  /// What is decoded before a block; `unknownFrame`: automatic.
  var prerollFrames = unknownFrame
  var maxMemoryBytes: UInt64 = 0
  /// No fade where two runs differ, but an error.
  var isExact = false
  var loop = TIMEDSP_LOOP_NONE
  var loopStartFrame: Int64 = 0
  /// `unknownFrame`: the end.
  var loopStopFrame = unknownFrame
}

/// Where play is to go.
struct Target {
  enum Kind {
    /// Play begins after this frame, which has been played; or `unknownFrame`.
    case start(after: Int64)
    /// Play goes on elsewhere.
    case goTo
    /// Play goes on where it is.
    case resume

    /// Whether play does not go on after what was played last.
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
  /// `unknownFrame`: the end.
  var stopFrame = unknownFrame
  /// The end of the stream; `unknownFrame`: not known.
  var endFrame = unknownFrame
  /// The stream need not be what it was, and is like that now; or none.
  var format = TimePlayFormat()
}
