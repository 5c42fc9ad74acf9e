// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Two `revbuf` with one source would mistake each other's seeks for the application's, and
/// flush each other indefinitely. So the seqnum of a fetch identifies it as a fetch, and its
/// element: 8 bits that `gst_util_seqnum_next()` reaches after two thousand million events,
/// 12 bits for the element, 12 bits that count.
private let fetchMark: UInt32 = 0x7a00_0000
private let fetchMarkMask: UInt32 = 0xff00_0000
private let fetchCountMask: UInt32 = 0x0000_0fff
private let fetchElementShift: UInt32 = 12

/// Whether `seqnum` is that of a fetch of any playback in this process.
func isFetch(_ seqnum: UInt32) -> Bool { seqnum & fetchMarkMask == fetchMark }

/// Tracks what upstream is doing, and which run its audio is for.
struct Upstream: ~Copyable {
  enum State {
    /// Nothing has been fetched yet: buffers wait.
    case fresh
    /// A seek is under way, and nothing has arrived for it. Buffers get the answer that its flush
    /// gives: upstream may wait for its streaming thread, and must not run on to its end.
    case seeking
    /// Upstream refused it because of another flush, which has not arrived here yet.
    case refused
    /// That was the rest of an earlier flush of our own: the seek has to be repeated.
    case again
    /// The flush of the seek is over: buffers from here on are for the next run.
    case flushed
    /// Buffers fill the run, which belongs to the streaming thread meanwhile.
    case filling
    /// The run is done: upstream waits before this frame, or has been let go.
    case parked(before: Int64)
    /// The run is done, and upstream has ended before this frame.
    case ended(before: Int64)
  }

  /// How upstream ends. A case has a value, since an enum without any would be `Hashable`,
  /// and hashing calls a function of glibc 2.36.
  enum End {
    /// The fetched part has ended. No element has mistaken that for the end of the stream.
    case segment
    /// The stream has ended: upstream has announced its end, or cannot. Another stream may
    /// follow, and waits.
    case stream(isFollowed: Bool)

    var isOfStream: Bool {
      if case .stream = self { return true }
      return false
    }
  }

  private(set) var state = State.fresh
  private(set) var ending = End.segment
  /// The audio that arrives was fetched. Before that, it is the stream itself, which ends with
  /// EOS.
  private var isFetched = false
  /// The last fetch brings the end of the stream, and no audio.
  private(set) var isLast = false
  /// The next event that is expected of a foreign seek: FLUSH_STOP, then its segment.
  private(set) var awaited: TimePlayEventKind?
  /// Between FLUSH_START and FLUSH_STOP, own or foreign.
  private(set) var isFlushing = false
  /// The answer to buffers while it is fresh, parked or ended.
  private(set) var after = TIMEPLAY_BUFFER_WAITS
  private(set) var format = TimePlayFormat()
  private(set) var run: RunPointer?
  /// The run that was being filled when a seek was decided on: the streaming thread may still
  /// be filling it, so it stays until that thread begins the next one.
  private var abandoned: RunPointer?
  /// The run for the audio after the seek.
  private(set) var next: RunPointer?
  /// Number of the last fetch.
  private(set) var seqnum: UInt32

  init(element: UInt32) {
    seqnum = fetchMark | (element &<< fetchElementShift) & ~fetchMarkMask
  }

  deinit {
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    FetchedRun.free(next)
  }

  /// Begins a stream of `format`, from which nothing has been fetched.
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

  /// A flush of a stream that is passed through.
  mutating func pass(isFlushing: Bool) { self.isFlushing = isFlushing }

  /// Whether `event` results from our own fetch. Upstream seeks in the thread that asks it
  /// to, and most of its elements mark the following events with the number of the seek.
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

  /// The end of the stream has been announced.
  var isOver: Bool {
    if case .ended = state { return ending.isOfStream }
    return false
  }

  /// The next stream waits.
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

  /// Our own fetch overtook a foreign seek, whose segment will therefore never arrive.
  func overtakes(isOwn: Bool) -> Bool {
    isOwn && next != nil && awaited == TIMEPLAY_NEW_SEGMENT
  }

  /// Returns whether the flush was a foreign one.
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

  /// The segment of a foreign seek has arrived, or none is needed any more.
  mutating func acceptSegment() { awaited = nil }

  /// A segment that answers the seek shows that it has been done, even if its flush was lost on
  /// its way. The number has to be that of this very fetch: an earlier one may have been late.
  mutating func answer(by segment: TimePlayEvent) {
    guard case .seeking = state, segment.in_seek != 0 || segment.seqnum == seqnum else { return }
    state = .flushed
  }

  /// Upstream has seeked: buffers from now on are for the next run. `false`: they are
  /// not.
  mutating func beginRun() -> Bool {
    guard case .flushed = state, awaited == nil else { return false }
    FetchedRun.free(run)
    FetchedRun.free(abandoned)
    (run, abandoned, next) = (next, nil, nil)
    state = .filling
    return true
  }

  /// Returns whether the run has to end, as it cannot hold both formats.
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

  /// Ends the run, if it wants no more or a buffer was not understood. `false`: a seek has
  /// interrupted it before.
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
  /// The frame before which upstream waits or has ended, if nothing is expected of it.
  private var place: Int64? {
    switch state {
    case .parked(let frame), .ended(let frame): frame
    default: nil
    }
  }

  /// Dequeues the run, if it is done.
  mutating func takeRun() -> RunPointer? {
    guard place != nil, let run else { return nil }
    self.run = nil
    return run
  }

  /// Fills `run` with the next buffers, without a seek.
  mutating func fill(_ run: RunPointer) {
    self.run = run
    state = .filling
  }

  /// If upstream is at the first frame of `run`, fills it with the next buffers; else
  /// `false`.
  mutating func goOn(with run: RunPointer) -> Bool {
    guard let place, isFetched, !isLetGo, !isFlushing, self.run == nil, run.pointee.goOn(at: place)
    else { return false }
    let state = state
    fill(run)
    if case .ended = state { end(ending) }
    return true
  }

  /// A seek is about to be sent upstream; `run` is for the audio after it.
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

  /// Upstream has refused the seek, for good unless a flush is on its way here.
  mutating func refuse(isFlushed: Bool) {
    guard case .seeking = state else { return }
    state = isFlushed ? .refused : .parked(before: unknownFrame)
    if isLast, !isFlushed { end(.stream(isFollowed: false)) }
  }
}
