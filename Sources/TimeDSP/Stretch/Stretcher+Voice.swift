// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Stretcher {
  /// Where to read an analysis frame of a voice, or `nil` to read it where the time map says.
  ///
  /// An event is an onset or the end of a voice. You must hear it at the time that the map says,
  /// and at its original speed. So if it's in the window in the output, we read the analysis frame
  /// at the same distance from it in the input, but at most `sizes.aside` from where the time map
  /// says.
  ///
  /// Any other analysis frame with the event would repeat it. We read such a frame half a window
  /// away from the event, or as far as `sizes.aside` allows.
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

  /// Moves `frame` to where the input continues the voice, and measures the phases there. If the
  /// frame doesn't follow a voice, shift and fit are 0.
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
