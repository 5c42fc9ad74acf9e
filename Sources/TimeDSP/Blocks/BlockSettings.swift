// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How blocks are fetched, and what is repeated.
package struct BlockSettings {
  /// The longest block.
  package var maxBlockFrames: Int64 = 0
  /// What is decoded before a block; `unknownFrame`: automatic.
  package var prerollFrames = unknownFrame
  package var maxMemoryBytes: UInt64 = 0
  /// No fade where two runs differ, but an error.
  package var isExact = false
  package var loop = TIMEDSP_LOOP_NONE
  package var loopStartFrame: Int64 = 0
  /// `unknownFrame`: the end.
  package var loopStopFrame = unknownFrame

  package init() {}
}

/// Where play is to go.
package struct Target {
  package enum Kind {
    /// Play begins after this frame, which has been heard; or `unknownFrame`.
    case start(after: Int64)
    /// Play goes on elsewhere.
    case goTo
    /// Play goes on where it is.
    case resume

    /// Whether play does not go on after what was heard last.
    var isElsewhere: Bool {
      switch self {
      case .start(let frame): frame == unknownFrame
      case .goTo: true
      case .resume: false
      }
    }
  }

  package var kind = Kind.goTo
  package var direction = TIMEDSP_FORWARD
  package var startFrame: Int64 = 0
  /// `unknownFrame`: the end.
  package var stopFrame = unknownFrame
  /// The end of the stream; `unknownFrame`: not known.
  package var endFrame = unknownFrame
  /// The stream need not be what it was, and is like that now; or none.
  var format = TimePlayFormat()

  package init() {}
}
