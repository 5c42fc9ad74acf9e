// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension TimeDSPDirection {
  init(velocity: Double) { self = velocity < 0 ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD }

  var velocity: Double { self == TIMEDSP_BACKWARD ? -1 : 1 }
}

extension TimeBlocksTarget {
  /// The whole stream, from its beginning, or backward from its end.
  init(_ direction: TimeDSPDirection) {
    self.init()
    velocity = direction.velocity
    stop_frame = unknownFrame
    end_frame = unknownFrame
    last_frame = unknownFrame
  }

  var direction: TimeDSPDirection { TimeDSPDirection(velocity: velocity) }

  /// Playback jumps to a new position. Otherwise, it continues after the last frame sent.
  var isElsewhere: Bool {
    move == TIMEBLOCKS_GO_TO || (move == TIMEBLOCKS_START && last_frame == unknownFrame)
  }
}
