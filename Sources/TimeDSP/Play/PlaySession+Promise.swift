// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// If audio ends before the stated end by more than this time, the early end is reported. Decoders
/// drop the padding that an encoder has put before and after the audio, at most some packets. Among
/// the 61 formats of `docs/formats.md`, AAC in MP4 ends earliest, by 31 ms.
private let mostPaddingNs: UInt64 = 500_000_000

/// The end of the stream as upstream has stated it.
struct EndPromise {
  /// The end that was stated when playback began, or by the segment. It becomes unknown once it has
  /// been compared with the actual end.
  var endNs = unknownTime
  /// Whether an early end has been reported.
  var isReported = false
  /// Whether another stream has followed. In that case, no seek reaches this stream any more.
  var isFollowed = false

  /// The lowest frame at which the stream may end without ending too early; `nil` if every end is
  /// accepted.
  func leastEndFrame(rate: UInt32) -> Int64? {
    guard endNs != unknownTime, endNs > mostPaddingNs, !isReported, !isFollowed else { return nil }
    return Int64(truncatingIfNeeded: framesCovering(endNs &- mostPaddingNs, rate: rate))
  }
}

// The end of the stream, compared with the end that upstream has stated.
extension PlaySession {
  @inline(never)
  mutating func promisesChanged() {
    cursor.planner.leastEndFrame = promise.leastEndFrame(rate: cursor.planner.limits.rate)
  }

  /// Estimates the end from the duration that upstream states. If upstream states none, uses the
  /// end that was stated before.
  mutating func setEstimate(_ upstreamNs: UInt64) {
    let timeNs = upstreamNs == unknownTime ? promise.endNs : upstreamNs
    let rate = cursor.planner.format.rate
    cursor.planner.estimate = timeNs == unknownTime ? 0 : frame(atNs: timeNs, rate: rate)
  }

  /// Reports that the stream ends early, if upstream still states the same end.
  ///
  /// A duration from a header stays the same. If there is no header, parsers of MP3 and AAC
  /// estimate the duration by the bit rate. Such an estimate may be wrong by any factor, but it has
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
