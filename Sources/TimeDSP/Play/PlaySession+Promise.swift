// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How much less audio may come than was stated, without a word. Of the 61 formats of
/// `docs/formats.md` none ends more than 31 ms before (AAC in MP4): decoders drop what an
/// encoder has put before and after, at most some packets.
private let mostPaddingNs: UInt64 = 500_000_000

/// What upstream has stated of the end of the stream.
struct EndPromise {
  /// When play began, or by the segment; unknown once it has been compared with the end.
  var endNs = unknownTime
  /// It has been reported that the stream ends before that.
  var isReported = false
  /// Another stream has followed this one, and no seek reaches it.
  var isFollowed = false

  /// The lowest end that keeps the promise, in frames; `nil`: every end does.
  func leastEndFrame(rate: UInt32) -> Int64? {
    guard endNs != unknownTime, endNs > mostPaddingNs, !isReported, !isFollowed else { return nil }
    return Int64(truncatingIfNeeded: framesCovering(endNs &- mostPaddingNs, rate: rate))
  }
}

// The end of the stream, and the one that upstream has promised.
extension PlaySession {
  @inline(never)
  mutating func promisesChanged() {
    cursor.planner.leastEndFrame = promise.leastEndFrame(rate: cursor.planner.limits.rate)
  }

  /// What upstream says the end is, or its segment did.
  mutating func setEstimate(_ upstreamNs: UInt64) {
    let timeNs = upstreamNs == unknownTime ? promise.endNs : upstreamNs
    let rate = cursor.planner.format.rate
    cursor.planner.estimate = timeNs == unknownTime ? 0 : frame(atNs: timeNs, rate: rate)
  }

  /// Reports that the stream ends early, if upstream still states the same. What a header
  /// states stays; what a parser estimates by the bit rate (MP3 and AAC without a header)
  /// may be wrong by any factor, but has changed by the time that the end has come.
  mutating func compareEnd(with statedNs: UInt64) {
    let promisedNs = promise.endNs
    promise.endNs = unknownTime
    guard statedNs == promisedNs else { return }
    promise.isReported = true
    cursor.planner.reports.add(
      Report(
        code: TIMEPLAY_ENDS_EARLY, frame: cursor.planner.limits.endFrame,
        value: Double(promisedNs) / 1e9))
  }
}
