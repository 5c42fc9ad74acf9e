// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  var hasEnded: Bool { scaler.hasEnded || limit != nil || silence.count > 0 }

  /// Writes the frames that remain after the end of the input. Returns whether there are more.
  ///
  /// With a stretcher, silence is appended to the input until exactly the expected number of frames
  /// has been output. If instead each part ended on its own, each would round the length of its
  /// output. The silence itself is not output, because the stretcher extrapolates its last input.
  mutating func drain(into sink: inout FrameSink) -> Bool {
    leave(into: &sink)
    if isLeaving { return true }
    guard let stretch else {
      let old = sink.made
      scaler.finish(into: &sink)
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
      return sink.room == 0
    }
    // the number of frames that the first scaler will output for the remaining input
    let left = max((Double(received) - inputPosition) * parts.before, 0)
    stretch.pointee.endSound(after: framesCovering(left))
    repeat {
      if silence.count == 0, !isReady { addSilence() }
      var limited = sink
      if let limit {
        if made >= limit { return false }
        let left = min(limit &- made, Int64(truncatingIfNeeded: sink.room))
        limited.capacity = sink.made &+ Int(truncatingIfNeeded: left)
      }
      var rest = silence
      run(&rest, mayStop: false, into: &limited)
      silence = rest
      sink.made = limited.made
    } while sink.room > 0 || !isReady
    return true
  }

  /// Points `silence` to silent frames: only a few until the first scaler has reached the end of
  /// the input, so that `limit` is determined close to this end.
  private mutating func addSilence() {
    let isAtEnd = received == 0 || inputPosition >= Double(received)
    if limit == nil, isAtEnd { limit = framesAtEnd }
    let few = max(timedsp_whole_part(64 / parts.before), 1)
    let count = isAtEnd ? Scratch.capacity : min(Int(truncatingIfNeeded: few), Scratch.capacity)
    silence.point(everyPlaneAt: silentFrames, count)
  }

  /// The number of output frames for the whole input, once the first scaler has reached its end.
  private var framesAtEnd: Int64 {
    lengthMap.length(of: received)
      ?? wholeFrames(outputPosition - (inputPosition - Double(received)) * parts.factor)
  }
}
