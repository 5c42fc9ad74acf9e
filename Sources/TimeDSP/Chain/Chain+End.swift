// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  /// Whether the input has ended.
  var hasEnded: Bool { scaler.hasEnded || limit != nil || silence.count > 0 }

  /// Makes the frames that were waiting for more of the input, which has ended. Returns
  /// whether there are more.
  ///
  /// With a stretcher the input continues with silence until all due frames have left: neither of
  /// the parts rounds the end then. The stretcher extrapolates its last input instead of that
  /// silence.
  mutating func drain(into sink: inout FrameSink) -> Bool {
    leave(into: &sink)
    if isLeaving { return true }
    guard let stretch else {
      let old = sink.made
      scaler.finish(into: &sink)
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
      return sink.room == 0
    }
    // Frames that the scaler is still to make of the input.
    let left = max((Double(received) - place) * parts.before, 0)
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

  /// Adds some frames of silence, few up to the end of the input, and as many as there is room for
  /// after it.
  private mutating func addSilence() {
    let isBehind = received == 0 || place >= Double(received)
    if limit == nil, isBehind { limit = framesAtEnd }
    let few = max(timedsp_whole_part(64 / parts.before), 1)
    let count = isBehind ? Scratch.capacity : min(Int(truncatingIfNeeded: few), Scratch.capacity)
    silence.point(everyPlaneAt: silentFrames, count)
  }

  /// Frames that the output must have, once the position is at or after the end of the input.
  private var framesAtEnd: Int64 {
    line.length(of: received)
      ?? wholeFrames(outputPlace - (place - Double(received)) * parts.factor)
  }
}
