// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Stretcher {
  /// Where a frame of a voice is to be read. An attack, or the end of a voice, comes where the
  /// map of time has it, and at the speed that it has: frames near it are read as far from it
  /// as they are heard from it. Those beyond are read as far from it as a window reaches, as
  /// long as the map would have them nearer: else what begins or ends would be heard twice.
  /// All others are read at their place: `nil`.
  func readingPlace(of frame: StretchFrame) -> ReadingPlace? {
    let reach = Int64(truncatingIfNeeded: frame.window &>> 1)
    let onset = onsets.nearest(to: frame.place, early: reach, late: reach)
    let end = ends.nearest(to: frame.place, reach: reach)
    guard let event = nearer(onset, end, to: frame.place) else { return nil }
    let (here, there) = (event &- frame.place, map.way(from: frame.centre, to: event))
    let most = Double(sizes.aside)
    let change = abs(1 - 1 / map.factor(at: frame.place))
    let isRigid = abs(there) <= Double(reach) && abs(there) * change <= most
    let wanted = isRigid ? rounded(there) : here < 0 ? 0 &- reach : reach
    let aside = min(max(Double(here &- wanted), 0 - most), most)
    return isRigid || aside != 0 ? ReadingPlace(aside: rounded(aside), isRigid: isRigid) : nil
  }

  private func nearer(_ one: Int64?, _ other: Int64?, to place: Int64) -> Int64? {
    guard let one else { return other }
    guard let other else { return one }
    return (one &- place).magnitude <= (other &- place).magnitude ? one : other
  }

  /// Moves the place of a frame that follows a voice; returns where to, and how well it
  /// goes on there.
  func follow(_ frame: inout StretchFrame) -> VoiceFollower {
    guard let follower else { return VoiceFollower() }
    let analysis = analysis(frame.window)
    frame.place &+= follower.shift
    if follower.shift != 0 {
      analysis.measureAdvance(frame.place, hop: hop(to: frame), history)
    }
    analysis.measureSlope(frame.place, history)
    return follower
  }
}
