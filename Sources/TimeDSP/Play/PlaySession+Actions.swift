// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A segment is made longer by its length divided by this number, because timestamps upstream may
/// be slightly too small for the number of frames. The timestamps of MP3 are too small by a
/// fraction of 1 / 26,000,000.
private let driftDivisor: Int64 = 10_000_000

// Actions.
extension PlaySession {
  mutating func next() -> TimePlayAction {
    while isFree {
      deliverRun()
      if let action = nextReport() ?? fail() ?? dequeueSeek() ?? retry() ?? proceed() {
        open = action.kind
        return action
      }
    }
    return action(TIMEPLAY_WAIT)
  }

  /// Whether the session may send and fetch. `true` if it plays the stream and no flush is in
  /// progress.
  private var isFree: Bool {
    isPlaying && openFlushes == 0 && upstream.awaited == nil
  }

  /// Passes a complete run to the planner. A run that the planner has not examined yet is replaced.
  private mutating func deliverRun() {
    guard let run = upstream.dequeueRun() else { return }
    FetchedRun.free(cursor.planner.arrived)
    cursor.planner.arrived = run
  }

  private func action(_ kind: TimePlayActionKind) -> TimePlayAction {
    var action = TimePlayAction()
    action.kind = kind
    action.seqnum = served.seqnum
    action.flags = served.flags
    action.direction = cursor.direction
    action.format = cursor.planner.format
    return action
  }

  private func action(_ kind: TimePlayActionKind, _ report: Report) -> TimePlayAction {
    var action = action(kind)
    action.report = report.code
    action.frame = report.frame
    action.value = report.value
    return action
  }

  private mutating func nextReport() -> TimePlayAction? {
    guard let report = cursor.planner.reports.next() else { return nil }
    return action(TIMEPLAY_REPORT, report)
  }

  private mutating func fail() -> TimePlayAction? {
    guard let failure else { return nil }
    self.failure = nil
    state = .leaving(flags: 0)
    return action(TIMEPLAY_FAIL, failure)
  }

  /// Performs one step of the current state. Returns `nil` if the step needs no action.
  private mutating func proceed() -> TimePlayAction? {
    if failure != nil { return nil }
    switch state {
    case .stopped: return action(TIMEPLAY_WAIT)
    case .serving: return serve()
    case .served: return endSeek()
    case .playing: return play()
    case .sending(let frames):
      state = .playing
      return send(frames)
    case .ending:
      if maySendNext { return handOver() }
      if output.sent == nil, let segment = startSegment() { return segment }
      state = .leaving(flags: served.flags)
      return nil
    case .leaving(let flags):
      state = .parting(flags: flags)
      return action(TIMEPLAY_LET_GO)
    case .parting(let flags): return part(flags)
    }
  }

  /// Applies the outcome of the last action.
  mutating func done(_ outcome: TimePlayOutcome) {
    switch open {
    case TIMEPLAY_ASK_DURATION:
      setEstimate(outcome.duration_ns)
    case TIMEPLAY_ASK_PROMISE:
      compareEnd(with: outcome.duration_ns)
    case TIMEPLAY_FETCH where outcome.ok == 0:
      refused(isFlushed: outcome.flushing != 0)
    case TIMEPLAY_SEGMENT:
      if outcome.open != 0 { output.leaveOpen() }
    case TIMEPLAY_FRAMES:
      // a waiting seek has already set `playheadNs` to its target
      if waitingSeek == nil { playheadNs = unknownTime }
      sent(outcome.flow)
    case TIMEPLAY_LET_GO:
      // a waiting seek still needs upstream
      if waitingSeek == nil, upstream.awaited == nil, outcome.held == 0 {
        upstream.letGo(outcome.ok != 0 ? TIMEPLAY_BUFFER_IS_DROPPED : TIMEPLAY_BUFFER_IS_LATE)
      }
    default: break
    }
    open = TIMEPLAY_WAIT
  }

  /// Handles upstream's refusal of a fetch. If a seek is waiting, or a flush by another
  /// element is in progress, a new fetch follows anyway.
  private mutating func refused(isFlushed: Bool) {
    guard waitingSeek == nil, upstream.awaited == nil else { return }
    if cursor.planner.interruption != nil { return }
    upstream.refuse(isFlushed: isFlushed)
    if isFlushed || upstream.isLast { return }
    cursor.planner.fetching = nil
    failure = Report(code: TIMEPLAY_SEEK_REFUSED)
  }

  private mutating func sent(_ flow: TimePlayFlow) {
    switch flow {
    case TIMEPLAY_FLOW_OK: break
    case TIMEPLAY_FLOW_FLUSHING: state = .stopped
    case TIMEPLAY_FLOW_END: state = .leaving(flags: served.flags)
    default: state = .leaving(flags: 0)
    }
  }

  // ---- seeks ----

  /// Dequeues the waiting seek if it can be served now.
  private mutating func dequeueSeek() -> TimePlayAction? {
    guard let seek = waitingSeek, hasStart(for: seek) else { return nil }
    waitingSeek = nil
    serve(seek)
    if let resume = waitingResume { serve(resume) }
    waitingResume = nil
    state = .serving
    return nil
  }

  private mutating func serve(_ seek: Request) {
    output.end()
    if seek.kind.isElsewhere { output.breakOff() }
    output.setRate(seek.rate, frameRate: cursor.planner.format.rate)
    let isForeign = seek.isForeign
    if isForeign { prepare(for: seek.format) }
    served = seek
    cursor.serve(seek.inFrames(rate: isForeign ? seek.format.rate : cursor.planner.limits.rate))
    promise.endNs = seek.durationNs
  }

  /// Whether `seek` can be served now. When playback begins without a seek, the start of the stream
  /// must be recorded before anything is fetched. During the recording, parsers see enough of the
  /// stream to report a duration.
  private mutating func hasStart(for seek: Request) -> Bool {
    guard case .awaited = cursor.planner.start else { return true }
    guard case .start = seek.kind else {
      cursor.planner.doubtStart()
      return true
    }
    served = seek  // a failure is reported with the seqnum of this seek
    if case .failed(let report) = cursor.planner.admit(seek.direction, 0) {
      failure = report
      waitingSeek = nil
      waitingResume = nil
      return false
    }
    if case .awaited = cursor.planner.start { return false }
    return true
  }

  private mutating func serve() -> TimePlayAction? {
    guard cursor.index == nil else {
      state = .served
      return nil
    }
    let step = cursor.fetch()
    if case .askDuration = step {} else { state = .served }
    return action(step)
  }

  private mutating func endSeek() -> TimePlayAction {
    state = .playing
    var action = action(TIMEPLAY_SERVED)
    action.start_ns = served.startNs
    return action
  }

  // ---- playing ----

  private mutating func play() -> TimePlayAction? {
    if turn() || followSwitch() { return nil }
    // If the next stream has begun upstream, no seek reaches the current one any more. Only the
    // audio in memory can be played.
    let isCutOff = upstream.isLast && upstream.isFollowed
    if !isCutOff {
      let step = cursor.fetch()
      guard case .idle = step else { return action(step) }
      if let last = fetchLast() { return last }
    }
    let frames = cursor.sendableFrames
    if frames > 0 {
      guard let segment = startSegment() else { return send(frames) }
      state = .sending(frames)
      return segment
    }
    let isAtEnd = cursor.leftInPass <= 0 && !(upstream.isLast && upstream.isWaiting)
    guard isAtEnd || isCutOff else {
      return action(TIMEPLAY_WAIT)
    }
    endPass()
    return nil
  }

  private mutating func turn() -> Bool {
    guard let direction = waitingTurn else { return false }
    waitingTurn = nil
    if direction == cursor.direction { return false }
    cursor.turn(direction)
    output.end()
    return true
  }

  private mutating func followSwitch() -> Bool {
    guard cursor.followSwitch() else { return false }
    output.end()
    return true
  }

  /// The action for a step of the planner; `nil` if the step needs no action.
  private mutating func action(_ step: BlockPlanner.Step) -> TimePlayAction? {
    switch step {
    case .idle, .active:
      return nil
    case .failed(let report):
      failure = report
      return nil
    case .askDuration:
      return action(TIMEPLAY_ASK_DURATION)
    case .askPromise:
      return action(TIMEPLAY_ASK_PROMISE)
    case .fetch(let run, let mayContinue):
      if mayContinue, upstream.goOn(with: run) { return nil }
      if promise.isFollowed {
        FetchedRun.free(run)
        cursor.planner.fetching = nil
        // no seek reaches this stream any more; if it has been played to its end, the next stream
        // follows
        if upstream.isLast, maySendNext {
          state = .ending
        } else {
          failure = Report(code: TIMEPLAY_IS_FOLLOWED)
        }
        return nil
      }
      return seek(for: run)
    }
  }

  private mutating func seek(for run: RunPointer, isLast: Bool = false) -> TimePlayAction {
    upstream.seek(for: run, isLast: isLast)
    fetchNs = seekNs(
      toHalfFrame: run.pointee.fetch.seekHalfFrames, rate: cursor.planner.limits.rate)
    return seek(run.pointee)
  }

  private func seek(_ run: FetchedRun) -> TimePlayAction {
    var action = action(TIMEPLAY_FETCH)
    action.seqnum = upstream.seqnum
    action.seek_ns = fetchNs
    let hasStop = run.origin == .boundedSeek
    action.stop_ns = hasStop ? UInt64(Int64.max) : unknownTime
    if upstream.isLast {
      action.is_last = 1
      let end = run.fetch.keepEndFrame
      if end != unknownFrame {
        action.stop_ns = timeNs(of: end &- lastFrames, rate: cursor.planner.limits.rate)
      }
    }
    return action
  }

  private var isSegment: Bool { served.flags & segmentFlag != 0 }

  /// Length in frames of the final fetch (see `fetchLast`).
  private var lastFrames: Int64 { Int64(cursor.planner.limits.rate) }

  /// Returns the final fetch, shortly before the end of the last pass. It fetches no audio, but
  /// makes upstream reach the end of the stream, or of the application's segment. Backward playback
  /// ends at the beginning of the stream, so it needs a final fetch only for a segment seek.
  ///
  /// All other fetches are segment seeks, after which upstream does not send EOS. If EOS were sent
  /// earlier, a player would continue with its next stream too early.
  ///
  /// If the application has made a segment seek, the final fetch is a segment seek, too. The end of
  /// its segment is reported downstream.
  private mutating func fetchLast() -> TimePlayAction? {
    let left = max(cursor.leftInPass, 0)
    guard cursor.isOnLastPass, cursor.planner.fetching == nil,
      isSegment || !cursor.isBackward, left <= lastFrames,
      !upstream.isLast, isSegment ? !upstream.hasEnded : !upstream.isOver
    else { return nil }
    do throws(TimeDSPStatus) {
      return seek(for: try lastRun(left), isLast: true)
    } catch {
      return nil  // playback ends without this fetch
    }
  }

  /// The run for the final fetch. The pass has `left` frames left.
  private func lastRun(_ left: Int64) throws(TimeDSPStatus) -> RunPointer {
    let boundary = max(cursor.boundary, 0)
    let end = cursor.isBackward ? max(boundary &- left, 0) : boundary &+ left
    let first = max(end &- lastFrames, cursor.planner.firstFrame)
    var stop = cursor.stopInStream
    if isSegment { stop = max(end, first &+ lastFrames / 10) }
    // GStreamer refuses a seek whose stop is before its start
    let run = try FetchedRun.makeEmpty(before: stop.map { max($0, first) &+ lastFrames })
    run.pointee.fetch.seekHalfFrames = first &<< 1
    run.pointee.origin = cursor.planner.origin
    return run
  }

  /// Repeats a fetch that upstream has refused because of a flush.
  private mutating func retry() -> TimePlayAction? {
    guard case .again = upstream.state, let run = upstream.next else { return nil }
    upstream.seekAgain()
    return seek(run.pointee)
  }

  /// Returns the action that sends a segment, if a segment is due: no segment has been sent for the
  /// next frames, or the remaining frames do not fit before the stop of the current segment. The
  /// latter happens if the stream has more frames than its timestamps say.
  private mutating func startSegment() -> TimePlayAction? {
    let left = cursor.leftInPass
    if output.sent == nil {
      startOutput(left)
    } else if left == .max || left <= output.framesLeft || !output.makeRoom(left) {
      return nil
    }
    guard let segment = output.sent else { return nil }
    var action = action(TIMEPLAY_SEGMENT)
    action.flags |= served.consumeFirstFlags()
    action.format = cursor.planner.format
    action.rate = output.rate
    action.base_ns = segment.baseNs
    action.start_ns = segment.startNs
    action.stop_ns = segment.stopNs
    action.duration_ns = served.durationNs
    return action
  }

  /// Begins an output segment at the playhead. The pass has `left` frames left.
  private mutating func startOutput(_ left: Int64) {
    let rate = cursor.planner.limits.rate
    let boundary = max(cursor.boundary, 0)
    let first = cursor.isBackward ? min(cursor.pass.firstFrame, boundary) : boundary
    var end = cursor.isBackward ? boundary : cursor.pass.endFrame
    var times = BoundaryTimes(startNs: timeNs(of: first, rate: rate), stopNs: unknownTime)
    var stopNs = unknownTime
    if end != unknownFrame {
      if left != .max { end = max(end, first &+ max(left, 0)) }
      times.stopNs = timeNs(of: end &+ (end &- first) / driftDivisor, rate: rate)
      stopNs = askedNs(end) &+ times.stopNs &- timeNs(of: end, rate: rate)
    }
    output.start(
      askedNs(first), stopNs, times, isBackward: cursor.isBackward,
      rate: cursor.planner.format.rate)
  }

  /// The time of boundary `at` in the stream. If the seek asks for a time that is not at a
  /// boundary, and `at` is the boundary nearest to this time, the result is the time of the seek.
  private func askedNs(_ at: Int64) -> UInt64 {
    let rate = cursor.planner.limits.rate
    if boundary(atNs: served.startNs, rate: rate) == at { return served.startNs }
    if boundary(atNs: served.stopNs, rate: rate) == at { return served.stopNs }
    return timeNs(of: at, rate: rate)
  }

  private mutating func send(_ frames: Int64) -> TimePlayAction {
    var action = action(TIMEPLAY_FRAMES)
    guard let next = cursor.nextFrames(frames) else { return self.action(TIMEPLAY_WAIT) }
    action.samples = next.samples
    action.format = next.format
    action.plane_bytes = next.planeBytes
    action.frames = next.count
    action.offset_frames = output.offsetFrames ?? 0
    action.discont = output.offsetFrames == nil ? 1 : 0
    action.frame = next.frame
    let times = output.stamp(UInt64(truncatingIfNeeded: frames))
    action.start_ns = times.ptsNs
    action.duration_ns = times.durationNs
    cursor.advance(frames)
    return action
  }

  // ---- the end ----

  /// Ends the pass. Begins the next pass, or ends playback.
  private mutating func endPass() {
    if cursor.hasLostStream {
      failure = Report(code: TIMEPLAY_NO_AUDIO)
    } else if cursor.nextPass() {
      output.end()
    } else if promise.isFollowed, !maySendNext {
      failure = Report(code: TIMEPLAY_IS_FOLLOWED)
    } else {
      state = .ending
    }
  }

  /// Whether to hand over to the next stream. The next stream must be waiting, and the current
  /// stream must have been played forward to its end. The direction may have been changed after
  /// the end was reached.
  private var maySendNext: Bool {
    upstream.isFollowed && (upstream.isLast || !cursor.isBackward)
  }

  private mutating func handOver() -> TimePlayAction {
    var action = action(TIMEPLAY_HAND_OVER)
    action.start_ns = timeNs(of: max(cursor.boundary, 0), rate: cursor.planner.limits.rate)
    action.base_ns = output.runningNs(rate: cursor.planner.limits.rate)
    letNextPass()
    return action
  }

  /// Ends the stream downstream, with EOS or SEGMENT_DONE according to `flags`.
  private mutating func part(_ flags: UInt32) -> TimePlayAction {
    state = .stopped
    var action = action(TIMEPLAY_END)
    action.flags = flags
    action.start_ns = askedNs(cursor.boundary)
    return action
  }
}
