// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSPCore

// The seek task, which performs the actions that the playback requests.
extension ExplorerWorld {
  func taskStep() -> Step? {
    guard hasTask, timeplay_phase(playback) != TIMEPLAY_CLOSED else { return nil }
    return Step(when: !self.sendsNow && self.heardChanges != self.changes) {
      let count = self.changes
      var action = TimePlayAction()
      timeplay_next(self.playback, &action)
      guard action.kind != TIMEPLAY_WAIT else {
        self.heardChanges = count
        return
      }
      // wakes upstream, which may now be able to fill the next run
      self.tell()
      self.action = action
      self.judge.note("next \(action.kind.rawValue) \(action.frame) \(action.seek_ns / 5_000)")
      self.perform(action)
    }
  }

  private func perform(_ action: TimePlayAction) {
    var outcome = TimePlayOutcome()
    outcome.duration_ns = .max
    switch action.kind {
    case TIMEPLAY_FETCH:
      hand = nil
      return fetch(action)
    case TIMEPLAY_SEGMENT: judge.sends(action.direction)
    case TIMEPLAY_FRAMES:
      judge.sends(frames(action), action.direction)
      endLoop()
    case TIMEPLAY_END: judge.ends(action.direction)
    case TIMEPLAY_FAIL: judge.fails(action.report)
    default: break
    }
    let isSent =
      [TIMEPLAY_SEGMENT, TIMEPLAY_FRAMES, TIMEPLAY_SERVED, TIMEPLAY_END].contains(action.kind)
    sendsNow = isSent
    let sent = action.kind == TIMEPLAY_FRAMES ? frames(action) : nil
    task.steps = [
      Step {
        if let sent {
          if self.frames(action) != sent { self.judge.blame("frames change") }
          outcome.flow = self.answer()
        }
        self.sendsNow = false
        self.finish(outcome)
      }
    ]
  }

  /// The flow return with which downstream answers a buffer.
  private func answer() -> TimePlayFlow {
    if judge.isFlushing { return TIMEPLAY_FLOW_FLUSHING }
    sentBuffers += 1
    guard sentBuffers == 3, scenario.lastWord != TIMEPLAY_FLOW_OK else { return TIMEPLAY_FLOW_OK }
    judge.refuses()
    return scenario.lastWord
  }

  private func endLoop() {
    guard judge.lap != nil, judge.laps == 2 else { return }
    judge.lap = nil
    settings.loop = TIMEDSP_LOOP_NONE
    timeplay_configure(playback, &settings)
    tell()
  }

  private func finish(_ outcome: TimePlayOutcome) {
    var outcome = outcome
    timeplay_done(playback, &outcome)
    action = nil
    tell()
  }

  /// The range of frames that an action sends; `nil` if the frames are not contiguous. Only every
  /// 499th frame is checked.
  private func frames(_ action: TimePlayAction) -> Range<Int64>? {
    let samples = action.samples.assumingMemoryBound(to: Int32.self)
    let lowest = PlaybackStream.frame(samples[0])
    let places = Array(stride(from: 0, to: action.frames, by: 499)) + [action.frames - 1]
    let isWhole = places.allSatisfy { PlaybackStream.frame(samples[$0]) == lowest + Int64($0) }
    return isWhole ? lowest..<lowest + Int64(action.frames) : nil
  }

  private func fetch(_ action: TimePlayAction) {
    let frame = Int64(action.seek_ns / 5_000)
    var outcome = TimePlayOutcome()
    outcome.ok = 1
    let isLate = scenario.isLate
    fetchesSegment = action.is_last == 0 && scenario.knowsSegments
    let steps = upstreamSeek(frame, action.seqnum, flush: true, inSeek: !isLate) {
      if !isLate { self.task.steps = [Step { self.finish(outcome) }] }
    }
    if isLate {
      worker.steps += steps
      task.steps = [Step { self.finish(outcome) }]
      return
    }
    task.steps = [
      Step {
        // a seek fails if another application is flushing the pad
        if self.isFlushing {
          (outcome.ok, outcome.flushing) = (0, 1)
          self.task.steps = [Step { self.finish(outcome) }]
        } else {
          self.task.steps = steps
        }
      }
    ]
  }
}

// Actions of the application.
extension ExplorerWorld {
  /// Whether upstream has sent its first segment, or is sending it now.
  private var hasBegun: Bool {
    segments > 0 || isInChain || timeplay_phase(playback) == TIMEPLAY_CLOSED
  }

  func steps(_ command: Command) -> [Step] {
    switch command {
    case .turn(let direction): return [Step { self.turn(direction) }]
    case .seek(let range, let flush):
      return [Step(when: self.hasBegun) { self.seek(range, flush) }]
    case .foreignSeek(let frame):
      return [Step(when: self.hasBegun) {}]
        + upstreamSeek(frame, number(), flush: true, inSeek: false) {}
    case .foreignFlush:
      let number = number()
      let begin = Step(when: self.hasBegun && !self.isSeeking) {
        self.isSeeking = true
        self.isPaused = true
        self.isAbandoned = true
      }
      return [begin] + flushStart(number, false)
        + [Step(when: !self.isInChain) {}] + flushStop(number, false)
        + [Step { self.isSeeking = false }]
    case .close:
      return [
        Step(when: timeplay_phase(self.playback) != TIMEPLAY_STARTING) {
          timeplay_close(self.playback)
          self.tell()
        }
      ]
    }
  }

  private func turn(_ direction: TimeDSPDirection) {
    settings.direction = direction
    judge.turn(direction)
    timeplay_configure(playback, &settings)
    tell()
  }

  private func seek(_ range: Range<Int64>, _ flush: Bool) {
    var seek = TimePlaySeek()
    let number = number()
    (seek.rate, seek.flags, seek.seqnum) = (1, flush ? 1 : 0, number)
    (seek.start_type, seek.stop_type) = (TIMEPLAY_SETS, TIMEPLAY_SETS)
    (seek.start_ns, seek.stop_ns) = (Int64(ns(range.lowerBound)), Int64(ns(range.upperBound)))
    seek.duration_ns = .max
    if flush, PlaybackDoor(playback).state.awaits_segment != 0 { overtake() }
    let answer = timeplay_seek(playback, &seek)
    tell()
    judge.note("seek -> \(answer.rawValue)")
    let thread = current
    switch answer {
    case TIMEPLAY_GOES_PAST: thread.steps = past(range, number, flush) + thread.steps
    case TIMEPLAY_ACCEPTED:
      let isBackward = settings.direction == TIMEDSP_BACKWARD
      judge.go(to: isBackward ? range.upperBound : range.lowerBound, within: range)
      if flush { thread.steps = flushSteps() + thread.steps }
    default: break
    }
  }

  /// The steps of a flush. FLUSH_STOP waits until the thread that sends has returned.
  private func flushSteps() -> [Step] {
    [
      Step { self.judge.flushStart() },
      Step(when: !self.sendsNow) {
        let stops = timeplay_end_flush(self.playback) != 0
        self.tell()
        if stops { self.judge.flushStop() }
      },
    ]
  }

  private func past(_ range: Range<Int64>, _ number: UInt32, _ flush: Bool) -> [Step] {
    let end = {
      timeplay_seek_past(self.playback, number)
      self.tell()
    }
    return upstreamSeek(range.lowerBound, number, flush: flush, inSeek: false) {
      // The segment of the seek has not arrived yet. After a seek without a flush, only a playback
      // that has not begun accepts a segment as the answer to the seek.
      if !flush, self.hasTask { self.judge.blame("a seek that went past is lost") }
      end()
    }
  }
}
