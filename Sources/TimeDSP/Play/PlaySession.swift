// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Decides how `revbuf` plays a stream. The session receives seeks, events and buffers in
/// GStreamer's terms, and returns one action after another.
///
/// The owner of the session is the element, which performs the actions. `timeplay.h` declares the
/// same interface in C. The session never waits, uses no threads, and is called under one lock. It
/// converts times to frames, because `Cursor` and everything below it count frames.
///
/// **Phases.** In the phases STARTING and PLAYING, the session plays the stream: it fetches blocks
/// and sends them downstream. In the other phases, the owner handles the stream: it passes the
/// stream through, collects it, reverses it in chunks, or holds its buffers until playback begins.
///
/// **Inputs.** The element: `openElement`, `close`, `clear` (changes of state), `configure`
/// (properties). Upstream before playback: `arrive`. The start of playback: `start`, `started`. The
/// application: `seek`, `endFlush`. Upstream: `event`, `receive`, `filled`, and `past.answer` after
/// a forwarded seek. `next` returns an action, and `done` receives its outcome.
///
/// **While an action is open** (between `next` and `done`), all inputs except `next` and `clear`
/// are allowed. Most inputs from upstream arrive during a FETCH, from inside its seek or from
/// upstream's streaming thread. The callers of `endFlush`, and of `event` for a FLUSH_STOP to be
/// forwarded, first wait until nothing is being sent downstream.
///
/// **Between `receive` and `filled`**, the current run belongs to upstream's streaming thread,
/// which may add several buffers to it. The run is not freed during this time, because only a
/// serialized event or a FLUSH_STOP replaces the run, and neither arrives while that thread is in
/// its chain function.
///
/// **Flushes.** A seek or a flush is foreign if another element has caused it and it did not pass
/// through this session. `seek` counts the flushes of the application's seeks. `next` returns
/// nothing but WAIT until `endFlush` has been called for each of these flushes. After a foreign
/// FLUSH_START, `next` also returns nothing but WAIT, until the segment after the flush arrives, or
/// the application makes a flushing seek to a new position.
struct PlaySession: HeldByC, ~Copyable {
  enum State {
    /// Nothing is sent until the next seek.
    case stopped
    /// A seek has been dequeued. Its first fetch has not been requested yet.
    case serving
    /// The first fetch of the seek has been requested, or was not needed. The next action is
    /// SERVED.
    case served
    case playing
    /// The segment has been sent; send this many frames next.
    case sending(Int64)
    /// The last pass has been played.
    case ending
    /// Playback has ended or failed. The next action is LET_GO: upstream may continue to its end,
    /// because no more audio is needed from it. `flags` are for the state `parting`.
    case leaving(flags: UInt32)
    /// Upstream may continue to its end. The next action is END, with these flags.
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
  /// The range that the newest seek asks for.
  var asked = Asked()
  /// Translates seeks that are sent upstream while the owner handles the stream.
  var askedOfUpstream = AskedRange()
  /// The seek that is being served.
  var served = Request()
  /// The newest seek that has not been dequeued.
  var waitingSeek: Request?
  /// A seek that came after `waitingSeek` and keeps its target.
  var waitingResume: Request?
  /// A requested direction that playback has not changed to yet.
  var waitingTurn: TimeDSPDirection?
  /// Number of flushing seeks by the application for which `endFlush` has not been called yet.
  var openFlushes = 0
  var promise = EndPromise() { didSet { promisesChanged() } }
  /// Seek target of the newest fetch, in stream time.
  var fetchNs: UInt64 = 0
  /// The kind of the action whose outcome has not been reported yet.
  var open = TIMEPLAY_WAIT
  /// Stream time of the next frame, from a seek to the first buffer after it; otherwise
  /// `unknownTime`.
  var playheadNs = unknownTime

  init(convert: TimePlayConvert, element: UInt32) throws(TimeDSPStatus) {
    let cursor = try Cursor(convert: convert)
    let past = try PastSeeks()
    self.cursor = cursor
    self.past = past
    upstream = Upstream(element: element)
  }

  /// Whether the session plays the stream. Otherwise, the owner handles the stream.
  var isPlaying: Bool {
    phase == TIMEPLAY_STARTING || phase == TIMEPLAY_PLAYING
  }

  /// Whether the next segment belongs to a seek by another element.
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

  /// The direction that the properties ask for. A seek with a negative rate overrides it.
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

  /// Returns to passthrough for the next stream, after the current one has been sent completely.
  mutating func letNextPass() {
    openElement()
    state = .stopped
    waitingTurn = nil
    upstream.clear()
    cursor.planner.clear()
  }

  /// The failure if another `revbuf` also fetches from our source.
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

  /// Begins to record the start of the stream. If upstream has been seeked, it may stop at
  /// `stopNs`, before the end of the stream.
  private mutating func recordStart(_ start: TimePlayStart, upTo stopNs: UInt64) {
    let rate = start.format.rate
    let first = frame(atNs: start.segment.start_ns, rate: rate)
    let stop = past.isFresh ? unknownFrame : boundary(atNs: stopNs, rate: rate)
    do throws(TimeDSPStatus) {
      upstream.fill(try cursor.planner.awaitStart(at: first, before: stop))
    } catch {}  // the start will be fetched like other audio
  }

  /// The request with which playback begins, without a seek.
  private mutating func request(of start: TimePlayStart) -> Request {
    let segment = start.segment
    let isFresh = past.isFresh
    let isLimited = past.isLimited(segment, start.seqnum)
    // If upstream reports no duration and no seek has set a stop position yet, use the stop of the
    // segment as the duration. This stop is exact to the ns, but the last frame may extend beyond
    // it.
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
  /// Handles a seek by the application. If the seek is to be forwarded, it becomes the seek to be
  /// sent upstream.
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

  /// The question that the owner must answer before the session can decide about `seek`; `nil` if
  /// there is none.
  private func question(about seek: TimePlaySeek) -> TimePlayAnswer? {
    if isPlaying { return seek.duration_ns == 0 ? TIMEPLAY_SEEK_ASKS_DURATION : nil }
    guard seek.rate < 0, seek.cannot_start == 0, settings.mayPlay else { return nil }
    // if branches share the source, the seek goes upstream: all of them play backwards in step
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

  /// Ends a flush by another element if `request` is a seek to a new position. If so, the session
  /// no longer waits for the segment after that flush.
  private mutating func endForeignFlush(by request: inout Request) {
    guard awaitsSegment, case .goTo = request.kind else { return }
    upstream.acceptSegment()
    promise.isFollowed = false
    request.format = upstream.format
  }

  /// Ends the flush of a seek. Returns whether FLUSH_STOP must be sent: no other flush is in
  /// progress.
  mutating func endFlush() -> Bool {
    if openFlushes > 0 { openFlushes &-= 1 }
    return openFlushes == 0 && upstream.awaited != TIMEPLAY_FLUSH_STOP
  }

  /// Makes `request` the newest seek, which is dequeued next.
  ///
  /// The lock must not be released between reading the direction for `request` and this call,
  /// because this call discards any requested change of direction.
  mutating func post(_ request: Request) {
    waitingTurn = nil
    if case .resume = request.kind, waitingSeek != nil {
      waitingResume = request
      return
    }
    // a seek by another element that has not been dequeued may have changed the format
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
      // the current stream has ended, too
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
  /// The start of the next stream is forwarded only after downstream has consumed the current
  /// stream, because queues downstream may still contain a second of the current stream. If the
  /// start were forwarded immediately, a change of direction that is meant for the current stream
  /// would affect only the next stream, near its beginning, and playback would end at the
  /// beginning.
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

  /// Makes playback continue at the current position. Playback was waiting for the segment of a
  /// seek by another element. This segment will not arrive, because a fetch has replaced the seek
  /// upstream.
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
    case TIMEPLAY_FLUSH_STOP?: return  // the segment is from before the flush
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

  /// Makes playback fail when the next run arrives, because upstream has sent something unusable.
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

  /// Records that the current run needs no more frames, or that a buffer did not match its caps
  /// (`isUnderstood` is `false`).
  mutating func filled(isUnderstood: Bool) {
    if upstream.filled(isUnderstood: isUnderstood), !isUnderstood { isBroken() }
  }
}
