// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Seeks and segments that are forwarded before playback has started.
///
/// Playback does not start while a seek is being forwarded. Upstream may wait for its streaming
/// thread before it answers the seek. That thread would then wait for playback, and playback would
/// wait for upstream.
struct PastSeeks: ~Copyable {
  /// The seqnums of open seeks. Upstream has not returned from these seeks, and no segment has
  /// answered them.
  private var open: FixedArray<UInt32>
  /// The seqnum of the last seek.
  private var last: UInt32?
  /// The seqnum of the last seek if that seek asks for a stop, otherwise `nil`.
  private var limiting: UInt32?
  private var segments = 0
  /// The time at which the stream begins, according to its first segment; `nil` until that segment
  /// has arrived.
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

  /// The earliest time to seek to. A demuxer may treat times before it as equal to it.
  var firstNs: UInt64 { beginNs ?? 0 }

  mutating func passStream() { beginNs = nil }

  var hasOpenSeek: Bool { !open.isEmpty }

  /// Whether this is the first segment of the stream, and no seek has been forwarded.
  var isFresh: Bool { segments == 1 && last == nil }

  mutating func add(_ seqnum: UInt32, limits: Bool) {
    last = seqnum
    limiting = limits ? seqnum : nil
    open.append(seqnum)
  }

  mutating func pass() { segments &+= 1 }

  /// Records that `segment` is forwarded. A segment that answers a seek does not show where the
  /// stream begins.
  mutating func pass(_ segment: TimePlaySegment) {
    if beginNs == nil { beginNs = last == nil && segment.flags & 1 == 0 ? segment.start_ns : 0 }
    skipsAudio = segment.start_ns > firstNs
  }

  /// Removes the seek that a segment with `seqnum` answers. The segment has the seqnum of its seek.
  mutating func answer(_ seqnum: UInt32) {
    guard let index = open.firstIndex(where: { $0 == seqnum }) else { return }
    open[index] = open.last
    open.removeLast()
  }

  /// Removes all seeks after a flush. An element may have lost the seqnum of a seek, but a flush
  /// shows that upstream no longer waits for its streaming thread.
  mutating func answerAll() { open.removeAll() }

  /// Whether `seqnum` belongs to a fetch by another `revbuf`. That element shares our source and is
  /// not downstream of us.
  func isContested(_ seqnum: UInt32) -> Bool { seqnum != last && isFetch(seqnum) }

  /// Whether a seek has asked for the stop of `segment`. Otherwise, the stop is only the end of the
  /// stream, and may be inexact. If the seek of `segment` was not forwarded here, such a stop is
  /// assumed after a flush, and in every segment after the first.
  func isLimited(_ segment: TimePlaySegment, _ seqnum: UInt32) -> Bool {
    if seqnum == last { return seqnum == limiting }
    return segments > 1 || segment.flags & 1 != 0
  }
}
