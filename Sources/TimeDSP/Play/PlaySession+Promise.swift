// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// If audio ends more than this time before the promised end, the early end is reported. Shorter
/// differences are normal: decoders drop the padding that an encoder has added, a few packets at
/// most. Among the 61 formats of `docs/formats.md`, AAC in MP4 ends earliest, by 31 ms.
private let mostPaddingNs: UInt64 = 500_000_000

/// The end that upstream has promised for the stream: the duration that upstream reports, or the
/// stop of the segment.
struct EndPromise {
  /// The promised end. It becomes unknown once it has been compared with the actual end.
  var endNs = unknownTime
  /// Whether an early end has been reported.
  var isReported = false
  /// Whether the next stream has begun upstream. In this case, no seek reaches the current stream
  /// any more.
  var isFollowed = false

  /// The lowest boundary at which the stream may end without a report; `nil` if every end is
  /// accepted.
  func leastEndFrame(rate: UInt32) -> Int64? {
    guard endNs != unknownTime, endNs > mostPaddingNs, !isReported, !isFollowed else { return nil }
    return Int64(truncatingIfNeeded: framesCovering(endNs &- mostPaddingNs, rate: rate))
  }
}

// Comparison of the end of the stream with the promised end.
extension PlaySession {
  @inline(never)
  mutating func promisesChanged() {
    cursor.planner.leastEndFrame = promise.leastEndFrame(rate: cursor.planner.limits.rate)
  }

  /// Sets the planner's estimate of the end to the duration that upstream reports, or to the
  /// promised end if upstream reports no duration.
  mutating func setEstimate(_ upstreamNs: UInt64) {
    let timeNs = upstreamNs == unknownTime ? promise.endNs : upstreamNs
    let rate = cursor.planner.format.rate
    cursor.planner.estimate = timeNs == unknownTime ? 0 : frame(atNs: timeNs, rate: rate)
  }

  /// Reports that the stream ends early, if upstream still reports the promised duration.
  ///
  /// A duration from a header does not change. Without a header, parsers of MP3 and AAC estimate
  /// the duration from the bit rate. Such an estimate may be wrong by any factor, but it has
  /// changed by the time that the end is reached.
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
