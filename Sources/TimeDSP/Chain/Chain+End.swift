// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Chain {
  var hasEnded: Bool { scaler.hasEnded || limit != nil || silence.count > 0 }

  /// Writes the frames that remain after the end of the input. Returns true if there are more.
  ///
  /// With a stretcher, we append silence to the input until we've output exactly the expected
  /// number of frames. If each part ended on its own, each would round its length. You never hear
  /// the silence, because the stretcher extrapolates its last input.
  mutating func drain(into sink: inout FrameSink) -> Bool {
    leave(into: &sink)
    if isLeaving { return true }
    guard let stretch else {
      let old = sink.made
      scaler.finish(into: &sink)
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
      return sink.room == 0
    }
    // what the first scaler will output for the remaining input
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

  /// Only a few frames until the first scaler has reached the end of the input. Then `limit` is
  /// determined close to this end.
  private mutating func addSilence() {
    let isAtEnd = received == 0 || inputPosition >= Double(received)
    if limit == nil, isAtEnd { limit = framesAtEnd }
    let few = max(timedsp_whole_part(64 / parts.before), 1)
    let count = isAtEnd ? Scratch.capacity : min(Int(truncatingIfNeeded: few), Scratch.capacity)
    silence.point(everyPlaneAt: silentFrames, count)
  }

  /// Valid once the first scaler has reached the end of the input.
  private var framesAtEnd: Int64 {
    planned.length(of: received)
      ?? wholeFrames(outputPosition - (inputPosition - Double(received)) * parts.factor)
  }
}

extension CurveSection {
  /// In output frames, or `nil` if `received` input frames end before the section.
  func length(of received: Int64) -> Int64? {
    if input == Wide(high: 0, low: 0), output == input { return outputFrame(of: received).whole }
    let received = Double(received)
    return received >= input.value ? wholeFrames(output(at: received)) : nil
  }

  /// Output position minus input position, at factor 1. `whole` may be negative, and `fraction` is
  /// in 0 ..< 1.
  var shift: (whole: Int64, fraction: Double) {
    let due = output(at: 0) + 0x1p40
    let whole = timedsp_whole_part(due)
    return (whole &- 0x100_0000_0000, due - Double(whole))
  }
}

/// Sums of factors are rounded by less than this, in frames.
private let roundedFrames = 1e-6

/// Rounded down, or up if the next integer is within `roundedFrames`. At least 0.
func wholeFrames(_ frames: Double) -> Int64 { timedsp_whole_part(max(frames + roundedFrames, 0)) }

func framesCovering(_ frames: Double) -> Int64 {
  let whole = timedsp_whole_part(frames)
  return Double(whole) < frames ? whole &+ 1 : whole
}
