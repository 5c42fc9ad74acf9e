// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a stream block by block, in GStreamer's terms: takes in what happens, and says what to
/// do about it. The blocks below it (`Cursor`) count frames; times become frames here. It never waits, knows no thread, and is called under one lock; `timeplay.h` has
/// the same in C.
///
/// **Inputs.** `open`, `close`, `clear` (the element's states), `configure` (the
/// properties), `start` and `started` (play begins), `seek`, `seekPast` and `endFlush`
/// (the application), `event`, `receive` and `filled` (upstream). `next` says what to do,
/// `done` takes what came of it.
///
/// **While an action is open** (between `next` and `done`) every input may come but
/// `next` and `clear`; most of those of upstream come while a FETCH is open, from inside
/// of its seek or from upstream's thread. `endFlush`, and a FLUSH_STOP that is to be sent
/// on, come only while nothing is being sent: their senders wait for that.
///
/// **Between `receive` and `filled`** the run belongs to upstream's streaming thread, for as
/// many buffers as it takes, so nothing frees it: only serialized events put another in its
/// place, or a FLUSH_STOP. None of them comes while that thread is in its chain function.
///
/// **A flush.** `seek` counts it. Until as many `endFlush` have come, and from a foreign
/// FLUSH_START to the segment after it, or to a seek after it that flushes and goes elsewhere,
/// there is nothing to do but to wait.
struct PlaySession: HeldByC, ~Copyable {
  enum State {
    /// Nothing is sent before a seek.
    case stopped
    /// A seek has been taken, and nothing has been fetched for it.
    case serving
    /// … something has.
    case served
    case playing
    /// So many frames of the segment that has just been sent.
    case sending(Int64)
    /// There is no further pass.
    case ending
    /// Play has come to an end, or failed: upstream is not needed for now, …
    case leaving(flags: UInt32)
    /// … and the segment of these flags ends downstream.
    case parting(flags: UInt32)
  }

  var cursor: Cursor
  var output = OutputSegment()
  var upstream: Upstream
  var past: PastSeeks
  var phase = TIMEPLAY_CLOSED
  var state = State.stopped
  /// What went wrong, until it is reported.
  var failure: Report?
  var settings = TimePlaySettings()
  /// What the application sees of the newest seek.
  var asked = Asked()
  /// The seek that is being served.
  var served = Request()
  /// The newest seek that has not been served.
  var waitingSeek: Request?
  /// A seek that came after it and goes on where it leads.
  var waitingResume: Request?
  /// The direction to turn to.
  var waitingTurn: TimeDSPDirection?
  /// Flushes of seeks that have not ended.
  var openFlushes = 0
  var promise = EndPromise() { didSet { promisesChanged() } }
  /// Where the last fetch seeks to.
  var fetchNs: UInt64 = 0
  /// The action of which the outcome is to come.
  var open = TIMEPLAY_WAIT
  /// Stream time of the next frame, until the first buffer after a seek is sent.
  var playheadNs = unknownTime

  init(convert: TimePlayConvert, element: UInt32) throws(TimeDSPStatus) {
    let cursor = try Cursor(convert: convert)
    let past = try PastSeeks()
    self.cursor = cursor
    self.past = past
    upstream = Upstream(element: element)
  }

  /// Whether buffers and events of upstream are for the playback.
  var isPlaying: Bool {
    phase == TIMEPLAY_STARTING || phase == TIMEPLAY_PLAYING
  }

  /// Whether the next segment is that of a foreign seek.
  var awaitsSegment: Bool {
    isPlaying && upstream.awaited == TIMEPLAY_NEW_SEGMENT
  }

  /// Whether a fetch is under way; or, where the source is `shared`, upstream is needed.
  func isWaiting(shared: Bool) -> Bool {
    upstream.isWaiting || (shared && !upstream.isLetGo)
  }

  /// Of the stream, as far as it has been seen.
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
    past.clear()
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

  /// That of the properties: a seek may make another of it.
  private var direction: TimeDSPDirection { settings.direction }

  /// What comes from here on is like `format`.
  mutating func prepare(for format: TimePlayFormat) {
    cursor.planner.settings = settings.inFrames(rate: format.rate)
    cursor.planner.offsetTolerance = secondNs.quotient(by: UInt64(max(format.rate, 1)))
  }
}

// Play begins.
extension PlaySession {
  mutating func start(_ start: TimePlayStart, by seek: TimePlaySeek?) -> TimePlayAnswer {
    switch phase {
    case TIMEPLAY_CLOSED: return TIMEPLAY_REFUSED
    case TIMEPLAY_PASSING: break
    default:
      guard let seek else { return TIMEPLAY_TAKEN }
      return self.seek(seek)
    }
    if upstream.isFlushing || (seek == nil && past.isSought) { return TIMEPLAY_REFUSED }
    guard let seek else {
      begin(start, atStart: isAtStart(start))
      post(request(of: start))
      return TIMEPLAY_STARTED
    }
    var now = Request(
      start.segment, start.seqnum, durationNs: start.duration_ns, direction: direction,
      isSought: false, isLimited: false
    ).asked
    guard var request = Request(seek, &now, direction: direction) else { return TIMEPLAY_REFUSED }
    begin(start, atStart: false)
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

  /// All has been sent, and the next stream passes.
  mutating func letNextPass() {
    openElement()
    state = .stopped
    waitingTurn = nil
    upstream.clear()
    cursor.planner.clear()
  }

  /// Another playback fetches from the same source.
  private var contested: Report { Report(code: TIMEPLAY_IS_CONTESTED) }

  /// Whether upstream is at the beginning of the stream.
  private func isAtStart(_ start: TimePlayStart) -> Bool {
    start.last_frame == unknownFrame && (past.isFresh || start.segment.start_ns == 0)
  }

  private mutating func begin(_ start: TimePlayStart, atStart: Bool) {
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
    guard atStart else { return }
    let first = frame(atNs: start.segment.start_ns, rate: start.format.rate)
    do throws(TimeDSPStatus) {
      upstream.fill(try cursor.planner.awaitStart(at: first))
    } catch {}  // it is fetched, then
  }

  /// To play what upstream sends.
  private mutating func request(of start: TimePlayStart) -> Request {
    let segment = start.segment
    let isFresh = past.isFresh
    let isLimited = past.isLimited(segment, start.seqnum)
    // If upstream reports no duration and nobody has asked for a stop yet, use the
    // segment's: it is right to the ns, but the last frame may reach farther.
    let isKnown = start.duration_ns != unknownTime || !isFresh || isLimited
    var request = Request(
      segment, start.seqnum, durationNs: isKnown ? start.duration_ns : segment.stop_ns,
      direction: direction, isSought: true, isLimited: isLimited)
    asked = request.asked
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
  mutating func seek(_ seek: TimePlaySeek) -> TimePlayAnswer {
    switch phase {
    case TIMEPLAY_CLOSED: return TIMEPLAY_REFUSED
    case TIMEPLAY_PASSING:
      past.add(seek.seqnum, limits: seek.limits != 0)
      return TIMEPLAY_GOES_PAST
    default: break
    }
    var now = asked
    now.durationNs = durationNs
    if now.durationNs == unknownTime { now.durationNs = seek.duration_ns }
    guard var request = Request(seek, &now, direction: direction) else { return TIMEPLAY_REFUSED }
    asked = now
    flush(by: seek)
    if seek.isFlushing { endForeignFlush(by: &request) }
    post(request)
    return TIMEPLAY_TAKEN
  }

  private mutating func flush(by seek: TimePlaySeek) {
    guard seek.isFlushing else { return }
    openFlushes &+= 1
    output.flush()
  }

  /// Play goes elsewhere in any case: what a flush of somebody else's leads to need not come.
  private mutating func endForeignFlush(by request: inout Request) {
    guard awaitsSegment, case .goTo = request.kind else { return }
    upstream.acceptSegment()
    promise.isFollowed = false
    request.format = upstream.format
  }

  /// Ends the flush of a seek; returns whether no other one goes on.
  mutating func endFlush() -> Bool {
    if openFlushes > 0 { openFlushes &-= 1 }
    return openFlushes == 0 && upstream.awaited != TIMEPLAY_FLUSH_STOP
  }

  /// The newest seek counts. Under the lock under which the direction of `request` was
  /// read: a turn that came before that is in it.
  mutating func post(_ request: Request) {
    waitingTurn = nil
    if case .resume = request.kind, waitingSeek != nil {
      waitingResume = request
      return
    }
    // A foreign seek came before, and nothing is known of its target yet.
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

// What upstream sends.
extension PlaySession {
  mutating func event(_ event: TimePlayEvent) -> TimePlayRoute {
    switch phase {
    case TIMEPLAY_CLOSED: return TIMEPLAY_DROP
    case TIMEPLAY_PASSING:
      pass(event)
      return TIMEPLAY_PASS
    default: break
    }
    switch event.kind {
    case TIMEPLAY_FLUSH_START: return startFlush(event)
    case TIMEPLAY_FLUSH_STOP: return stopFlush(event)
    case TIMEPLAY_NEW_SEGMENT: take(event)
    case TIMEPLAY_NEW_FORMAT: change(to: event.format)
    case TIMEPLAY_STREAM_END: upstream.end(.stream(isFollowed: false))
    case TIMEPLAY_SEGMENT_END: upstream.end(.segment)
    case TIMEPLAY_NEW_STREAM:
      // It is the end of this one.
      promise.isFollowed = true
      upstream.end(.stream(isFollowed: true))
      return upstream.isFollowed ? TIMEPLAY_HOLD : TIMEPLAY_DROP
    case TIMEPLAY_GAP: break
    default: return TIMEPLAY_KEEP
    }
    return TIMEPLAY_DROP
  }

  private mutating func pass(_ event: TimePlayEvent) {
    switch event.kind {
    case TIMEPLAY_FLUSH_START: upstream.pass(isFlushing: true)
    case TIMEPLAY_FLUSH_STOP:
      upstream.pass(isFlushing: false)
      past.answerAll()
    case TIMEPLAY_NEW_STREAM: past.passStream()
    case TIMEPLAY_NEW_SEGMENT:
      past.answer(event.seqnum)
      past.pass(event.segment)
    default: break
    }
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

  /// Play goes on where it was, after a foreign flush.
  private mutating func goOn() {
    var request = waitingSeek ?? served
    request.kind = .resume
    request.direction = direction
    request.format = TimePlayFormat()
    post(request)
  }

  private mutating func take(_ event: TimePlayEvent) {
    let segment = event.segment
    if segment.rate == 0 { isBroken() }
    switch upstream.awaited {
    case TIMEPLAY_FLUSH_STOP?: return  // it is of what has been flushed
    case TIMEPLAY_NEW_SEGMENT?:
      upstream.acceptSegment()
      promise.isFollowed = false
      var request = Request(
        segment, event.seqnum, durationNs: event.duration_ns, direction: direction,
        isSought: true, isLimited: true)
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
    case TIMEPLAY_PASSING: TIMEPLAY_BUFFER_PASSES
    default: upstream.receive()
    }
  }

  /// The run in hand wants no more, or a buffer was not what its caps say.
  mutating func filled(isUnderstood: Bool) {
    if upstream.filled(isUnderstood: isUnderstood), !isUnderstood { isBroken() }
  }
}
