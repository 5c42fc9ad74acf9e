// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How much less audio may come than was stated, without a word. Of the 61 formats of
/// `docs/formats.md` none ends more than 31 ms before (AAC in MP4): decoders drop what an
/// encoder has put in front and behind, at most some packets.
private let mostPaddingNs: UInt64 = 500_000_000

// The end of the stream, and the one that upstream has promised.
extension BlockPlanner {
  /// Whether the end that was found lies well before the one that upstream stated when
  /// play began.
  var endsEarly: Bool {
    guard durationNs != unknownTime, limits.endFrame != unknownFrame, !isFollowed, !isEndTold
    else { return false }
    let endNs = timeNs(of: limits.endFrame, rate: limits.rate)
    return durationNs > endNs && durationNs &- endNs > mostPaddingNs
  }

  /// Tells that the stream ends early, if upstream still states the same. What a header
  /// states stays; what a parser estimates by the bit rate (MP3 and AAC without a header)
  /// may be wrong by any factor, but has changed by the time that the end has come.
  mutating func compareEnd(with statedNs: UInt64) {
    let promisedNs = durationNs
    durationNs = unknownTime
    guard statedNs == promisedNs else { return }
    isEndTold = true
    reports.add(
      Report(
        code: TIMEPLAY_ENDS_EARLY, frame: limits.endFrame, value: Double(promisedNs) / 1e9))
  }
}
