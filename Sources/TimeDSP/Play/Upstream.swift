// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The seqnum of a fetch marks it as a fetch and names its element. It consists of an 8-bit mark,
/// 12 bits for the element, and a 12-bit counter. `gst_util_seqnum_next()` reaches the mark only
/// after two thousand million events.
///
/// Without such seqnums, two `revbuf` elements with the same source would mistake each other's
/// seeks for seeks of the application. They would flush each other indefinitely.
private let fetchMark: UInt32 = 0x7a00_0000
private let fetchMarkMask: UInt32 = 0xff00_0000
private let fetchCountMask: UInt32 = 0x0000_0fff
private let fetchElementShift: UInt32 = 12

/// Whether `seqnum` belongs to a fetch by any `revbuf` in this process.
func isFetch(_ seqnum: UInt32) -> Bool { seqnum & fetchMarkMask == fetchMark }

/// Tracks what upstream is doing, and to which run its audio belongs.
struct Upstream: ~Copyable {
  enum State {
    /// Nothing has been fetched yet. Buffers wait.
    case fresh
    /// A seek is in progress, and nothing has arrived for it. Buffers are refused as during a
    /// flush. Upstream may wait for its streaming thread, and that thread must not run on to the
    /// end of the stream.
    case seeking
    /// Upstream has refused the seek because of another flush. That flush has not arrived here yet.
    case refused
    /// The flush that made upstream refuse the seek was left over from our own earlier fetch. The
    /// seek has to be repeated.
    case again
    /// The flush of the seek is over. Buffers from here on are for the next run.
    case flushed
    /// Buffers fill the run. Meanwhile the run belongs to the streaming thread.
    case filling
    /// The run is done. Upstream waits before this frame, or has been let go.
    case parked(before: Int64)
    /// The run is done. Upstream has ended before this frame.
    case ended(before: Int64)
  }

  /// How upstream ends.
  ///
  /// The associated value keeps `Hashable` out of the plugin: hashing calls a function of glibc
  /// 2.36.
  enum End {
    /// The part that was fetched has ended. No element has mistaken this end for the end of the
    /// stream.
    case segment
    /// The stream has ended. Upstream has announced its end, or cannot announce it. If another
    /// stream follows, it waits.
    case stream(isFollowed: Bool)

    var isOfStream: Bool {
      if case .stream = self { return true }
      return false
    }
  }

  private(set) var state = State.fresh
  private(set) var ending = End.segment
  /// Whether arriving audio is the result of a fetch. Until the first fetch, the audio is the
  /// undisturbed stream, and ends with EOS.
  private var isFetched = false
  /// Whether the last fetch was sent only so that upstream reaches the end of the stream. No audio
  /// is expected from such a fetch.
  private(set) var isLast = false
  /// The next event that is expected after a foreign seek: FLUSH_STOP, then the segment.
  private(set) var awaited: TimePlayEventKind?
  /// Whether a flush has started and not stopped, whether it is our own or foreign.
  private(set) var isFlushing = false
  /// The answer to buffers while upstream is fresh, parked or ended.
  private(set) var after = TIMEPLAY_BUFFER_WAITS
  private(set) var format = TimePlayFormat()
  private(set) var run: RunPointer?
  /// The run that was being filled when a seek was decided on. The streaming thread may still be
  /// filling it. The run is kept until that thread begins the next run.
  private var abandoned: RunPointer?
  /// The run for the audio after the seek that is in progress.
  private(set) var next: RunPointer?
  /// Seqnum of the last fetch.
  private(set) var seqnum: UInt32

  init(element: UInt32) {
    seqnum = fetchMark | (element &<< fetchElementShift) & ~fetchMarkMask
  }

  deinit {
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    FetchedRun.free(next)
  }

  /// Begins a stream in `format`. Nothing has been fetched from it.
  mutating func open(_ format: TimePlayFormat) {
    clear()
    self.format = format
    state = .fresh
    awaited = nil
    isFlushing = false
    isLast = false
    isFetched = false
    after = TIMEPLAY_BUFFER_WAITS
  }

  mutating func clear() {
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    FetchedRun.free(next)
    (run, abandoned, next) = (nil, nil, nil)
  }

  /// Records a flush of a stream that is passed through.
  mutating func pass(isFlushing: Bool) { self.isFlushing = isFlushing }

  /// Whether `event` results from our own fetch. Upstream performs a seek in the thread that asks
  /// for it. Most elements mark the following events with the seqnum of the seek.
  func isOwn(_ event: TimePlayEvent) -> Bool {
    event.in_seek != 0 || (event.seqnum ^ seqnum) & ~fetchCountMask == 0
  }

  var isWaiting: Bool {
    switch state {
    case .seeking, .refused, .again, .flushed, .filling: true
    case .fresh, .parked, .ended: false
    }
  }

  var hasEnded: Bool {
    if case .ended = state { return true }
    return false
  }

  /// Whether the end of the stream has been announced.
  var isOver: Bool {
    if case .ended = state { return ending.isOfStream }
    return false
  }

  /// Whether the next stream waits.
  var isFollowed: Bool {
    guard case .ended = state, case .stream(isFollowed: true) = ending else { return false }
    return !isFlushing && !isLetGo
  }

  var isLetGo: Bool { after != TIMEPLAY_BUFFER_WAITS }

  mutating func letGo(_ reception: TimePlayReception) { after = reception }
}

// Events and buffers.
extension Upstream {
  mutating func startFlush(isForeign: Bool) {
    isFlushing = true
    guard isForeign else { return }
    awaited = TIMEPLAY_FLUSH_STOP
    isLast = false
    isFetched = false
  }

  /// Whether our own fetch has overtaken a foreign seek. The segment of that seek will never
  /// arrive.
  func overtakes(isOwn: Bool) -> Bool {
    isOwn && next != nil && awaited == TIMEPLAY_NEW_SEGMENT
  }

  /// Records the end of a flush. Returns whether the flush was a foreign one.
  mutating func stopFlush(isOwn: Bool) -> Bool {
    isFlushing = false
    if overtakes(isOwn: isOwn) {
      awaited = nil
      state = .flushed
      return false
    }
    guard awaited != nil else {
      switch state {
      case .seeking: state = .flushed
      case .refused: state = .again
      default: break
      }
      return false
    }
    state = .parked(before: unknownFrame)
    if !isOwn { awaited = TIMEPLAY_NEW_SEGMENT }
    return !isOwn
  }

  /// Records that the segment of a foreign seek has arrived, or is no longer needed.
  mutating func acceptSegment() { awaited = nil }

  /// Records that upstream has performed the seek, if `segment` answers it. The segment counts even
  /// if the flush of the seek was lost. Its seqnum must be that of the newest fetch, because the
  /// answer to an earlier fetch may be late.
  mutating func answer(by segment: TimePlayEvent) {
    guard case .seeking = state, segment.in_seek != 0 || segment.seqnum == seqnum else { return }
    state = .flushed
  }

  /// Begins the next run if upstream has performed the seek. Buffers from now on belong to this
  /// run. Otherwise, returns `false`.
  mutating func beginRun() -> Bool {
    guard case .flushed = state, awaited == nil else { return false }
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    (run, abandoned, next) = (next, nil, nil)
    state = .filling
    return true
  }

  /// Records the format of the following buffers. Returns whether the run had to end, because it
  /// cannot contain both formats.
  mutating func change(to format: TimePlayFormat) -> Bool {
    let isOther = format.id != self.format.id
    self.format = format
    guard isOther, case .filling = state, let run, run.pointee.format.rate > 0 else {
      return false
    }
    endRun()
    return true
  }

  mutating func end(_ how: End) {
    _ = beginRun()
    if case .filling = state {
      run?.pointee.end()
      endRun()
    }
    switch state {
    case .parked(let frame):
      state = .ended(before: frame)
      ending = how
    case .ended where how.isOfStream: ending = how
    default: break
    }
  }

  func receive() -> TimePlayReception {
    if isFlushing { return TIMEPLAY_BUFFER_IS_FLUSHED }
    switch state {
    case .seeking: return TIMEPLAY_BUFFER_IS_FLUSHED
    case .refused, .again, .flushed: return TIMEPLAY_BUFFER_WAITS
    case .filling: return TIMEPLAY_BUFFER_FILLS
    case .fresh, .parked, .ended: return after
    }
  }

  /// Ends the run if it needs no more frames, or if a buffer was not understood. Returns `false` if
  /// a seek has already interrupted the run.
  mutating func filled(isUnderstood: Bool) -> Bool {
    guard case .filling = state, let run else { return false }
    if run.pointee.state != .open || !isUnderstood { endRun() }
    return true
  }

  private mutating func endRun() {
    state = .parked(before: run?.pointee.nextFrame ?? unknownFrame)
  }
}

// Fetches.
extension Upstream {
  /// The frame before which upstream waits or has ended; `nil` if something is still expected of
  /// upstream.
  private var position: Int64? {
    switch state {
    case .parked(let frame), .ended(let frame): frame
    default: nil
    }
  }

  /// Dequeues the run if it is complete.
  mutating func dequeueRun() -> RunPointer? {
    guard position != nil, let run else { return nil }
    self.run = nil
    return run
  }

  /// Fills `run` with the next buffers, without a seek.
  mutating func fill(_ run: RunPointer) {
    self.run = run
    state = .filling
  }

  /// Fills `run` with the next buffers if upstream is at the first frame of the run. Otherwise,
  /// returns `false`.
  mutating func goOn(with run: RunPointer) -> Bool {
    guard let position, isFetched, !isLetGo, !isFlushing, self.run == nil,
      run.pointee.goOn(at: position)
    else { return false }
    let state = state
    fill(run)
    if case .ended = state { end(ending) }
    return true
  }

  /// Records that a seek is about to be sent upstream. `run` is for the audio after this seek.
  mutating func seek(for run: RunPointer, isLast: Bool = false) {
    FetchedRun.free(next)
    next = run
    self.isLast = isLast
    isFetched = true
    if case .filling = state { (abandoned, self.run) = (self.run, nil) }
    seekAgain()
  }

  mutating func seekAgain() {
    after = TIMEPLAY_BUFFER_WAITS
    state = .seeking
    seqnum = seqnum & ~fetchCountMask | (seqnum &+ 1) & fetchCountMask
  }

  /// Records that upstream has refused the seek. The refusal is final unless a flush is about to
  /// arrive.
  mutating func refuse(isFlushed: Bool) {
    guard case .seeking = state else { return }
    state = isFlushed ? .refused : .parked(before: unknownFrame)
    if isLast, !isFlushed { end(.stream(isFollowed: false)) }
  }
}
