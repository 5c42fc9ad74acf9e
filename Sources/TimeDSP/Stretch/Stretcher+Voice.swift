// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Stretcher {
  /// The position at which an analysis frame of a voice should be read; `nil` if this is the
  /// position that the time map gives.
  ///
  /// An event is an onset or the end of a voice. An event must be output at the time that the map
  /// gives for the event, and at its original speed. If the event is within the window in the
  /// output, the analysis frame is therefore read at the same distance from the event in the input.
  /// This reading position may be at most `sizes.aside` away from the position that the time map
  /// gives.
  ///
  /// Any other analysis frame that contains the event would repeat the event. Such a frame is
  /// therefore read half a window away from the event, or as far away as `sizes.aside` allows.
  func readingPosition(of frame: StretchFrame) -> ReadingPosition? {
    let reach = Int64(truncatingIfNeeded: frame.window &>> 1)
    let onset = onsets.nearest(to: frame.position, early: reach, late: reach)
    let end = ends.nearest(to: frame.position, reach: reach)
    guard let event = nearer(onset, end, to: frame.position) else { return nil }
    let (here, there) = (event &- frame.position, map.distance(from: frame.centre, to: event))
    let most = Double(sizes.aside)
    let change = abs(1 - 1 / map.factor(at: frame.position))
    let isRigid = abs(there) <= Double(reach) && abs(there) * change <= most
    let wanted = isRigid ? rounded(there) : here < 0 ? 0 &- reach : reach
    let aside = min(max(Double(here &- wanted), 0 - most), most)
    return isRigid || aside != 0 ? ReadingPosition(aside: rounded(aside), isRigid: isRigid) : nil
  }

  private func nearer(_ one: Int64?, _ other: Int64?, to position: Int64) -> Int64? {
    guard let one else { return other }
    guard let other else { return one }
    return (one &- position).magnitude <= (other &- position).magnitude ? one : other
  }

  /// Moves `frame` to the position at which the input continues the voice, and measures the phases
  /// at this position. Returns the shift and the fit; both are 0 if the frame does not follow a
  /// voice.
  func follow(_ frame: inout StretchFrame) -> VoiceFollower {
    guard let follower else { return VoiceFollower() }
    let analysis = analysis(frame.window)
    frame.position &+= follower.shift
    if follower.shift != 0 {
      analysis.measureAdvance(frame.position, hop: hop(to: frame), history)
    }
    analysis.measureSlope(frame.position, history)
    return follower
  }
}
