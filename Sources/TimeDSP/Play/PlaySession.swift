// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a stream block by block. It receives events in GStreamer's terms, and returns the next
/// action.
///
/// Times are converted to frames here, because the blocks (`Cursor`) count frames. The session
/// never waits, uses no threads, and is called under one lock. `timeplay.h` declares the same
/// interface in C.
///
/// **Inputs.** `open`, `close`, `clear` (the element's states), `configure` (the properties),
/// `arrive` (upstream, before playback), `start` and `started` (playback begins), `seek`,
/// `seekPast` and `endFlush` (the application), `event`, `receive` and `filled` (upstream). `next`
/// returns an action, and `done` receives its outcome.
///
/// **The phase** says who handles the stream: the session, or its owner in one of four ways.
///
/// **While an action is open** (between `next` and `done`), all inputs except `next` and `clear`
/// are allowed. Most inputs from upstream come while a FETCH is open, from inside its seek or from
/// upstream's thread. `endFlush`, and a FLUSH_STOP to be forwarded, come only while nothing is
/// being sent downstream. Their callers wait until then.
///
/// **Between `receive` and `filled`**, the run belongs to upstream's streaming thread. That thread
/// may add several buffers. Nothing frees the run meanwhile: only serialized events or a FLUSH_STOP
/// replace it. None of these comes while the thread is in its chain function.
///
/// **Flushes.** A seek or a flush is foreign if it did not pass through this session. `seek` counts
/// the flushes of the application's seeks. `next` only returns WAIT until `endFlush` has been
/// called for each of them. After a foreign FLUSH_START, `next` also returns WAIT, until the
/// segment after the flush arrives, or the application makes a flushing seek to another position.
struct PlaySession: HeldByC, ~Copyable {
  enum State {
    /// Nothing is sent until a seek.
    case stopped
    /// A seek has been dequeued. Nothing has been fetched for it.
    case serving
    /// A seek has been dequeued. Something has been fetched for it.
    case served
    case playing
    /// The segment has been sent; send this many frames next.
    case sending(Int64)
    /// There is no further pass.
    case ending
    /// Playback has ended or failed. Upstream is not needed for now.
    case leaving(flags: UInt32)
    /// Upstream has been let go. Next, the segment with these flags ends downstream.
    case parting(flags: UInt32)
  }

  var cursor: Cursor
  var output = OutputSegment()
  var upstream: Upstream
  var past: PastSeeks
  var phase = TIMEPLAY_CLOSED
  /// The state of the stream while the owner handles it.
  var passage = Passage()
  var state = State.stopped
  /// A failure that has not been reported yet.
  var failure: Report?
  var settings = TimePlaySettings()
  /// The range of the newest seek, as the application sees it.
  var asked = Asked()
  /// The range that the application has asked for while the owner handles the stream.
  var askedOfUpstream = AskedRange()
  /// The seek that is being served.
  var served = Request()
  /// The newest seek that has not been served.
  var waitingSeek: Request?
  /// A seek that came after `waitingSeek`, and continues from its target.
  var waitingResume: Request?
  /// The requested direction, until playback changes to it.
  var waitingTurn: TimeDSPDirection?
  /// Number of seeks whose flush has not ended.
  var openFlushes = 0
  var promise = EndPromise() { didSet { promisesChanged() } }
  /// Seek target of the last fetch.
  var fetchNs: UInt64 = 0
  /// The kind of the action whose outcome has not been reported yet.
  var open = TIMEPLAY_WAIT
  /// Stream time of the next frame. A seek sets it. After the first buffer has been sent, it is
  /// unknown again.
  var playheadNs = unknownTime

  init(convert: TimePlayConvert, element: UInt32) throws(TimeDSPStatus) {
    let cursor = try Cursor(convert: convert)
    let past = try PastSeeks()
    self.cursor = cursor
    self.past = past
    upstream = Upstream(element: element)
  }

  /// Whether the session handles buffers and events from upstream. Otherwise, its owner handles
  /// them.
  var isPlaying: Bool {
    phase == TIMEPLAY_STARTING || phase == TIMEPLAY_PLAYING
  }

  /// Whether the next segment belongs to a foreign seek.
  var awaitsSegment: Bool {
    isPlaying && upstream.awaited == TIMEPLAY_NEW_SEGMENT
  }

  /// Duration of the stream if its end has been seen, otherwise `unknownTime`.
  var durationNs: UInt64 {
    let end = cursor.planner.limits.endFrame
    let isForeign = waitingSeek?.isForeign ?? false
    return end == unknownFrame || isForeign
      ? unknownTime : timeNs(of: end, rate: cursor.planner.limits.rate)
  }

  var stats: TimePlayStats { cursor.planner.stats }
}

// The element.
extension PlaySession {
  mutating func openElement() {
    phase = TIMEPLAY_PASSING
    passage = Passage()
    past.clear()
    askedOfUpstream = AskedRange()
    upstream.pass(isFlushing: false)
  }

  mutating func close() { phase = TIMEPLAY_CLOSED }

  mutating func clear() {
    state = .stopped
    waitingSeek = nil
    waitingResume = nil
    upstream.clear()
    cursor.planner.clear()
  }

  mutating func configure(_ settings: TimePlaySettings) {
    if settings.turns != 0 || settings.direction != direction { waitingTurn = settings.direction }
    self.settings = settings
    cursor.planner.settings = settings.inFrames(rate: cursor.planner.limits.rate)
  }

  /// The direction that the properties ask for. A seek may override it.
  private var direction: TimeDSPDirection { settings.direction }

  /// Adapts the settings to audio in `format`.
  mutating func prepare(for format: TimePlayFormat) {
    cursor.planner.settings = settings.inFrames(rate: format.rate)
    cursor.planner.offsetTolerance = secondNs.quotient(by: UInt64(max(format.rate, 1)))
  }
}

// The start of playback.
extension PlaySession {
  mutating func start(_ start: TimePlayStart, by seek: TimePlaySeek?) -> TimePlayAnswer {
    if phase == TIMEPLAY_CLOSED { return TIMEPLAY_REFUSED }
    if isPlaying {
      guard let seek else { return TIMEPLAY_ACCEPTED }
      return accept(seek)
    }
    if upstream.isFlushing || (seek == nil && past.hasOpenSeek) { return TIMEPLAY_REFUSED }
    guard let seek else {
      let request = request(of: start)
      begin(start)
      if isAtStart(start) { recordStart(start, upTo: request.stopNs) }
      post(request)
      return TIMEPLAY_STARTED
    }
    var now = askedOfUpstream.seen(
      Request(
        start.segment, start.seqnum, durationNs: start.duration_ns, direction: direction,
        isLimited: false
      ).asked)
    guard var request = Request(seek, &now, direction: direction) else { return TIMEPLAY_REFUSED }
    begin(start)
    asked = now
    request.kind = .start(after: unknownFrame)
    flush(by: seek)
    post(request)
    return TIMEPLAY_STARTED
  }

  mutating func started(_ isDone: Bool) {
    guard phase == TIMEPLAY_STARTING else { return }
    phase = isDone ? TIMEPLAY_PLAYING : TIMEPLAY_PASSING
  }

  /// Lets the next stream pass through. The current stream has been sent completely.
  mutating func letNextPass() {
    openElement()
    state = .stopped
    waitingTurn = nil
    upstream.clear()
    cursor.planner.clear()
  }

  /// The failure if another `revbuf` fetches from the same source.
  private var contested: Report { Report(code: TIMEPLAY_IS_CONTESTED) }

  /// Whether upstream is at the beginning of the stream.
  private func isAtStart(_ start: TimePlayStart) -> Bool {
    start.last_frame == unknownFrame && (past.isFresh || start.segment.start_ns == 0)
  }

  private mutating func begin(_ start: TimePlayStart) {
    phase = TIMEPLAY_STARTING
    state = .stopped
    failure = nil
    waitingSeek = nil
    waitingResume = nil
    waitingTurn = nil
    openFlushes = 0
    prepare(for: start.format)
    cursor.open(start.format)
    (promise.isReported, promise.isFollowed) = (false, false)
    cursor.planner.firstFrame = frame(atNs: past.firstNs, rate: start.format.rate)
    output.open(start.base_ns)
    upstream.open(start.format)
    if past.isContested(start.seqnum) { cursor.planner.interruption = contested }
  }

  /// Records the start of the stream. If a seek has led here, upstream may stop at `stopNs`, which
  /// is not the end of the stream.
  private mutating func recordStart(_ start: TimePlayStart, upTo stopNs: UInt64) {
    let rate = start.format.rate
    let first = frame(atNs: start.segment.start_ns, rate: rate)
    let stop = past.isFresh ? unknownFrame : boundary(atNs: stopNs, rate: rate)
    do throws(TimeDSPStatus) {
      upstream.fill(try cursor.planner.awaitStart(at: first, before: stop))
    } catch {}  // fall back to fetching the start
  }

  /// The request to play the stream that upstream sends.
  private mutating func request(of start: TimePlayStart) -> Request {
    let segment = start.segment
    let isFresh = past.isFresh
    let isLimited = past.isLimited(segment, start.seqnum)
    // If upstream reports no duration and no seek has asked for a stop yet, use the segment's stop
    // as the duration. This stop is exact to the ns, but the last frame may extend beyond it.
    let isKnown = start.duration_ns != unknownTime || !isFresh || isLimited
    var request = Request(
      segment, start.seqnum, durationNs: isKnown ? start.duration_ns : segment.stop_ns,
      direction: direction, isLimited: isLimited)
    asked = askedOfUpstream.seen(request.asked)
    if isFresh, !isLimited { asked.stopNs = unknownTime }
    if start.last_frame == unknownFrame, !isFresh, segment.start_ns > 0 {
      request.playDown(from: segment)
    }
    request.kind = .start(after: start.last_frame)
    return request
  }
}

// Seeks.
extension PlaySession {
  /// Handles a seek of the application. If it is to be forwarded, `seek` becomes the seek for
  /// upstream.
  mutating func seek(_ seek: inout TimePlaySeek) -> TimePlayAnswer {
    if phase == TIMEPLAY_CLOSED { return TIMEPLAY_REFUSED }
    if let question = question(about: seek) { return question }
    var past = seek
    let limits = askedOfUpstream.translate(&past, collects: settings.collectBackward)
    if isPlaying { return accept(seek) }
    self.past.add(seek.seqnum, limits: limits)
    seek = past
    return TIMEPLAY_GOES_PAST
  }

  private func question(about seek: TimePlaySeek) -> TimePlayAnswer? {
    if isPlaying { return seek.duration_ns == 0 ? TIMEPLAY_SEEK_ASKS_DURATION : nil }
    guard seek.rate < 0, seek.cannot_start == 0, settings.mayPlay else { return nil }
    // if branches share the source, upstream plays backwards for all of them, to keep them in step
    if settings.mode == TIMEPLAY_MODE_AUTO {
      if seek.is_shared == TIMEPLAY_UNKNOWN { return TIMEPLAY_SEEK_ASKS_SHARED }
      if seek.is_shared == TIMEPLAY_YES { return nil }
    }
    return TIMEPLAY_SEEK_MAY_START
  }

  /// Accepts a seek during playback.
  private mutating func accept(_ seek: TimePlaySeek) -> TimePlayAnswer {
    var now = asked
    now.durationNs = durationNs
    if now.durationNs == unknownTime, seek.duration_ns != 0 { now.durationNs = seek.duration_ns }
    guard var request = Request(seek, &now, direction: direction) else { return TIMEPLAY_REFUSED }
    asked = now
    flush(by: seek)
    if seek.isFlushing { endForeignFlush(by: &request) }
    post(request)
    return TIMEPLAY_ACCEPTED
  }

  private mutating func flush(by seek: TimePlaySeek) {
    guard seek.isFlushing else { return }
    openFlushes &+= 1
    output.flush()
  }

  /// Ends a foreign flush if `request` goes to another position. The segment after that flush is
  /// then not needed.
  private mutating func endForeignFlush(by request: inout Request) {
    guard awaitsSegment, case .goTo = request.kind else { return }
    upstream.acceptSegment()
    promise.isFollowed = false
    request.format = upstream.format
  }

  /// Ends the flush of a seek. Returns whether no other flush is in progress.
  mutating func endFlush() -> Bool {
    if openFlushes > 0 { openFlushes &-= 1 }
    return openFlushes == 0 && upstream.awaited != TIMEPLAY_FLUSH_STOP
  }

  /// Makes `request` the newest seek. It is served next.
  ///
  /// The lock must not be released between reading the direction of `request` and this call. The
  /// request then includes any earlier change of direction.
  mutating func post(_ request: Request) {
    waitingTurn = nil
    if case .resume = request.kind, waitingSeek != nil {
      waitingResume = request
      return
    }
    // A foreign seek that has not been served may have changed the format.
    let format = waitingSeek?.format
    waitingSeek = request
    waitingResume = nil
    if let format, format.rate > 0, !request.isForeign { waitingSeek?.format = format }
    let end = min(request.stopNs, request.durationNs)
    playheadNs = request.direction == TIMEDSP_BACKWARD ? end : request.startNs
    if case .start(let frame) = request.kind, frame != unknownFrame {
      playheadNs = timeNs(of: frame, rate: cursor.planner.limits.rate)
    }
  }
}

// Events and buffers from upstream.
extension PlaySession {
  mutating func event(_ event: TimePlayEvent) -> TimePlayRoute {
    if phase == TIMEPLAY_CLOSED { return TIMEPLAY_DROP }
    guard isPlaying else { return pass(event) }
    switch event.kind {
    case TIMEPLAY_FLUSH_START: return startFlush(event)
    case TIMEPLAY_FLUSH_STOP: return stopFlush(event)
    case TIMEPLAY_NEW_SEGMENT: accept(event)
    case TIMEPLAY_NEW_FORMAT: change(to: event.format)
    case TIMEPLAY_STREAM_END: upstream.end(.stream(isFollowed: false))
    case TIMEPLAY_SEGMENT_END: upstream.end(.segment)
    case TIMEPLAY_NEW_STREAM:
      // this is also the end of the current stream
      promise.isFollowed = true
      upstream.end(.stream(isFollowed: true))
      return upstream.isFollowed ? TIMEPLAY_HOLD : TIMEPLAY_DROP
    case TIMEPLAY_GAP: break
    default: return TIMEPLAY_KEEP
    }
    return TIMEPLAY_DROP
  }

  /// Handles an event of a stream that the session does not play.
  ///
  /// The start of a new stream is forwarded only when downstream has consumed the current stream.
  /// Queues downstream may still contain a second of it. If the start were forwarded immediately, a
  /// change of direction for the audible stream would take effect near the beginning of the next
  /// stream, and playback would end there.
  private mutating func pass(_ event: TimePlayEvent) -> TimePlayRoute {
    switch event.kind {
    case TIMEPLAY_FLUSH_START: upstream.pass(isFlushing: true)
    case TIMEPLAY_FLUSH_STOP:
      upstream.pass(isFlushing: false)
      past.answerAll()
      phase = TIMEPLAY_PASSING
      passage = Passage()
    case TIMEPLAY_NEW_STREAM:
      past.passStream()
      askedOfUpstream = AskedRange()
      return TIMEPLAY_FOLLOW
    case TIMEPLAY_NEW_SEGMENT:
      past.answer(event.seqnum)
      past.pass(event.segment)
    case TIMEPLAY_STREAM_END, TIMEPLAY_SEGMENT_END: passage.isKeeping = false
    default: break
    }
    return TIMEPLAY_PASS
  }

  private mutating func startFlush(_ event: TimePlayEvent) -> TimePlayRoute {
    let isOwn = upstream.isOwn(event)
    let isContested = !isOwn && isFetch(event.seqnum)
    let isForeign = !isOwn && !isContested
    if isContested { cursor.planner.interruption = contested }
    if isForeign { output.flush() }
    upstream.startFlush(isForeign: isForeign)
    return isForeign ? TIMEPLAY_SEND : TIMEPLAY_DROP
  }

  private mutating func stopFlush(_ event: TimePlayEvent) -> TimePlayRoute {
    let isOwn = upstream.isOwn(event)
    if upstream.overtakes(isOwn: isOwn) { goOn() }
    let isForeign = upstream.stopFlush(isOwn: isOwn)
    return isForeign && openFlushes == 0 ? TIMEPLAY_SEND : TIMEPLAY_DROP
  }

  /// Continues playback at its position after a foreign flush.
  private mutating func goOn() {
    var request = waitingSeek ?? served
    request.kind = .resume
    request.direction = direction
    request.format = TimePlayFormat()
    post(request)
  }

  private mutating func accept(_ event: TimePlayEvent) {
    let segment = event.segment
    if segment.rate == 0 { isBroken() }
    switch upstream.awaited {
    case TIMEPLAY_FLUSH_STOP?: return  // the segment belongs to flushed audio
    case TIMEPLAY_NEW_SEGMENT?:
      upstream.acceptSegment()
      promise.isFollowed = false
      var request = Request(
        segment, event.seqnum, durationNs: event.duration_ns, direction: direction,
        isLimited: true)
      asked = request.asked
      request.playDown(from: segment)
      request.format = upstream.format
      post(request)
    default:
      upstream.answer(by: event)
      if upstream.beginRun(), event.empty != 0 {
        cursor.planner.origin = .boundedSeek
      }
    }
  }

  private mutating func change(to format: TimePlayFormat) {
    if format.rate == 0 { return isBroken() }
    if upstream.change(to: format) { isBroken() }
  }

  private mutating func isBroken() {
    if cursor.planner.fault == nil { cursor.planner.fault = Report(code: TIMEPLAY_FORMAT_CHANGED) }
  }

  func receive() -> TimePlayReception {
    switch phase {
    case TIMEPLAY_CLOSED: TIMEPLAY_BUFFER_IS_FLUSHED
    case TIMEPLAY_STARTING, TIMEPLAY_PLAYING: upstream.receive()
    default: TIMEPLAY_BUFFER_PASSES
    }
  }

  /// Records that the run needs no more frames, or that a buffer did not match its caps.
  mutating func filled(isUnderstood: Bool) {
    if upstream.filled(isUnderstood: isUnderstood), !isUnderstood { isBroken() }
  }
}
