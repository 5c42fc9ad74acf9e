// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames are sent in buffers of 1/25 s: a turn waits for one at most.
private let buffersPerSecond: UInt32 = 25

/// Timestamps may be short of the count of frames by this part: MP3's are by
/// 1 / 26,000,000.
private let driftDivisor: Int64 = 10_000_000

// What comes out.
extension Playback {
  mutating func next() -> TimePlayAction {
    while true {
      if let action = tell() ?? fail() ?? takeSeek() ?? proceed() {
        open = action.kind
        return action
      }
    }
  }

  private func action(_ kind: TimePlayActionKind) -> TimePlayAction {
    var action = TimePlayAction()
    action.kind = kind
    action.seqnum = cursor.seek.seqnum
    action.flags = cursor.seek.flags
    action.direction = cursor.direction
    return action
  }

  private func action(_ kind: TimePlayActionKind, _ report: Report) -> TimePlayAction {
    var action = action(kind)
    action.report = report.code
    action.frame = report.frame
    action.value = report.value
    return action
  }

  private mutating func tell() -> TimePlayAction? {
    guard let report = cursor.planner.reports.next() else { return nil }
    return action(TIMEPLAY_REPORT, report)
  }

  private mutating func fail() -> TimePlayAction? {
    guard let failure else { return nil }
    self.failure = nil
    switch state {
    case .serving, .served: state = .servedInVain
    default: state = .stopped
    }
    return action(TIMEPLAY_FAIL, failure)
  }

  /// A step of what the state asks for; `nil`: one that takes no action.
  private mutating func proceed() -> TimePlayAction? {
    if failure != nil { return nil }
    switch state {
    case .stopped: return action(TIMEPLAY_WAIT)
    case .serving: return serve()
    case .served: return endSeek(.playing)
    case .servedInVain: return endSeek(.stopped)
    case .playing: return play()
    case .sending(let frames):
      state = .playing
      return send(frames)
    case .ending: return end()
    }
  }

  // ---- seeks ----

  /// Takes a seek that waits, if it can be served.
  private mutating func takeSeek() -> TimePlayAction? {
    guard let seek = waitingSeek, hasStart(for: seek) else { return nil }
    waitingSeek = nil
    serve(seek)
    if let resume = waitingResume { serve(resume) }
    waitingResume = nil
    state = .serving
    return nil
  }

  private mutating func serve(_ seek: TimePlaySeek) {
    let isFlushing = seek.flushing != 0
    let isResumed = seek.kind == TIMEPLAY_SEEK_RESUME
    output.isDue = true
    if isFlushing || (!isResumed && seek.last_frame == unknownFrame) { output.isDiscont = true }
    let baseNs = isFlushing ? 0 : output.runningNs(rate: cursor.planner.format.rate)
    output.count(from: baseNs, rate: seek.rate)
    cursor.serve(seek)
  }

  /// The start of the stream is kept before anything is fetched. With it, parsers have
  /// seen enough to tell a duration.
  private mutating func hasStart(for seek: TimePlaySeek) -> Bool {
    guard case .awaited = cursor.planner.start else { return true }
    if seek.kind != TIMEPLAY_SEEK_START {
      cursor.planner.doubtStart()
      return true
    }
    cursor.expect(seek)
    if case .failed(let report) = cursor.planner.admit(seek.direction, 0) {
      failure = report
      waitingSeek = nil
      waitingResume = nil
      return false
    }
    if case .awaited = cursor.planner.start { return false }
    return true
  }

  /// A fetch also makes sure that nobody else is sending any more.
  private mutating func serve() -> TimePlayAction? {
    guard cursor.index == nil else {
      state = .served
      return nil
    }
    let step = cursor.fetch()
    if case .askDuration = step {} else { state = .served }
    return action(step)
  }

  private mutating func endSeek(_ next: State) -> TimePlayAction {
    state = next
    var action = action(TIMEPLAY_SERVED)
    action.start_ns = cursor.seek.start_ns
    return action
  }

  // ---- playing ----

  private mutating func play() -> TimePlayAction? {
    if turn() || followSwitch() { return nil }
    let step = cursor.fetch()
    guard case .idle = step else { return action(step) }
    let most = max(Int64(cursor.planner.limits.rate / buffersPerSecond), 1)
    let frames = min(cursor.readyFrames, most)
    if frames > 0 {
      guard let segment = startSegment() else { return send(frames) }
      state = .sending(frames)
      return segment
    }
    guard cursor.leftInPass <= 0 else { return action(TIMEPLAY_WAIT) }
    endPass()
    return nil
  }

  private mutating func turn() -> Bool {
    guard let direction = waitingTurn else { return false }
    waitingTurn = nil
    if direction == cursor.direction { return false }
    cursor.turn(direction)
    output.isDue = true
    return true
  }

  private mutating func followSwitch() -> Bool {
    guard cursor.followSwitch() else { return false }
    output.isDue = true
    return true
  }

  /// What a step of fetching asks for, if it asks for something.
  private mutating func action(_ step: BlockPlanner.Step) -> TimePlayAction? {
    switch step {
    case .idle, .active:
      return nil
    case .failed(let report):
      failure = report
      return nil
    case .askDuration:
      return action(TIMEPLAY_ASK_DURATION)
    case .fetch(let run, let mayContinue):
      var action = action(TIMEPLAY_FETCH)
      action.run = run
      action.may_continue = mayContinue ? 1 : 0
      action.may_seek = cursor.planner.arrival.followed == 0 ? 1 : 0
      action.seek_ns = run.pointee.fetch.seek_ns
      return action
    }
  }

  /// The segment, where one is due, or where more is left than fits before its stop:
  /// the stream has more frames than its timestamps say.
  private mutating func startSegment() -> TimePlayAction? {
    let left = cursor.leftInPass
    if output.isDue {
      let (firstNs, endNs) = outputRange(left)
      output.start(firstNs, endNs, rate: cursor.planner.format.rate)
    } else if left == .max || left <= output.framesLeft || !output.makeRoom(left) {
      return nil
    }
    var action = action(TIMEPLAY_SEGMENT)
    action.flags |= cursor.takeFirstFlags()
    action.format = cursor.planner.format
    action.rate = output.rate
    action.base_ns = output.baseNs
    action.start_ns = output.startNs
    action.stop_ns = output.stopNs
    action.duration_ns = cursor.seek.duration_ns
    return action
  }

  /// Where a segment begins and ends in the stream, as far as is known, with `left`
  /// frames in this pass.
  private func outputRange(_ left: Int64) -> (firstNs: UInt64, endNs: UInt64) {
    let rate = cursor.planner.limits.rate
    let boundary = max(cursor.boundary, 0)
    let first = cursor.isBackward ? min(cursor.pass.first_frame, boundary) : boundary
    var end = cursor.isBackward ? boundary : cursor.pass.end_frame
    let firstNs = timeNs(of: first, rate: rate)
    if end == unknownFrame { return (firstNs, unknownTime) }
    if left != .max { end = max(end, first &+ max(left, 0)) }
    end = end &+ (end &- first) / driftDivisor
    return (firstNs, timeNs(of: end, rate: rate))
  }

  private mutating func send(_ frames: Int64) -> TimePlayAction {
    var action = action(TIMEPLAY_FRAMES)
    guard let index = cursor.index, let block = cursor.planner.cache.block(at: index) else {
      return self.action(TIMEPLAY_WAIT)
    }
    let lowest = cursor.isBackward ? index &- frames &+ 1 : index
    action.samples = UnsafeRawPointer(block.address(of: lowest))
    action.format = block.run.pointee.format
    action.plane_bytes = block.run.pointee.planeBytes
    action.frames = Int(truncatingIfNeeded: frames)
    action.offset_frames = output.offsetFrames
    action.discont = output.isDiscont ? 1 : 0
    action.frame = cursor.planner.cache.frame(at: lowest)
    let times = output.stamp(UInt64(truncatingIfNeeded: frames))
    action.start_ns = times.ptsNs
    action.duration_ns = times.durationNs
    cursor.advance(frames)
    return action
  }

  // ---- the end ----

  /// At the end of a pass, the next one, or the end.
  private mutating func endPass() {
    if cursor.hasLostStream {
      failure = Report(code: TIMEPLAY_NO_AUDIO)
    } else if cursor.nextPass() {
      output.isDue = true
    } else if cursor.planner.arrival.followed != 0 {
      failure = Report(code: TIMEPLAY_IS_FOLLOWED)
    } else {
      state = .ending
    }
  }

  private mutating func end() -> TimePlayAction {
    if output.isDue, let segment = startSegment() { return segment }
    state = .stopped
    var action = action(TIMEPLAY_END)
    action.start_ns = timeNs(of: cursor.boundary, rate: cursor.planner.limits.rate)
    return action
  }
}
