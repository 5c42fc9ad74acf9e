// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Seqnums of fetches. A fetch has a seqnum that marks it as a fetch and identifies its element: an
/// 8-bit mark, 12 bits for the element, and a 12-bit counter. `gst_util_seqnum_next()` reaches the
/// mark only after two thousand million events.
///
/// Without such seqnums, two `revbuf` elements with the same source would mistake each other's
/// fetches for seeks by the application, and would flush each other indefinitely.
private let fetchMark: UInt32 = 0x7a00_0000
private let fetchMarkMask: UInt32 = 0xff00_0000
private let fetchCountMask: UInt32 = 0x0000_0fff
private let fetchElementShift: UInt32 = 12

/// Whether `seqnum` belongs to a fetch by any `revbuf` in this process.
func isFetch(_ seqnum: UInt32) -> Bool { seqnum & fetchMarkMask == fetchMark }

/// Tracks what upstream is doing, and to which run the arriving audio belongs.
///
/// Upstream fills one run at a time. When the run is complete, upstream is parked, which means that
/// its streaming thread is blocked, until a fetch continues or replaces the run. If no more audio
/// is needed, upstream is let go: it may continue to its end, and its buffers are not used.
struct Upstream: ~Copyable {
  enum State {
    /// Nothing has been fetched yet. Upstream is blocked.
    case fresh
    /// A fetch is in progress, and nothing has arrived for it. Buffers are refused as during a
    /// flush. Upstream may wait for its streaming thread before it performs the seek, so that
    /// thread must not be blocked. Nor must it run on to the end of the stream, as it would if its
    /// buffers were accepted.
    case seeking
    /// Upstream has refused the fetch because of another flush, whose events have not arrived yet.
    case refused
    /// Upstream has refused the fetch because of a flush that was left over from our own earlier
    /// fetch. The fetch must be repeated.
    case again
    /// The flush of the fetch is over. Buffers from here on belong to the next run.
    case flushed
    /// Buffers fill the run. The run belongs to the streaming thread.
    case filling
    /// The run is done. Upstream is blocked before this frame, or has been let go.
    case parked(before: Int64)
    /// The run is done. Upstream has ended before this frame.
    case ended(before: Int64)
  }

  /// What ends when upstream ends.
  ///
  /// The associated value keeps `Hashable` out of the plugin: hashing calls a function of glibc
  /// 2.36.
  enum End {
    /// Only the fetched part. Upstream sends SEGMENT_DONE, which other elements do not treat as the
    /// end of the stream.
    case segment
    /// The stream. Upstream sends EOS, or the next stream has begun and waits (`isFollowed`). The
    /// end of the stream is also assumed if upstream refuses the final fetch.
    case stream(isFollowed: Bool)

    var isOfStream: Bool {
      if case .stream = self { return true }
      return false
    }
  }

  private(set) var state = State.fresh
  /// In the state `ended`: what has ended.
  private(set) var ending = End.segment
  /// Whether the audio that arrives was fetched by a seek of ours. Otherwise, upstream sends the
  /// stream on its own, up to EOS.
  private var isFetched = false
  /// Whether the newest fetch is the final one (`PlaySession.fetchLast`), which only makes upstream
  /// reach the end of the stream. No audio is needed from it.
  private(set) var isLast = false
  /// The event that must arrive next after a FLUSH_START that another element has caused:
  /// FLUSH_STOP, then the segment.
  private(set) var awaited: TimePlayEventKind?
  /// Whether a flush is in progress upstream, either our own or a flush by another element.
  private(set) var isFlushing = false
  /// The answer to buffers in the states `fresh`, `parked` and `ended`.
  private(set) var after = TIMEPLAY_BUFFER_WAITS
  private(set) var format = TimePlayFormat()
  private(set) var run: RunPointer?
  /// The run that was being filled when a new fetch began. The streaming thread may still be adding
  /// to this run, so the run is kept until that thread begins the next run.
  private var abandoned: RunPointer?
  /// The run for the audio of the fetch that is in progress.
  private(set) var next: RunPointer?
  /// Seqnum of the newest fetch.
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

  /// Whether `event` results from our own fetch. The event either arrives in the thread that
  /// performs the seek, or has the seqnum of a fetch by this element.
  func isOwn(_ event: TimePlayEvent) -> Bool {
    event.in_seek != 0 || (event.seqnum ^ seqnum) & ~fetchCountMask == 0
  }

  /// Whether a fetch is in progress, or its run is being filled.
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

  /// Whether upstream has reached the end of the stream, and not only of the fetched part.
  var isOver: Bool {
    if case .ended = state { return ending.isOfStream }
    return false
  }

  /// Whether the next stream has begun and is waiting.
  var isFollowed: Bool {
    guard case .ended = state, case .stream(isFollowed: true) = ending else { return false }
    return !isFlushing && !isLetGo
  }

  /// Whether upstream may continue to its end, because no more audio is needed.
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

  /// Whether this flush is of our own fetch, and the fetch has replaced a seek by another element.
  /// The segment of that seek will never arrive.
  func overtakes(isOwn: Bool) -> Bool {
    isOwn && next != nil && awaited == TIMEPLAY_NEW_SEGMENT
  }

  /// Records FLUSH_STOP. Returns whether another element has caused the flush.
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

  /// Records that the segment after a flush by another element has arrived, or is no longer needed.
  mutating func acceptSegment() { awaited = nil }

  /// Records that upstream has performed the fetch, if `segment` answers it. This works even if the
  /// flush of the fetch was lost. The answer to an earlier fetch may be late, so `segment` must
  /// have the seqnum of the newest fetch.
  mutating func answer(by segment: TimePlayEvent) {
    guard case .seeking = state, segment.in_seek != 0 || segment.seqnum == seqnum else { return }
    state = .flushed
  }

  /// Begins the next run if upstream has performed the fetch. Otherwise, returns `false`. Buffers
  /// from now on belong to this run.
  mutating func beginRun() -> Bool {
    guard case .flushed = state, awaited == nil else { return false }
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    (run, abandoned, next) = (next, nil, nil)
    state = .filling
    return true
  }

  /// Records the format of the following buffers. Returns whether the change has ended the run,
  /// because a run has only one format.
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
  /// a new fetch has already replaced the run.
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
  /// The frame before which upstream is parked or has ended; `nil` in other states.
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

  /// Continues with `run`, without a seek, if upstream is at the first frame of its block.
  /// Otherwise, returns `false`.
  mutating func goOn(with run: RunPointer) -> Bool {
    guard let position, isFetched, !isLetGo, !isFlushing, self.run == nil,
      run.pointee.goOn(at: position)
    else { return false }
    let state = state
    fill(run)
    if case .ended = state { end(ending) }
    return true
  }

  /// Records that a seek is about to be sent upstream to fetch `run`.
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

  /// Records that upstream has refused the fetch. The refusal is final unless a flush caused it
  /// (`isFlushed`).
  mutating func refuse(isFlushed: Bool) {
    guard case .seeking = state else { return }
    state = isFlushed ? .refused : .parked(before: unknownFrame)
    if isLast, !isFlushed { end(.stream(isFollowed: false)) }
  }
}
