// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Seeks that the session forwards upstream, and the segments that it forwards downstream, while it
/// does not play the stream.
///
/// Playback must not start while a forwarded seek is open. Upstream may wait for its streaming
/// thread before the call that sends the seek returns, and after the start, that thread may have to
/// wait for playback.
struct PastSeeks: ~Copyable {
  /// The seqnums of the open seeks. A seek is open until the call that sends it upstream has
  /// returned, or until the segment with its seqnum has arrived.
  private var open: FixedArray<UInt32>
  /// The seqnum of the last forwarded seek.
  private var last: UInt32?
  /// The seqnum of the last forwarded seek if this seek sets a stop position, otherwise `nil`.
  private var limiting: UInt32?
  /// Number of segments that have begun.
  private var segments = 0
  /// The time at which the stream begins, according to its first segment; `nil` before that
  /// segment. The time is 0 if the segment follows a seek or a flush, because such a segment does
  /// not show where the stream begins.
  private var beginNs: UInt64?
  /// Whether the last segment begins later than the stream, so that there is audio before it.
  private(set) var skipsAudio = false

  init() throws(TimeDSPStatus) { open = try FixedArray(capacity: 64) }

  mutating func clear() {
    open.removeAll()
    last = nil
    limiting = nil
    segments = 0
    beginNs = nil
  }

  /// The earliest time to which to seek. A demuxer may treat an earlier time as the beginning of
  /// the stream.
  var firstNs: UInt64 { beginNs ?? 0 }

  /// Records that a new stream begins.
  mutating func passStream() { beginNs = nil }

  var hasOpenSeek: Bool { !open.isEmpty }

  /// Whether the current segment is the first segment, and no seek has been forwarded.
  var isFresh: Bool { segments == 1 && last == nil }

  /// Records that a seek is being forwarded. `limits` means that the seek sets a stop position.
  mutating func add(_ seqnum: UInt32, limits: Bool) {
    last = seqnum
    limiting = limits ? seqnum : nil
    open.append(seqnum)
  }

  /// Records that a segment begins.
  mutating func pass() { segments &+= 1 }

  /// Records where `segment` begins, and, if it is the first segment of the stream, where the
  /// stream begins.
  mutating func pass(_ segment: TimePlaySegment) {
    if beginNs == nil { beginNs = last == nil && segment.flags & 1 == 0 ? segment.start_ns : 0 }
    skipsAudio = segment.start_ns > firstNs
  }

  /// Closes the open seek with `seqnum`: the call that sent it upstream has returned, or its
  /// segment has arrived.
  mutating func answer(_ seqnum: UInt32) {
    guard let index = open.firstIndex(where: { $0 == seqnum }) else { return }
    open[index] = open.last
    open.removeLast()
  }

  /// Closes all open seeks after a flush. The flush shows that upstream no longer waits for its
  /// streaming thread, even if an element has replaced the seqnum of a seek.
  mutating func answerAll() { open.removeAll() }

  /// Whether `seqnum` belongs to a fetch by another `revbuf` with the same source. Fetches by a
  /// `revbuf` downstream do not count, because this session forwards them.
  func isContested(_ seqnum: UInt32) -> Bool { seqnum != last && isFetch(seqnum) }

  /// Whether the stop of `segment` was set by a seek. Otherwise, the stop is only the end of the
  /// stream, and may be inexact. If the seek was not forwarded here, the stop counts as set by a
  /// seek in a segment after a flush, and in every segment except the first.
  func isLimited(_ segment: TimePlaySegment, _ seqnum: UInt32) -> Bool {
    if seqnum == last { return seqnum == limiting }
    return segments > 1 || segment.flags & 1 != 0
  }
}
