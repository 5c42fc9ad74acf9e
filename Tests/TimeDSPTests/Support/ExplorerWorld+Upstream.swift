// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

// Actions of upstream, in the order in which GstBaseSrc and the elements after it perform them.
extension ExplorerWorld {
  private static let sounds = (0..<40_000).map { PlaybackStream.sound($0) }
  private static let framesOfABuffer: Int64 = 4_000

  func event(
    _ kind: TimePlayEventKind, _ number: UInt32, inSeek: Bool = false
  ) -> TimePlayRoute {
    tell()
    if kind != TIMEPLAY_FLUSH_START { hand = nil }
    let route = PlaybackStream.send(
      kind, to: playback, inSeek: inSeek, seqnum: number, from: ns(segmentStart))
    judge.note("event \(kind.rawValue) \(number) \(inSeek) -> \(route.rawValue)")
    return route
  }

  // ---- seeks ----

  /// The steps of a seek to `frame` with this sequence number, in the thread that sends it.
  func upstreamSeek(
    _ frame: Int64, _ number: UInt32, flush: Bool, inSeek: Bool, _ end: @escaping () -> Void
  ) -> [Step] {
    let flush = flush && !scenario.losesFlushes
    var steps = [Step(when: !self.isSeeking) { self.isSeeking = true }]
    if flush { steps += flushStart(number, inSeek) }
    steps.append(
      Step(when: !self.isInChain) {
        self.isPaused = true
        (self.next, self.segmentStart) = (frame, frame)
        self.segmentNumber = self.scenario.losesNumbers ? 1 : number
        self.isEndDue = true
        self.isSegment = self.isForeign(number) ? false : self.fetchesSegment
        if !inSeek { self.judge.foreignTarget = frame }
      })
    if flush { steps += flushStop(number, inSeek) }
    steps.append(
      Step {
        self.isPaused = false
        self.isSeeking = false
        end()
      })
    return steps
  }

  /// Whether the playback must treat a seek with this sequence number as foreign.
  private func isForeign(_ number: UInt32) -> Bool { number >> 24 != 0x7a }

  func flushStart(_ number: UInt32, _ inSeek: Bool) -> [Step] {
    var route = TIMEPLAY_DROP
    let isForeign = isForeign(number)
    return [
      Step {
        self.isFlushing = isForeign
        if self.hasTask, isForeign { self.judge.foreignFlush(true) }
        route = self.event(TIMEPLAY_FLUSH_START, number, inSeek: inSeek)
      },
      Step { if route == TIMEPLAY_SEND || route == TIMEPLAY_PASS { self.judge.flushStart() } },
    ]
  }

  func flushStop(_ number: UInt32, _ inSeek: Bool) -> [Step] {
    var route = TIMEPLAY_DROP
    return [
      Step {
        self.isFlushing = false
        if !self.isForeign(number) { self.overtake() }
        route = self.event(TIMEPLAY_FLUSH_STOP, number, inSeek: inSeek)
      },
      Step(when: route != TIMEPLAY_SEND || !self.sendsNow) {
        if route == TIMEPLAY_SEND || route == TIMEPLAY_PASS { self.judge.flushStop() }
      },
    ]
  }

  /// Records that a seek of the playback has replaced a foreign seek before the segment of the
  /// foreign seek arrived.
  func overtake() {
    judge.foreignFlush(false)
    isAbandoned = false
  }

  // ---- the streaming thread ----

  func streamStep() -> Step? {
    if isPaused || isInChain { return nil }
    if segmentNumber != nil { return askForSegment() }
    if next >= scenario.length {
      guard isEndDue else { return nil }
      return Step {
        if self.isPaused || self.segmentNumber != nil || self.next < self.scenario.length { return }
        self.isEndDue = false
        if self.event(self.isSegment ? TIMEPLAY_SEGMENT_END : TIMEPLAY_STREAM_END, 1)
          == TIMEPLAY_PASS
        {
          self.judge.passedEnd()
        }
      }
    }
    return Step {
      if self.isPaused || self.segmentNumber != nil { return }
      self.isInChain = true
      let end = min(self.next + Self.framesOfABuffer, self.scenario.length)
      (self.buffer, self.used) = (self.next..<end, 0)
      self.streaming.steps = [self.hand.map(self.fillStep) ?? self.receiveStep()]
    }
  }

  /// The step in which a segment is sent. The duration is queried first, without the lock.
  private func askForSegment() -> Step {
    Step {
      guard !self.isPaused, let number = self.segmentNumber else { return }
      self.isInChain = true
      self.streaming.steps = [Step { self.sendSegment(number) }]
    }
  }

  private func sendSegment(_ number: UInt32) {
    isInChain = false
    segmentNumber = nil
    lastSegment = number
    let isAnswer = PlaybackDoor(playback).state.awaits_segment != 0
    let route = event(TIMEPLAY_NEW_SEGMENT, number)
    if route == TIMEPLAY_PASS {
      PlaybackDoor(playback).arrive(TIMEPLAY_ARRIVING_SEGMENT)
      tell()
      segments += 1
      passedFrame = -1
      judge.go(to: segmentStart, within: 0..<scenario.length)
    } else if isForeign(number), isAnswer {
      judge.foreignFlush(false)
      judge.go(to: judge.foreignTarget, within: 0..<scenario.length)
    }
  }

  private func leave(_ reception: String, stops: Bool = false) {
    judge.note("buffer \(buffer): \(reception)")
    isInChain = false
    if stops { isPaused = true } else { next = buffer.upperBound }
  }

  private func receiveStep(after count: Int = -1) -> Step {
    Step(when: count != self.changes) {
      var run: OpaquePointer?
      let count = self.changes
      switch timeplay_receive(self.playback, &run) {
      case TIMEPLAY_BUFFER_PASSES: self.pass()
      case TIMEPLAY_BUFFER_WAITS: self.streaming.steps = [self.receiveStep(after: count)]
      case TIMEPLAY_BUFFER_FILLS:
        guard let run = run.map({ RunPointer($0) }) else { return }
        let hand = (run, run.pointee)
        self.hand = hand
        self.streaming.steps = [self.fillStep(hand)]
      case TIMEPLAY_BUFFER_IS_DROPPED: self.leave("dropped")
      case TIMEPLAY_BUFFER_IS_LATE: self.leave("late", stops: true)
      default: self.leave("flushed", stops: true)
      }
    }
  }

  /// The step that adds the buffer to the run that is being filled. Between two buffers, no other
  /// thread may change that run, but a fetch or an event may end the filling (`hand` is then nil).
  private func fillStep(_ hand: (run: RunPointer, state: FetchedRun)) -> Step {
    let (run, before) = hand
    return Step {
      let now = run.pointee
      if now.fetch.seekHalfFrames != before.fetch.seekHalfFrames || now.frames != before.frames
        || now.fetch.firstFrame != before.fetch.firstFrame || now.memory != before.memory
      {
        self.hand = nil
        self.judge.blame("the run is gone")
        return self.leave("lost")
      }
      self.add(to: run)
      if self.hand != nil { self.hand = (run, run.pointee) }
      if run.pointee.state == .open { return self.leave("added") }
      self.streaming.steps = [Step { self.endRun() }]
    }
  }

  private func add(to run: RunPointer) {
    var arrived = TimePlayBuffer()
    arrived.frames = buffer.count
    (arrived.has_timestamp, arrived.time_sign) = (1, 1)
    arrived.time_ns = ns(buffer.lowerBound)
    var format = stream.format
    Self.sounds.withUnsafeBytes { bytes in
      var plane = bytes.baseAddress.map { $0 + Int(buffer.lowerBound) * 4 }
      withUnsafePointer(to: &plane) { planes in
        arrived.planes = planes
        _ = timeplay_run_add(OpaquePointer(run), &arrived, &format, &used)
      }
    }
  }

  private func endRun() {
    hand = nil
    timeplay_filled(playback, 1)
    tell()
    streaming.steps = [receiveStep()]
  }

  // ---- passing ----

  private func pass() {
    if isFlushing { return leave("flushed", stops: true) }
    var arrival = TimePlayArrival()
    arrival.kind = TIMEPLAY_ARRIVING_BUFFER
    (arrival.rate, arrival.frames) = (stream.rate, UInt64(buffer.count))
    arrive(arrival)
  }

  /// Reports to the playback that data has arrived. While the questions of the playback are
  /// answered, the lock is not held.
  private func arrive(_ arrival: TimePlayArrival) {
    var arrival = arrival
    let way = timeplay_arrive(playback, &arrival)
    judge.note("arrive -> \(way.rawValue)")
    switch way {
    case TIMEPLAY_ASKS_SOURCE: arrival.source = TIMEPLAY_SOURCE_SEEKS
    case TIMEPLAY_ASKS_END: arrival.ends = TIMEPLAY_YES
    case TIMEPLAY_STARTS:
      if !start() { leave("refused", stops: true) }
      return
    case TIMEPLAY_PASSES:
      streaming.steps = [passStep(arrival)]
      return
    default:
      streaming.steps = [receiveStep()]
      return
    }
    streaming.steps = [Step { self.arrive(arrival) }]
  }

  /// The step that passes data through. The playback is asked again under the lock of the sending
  /// thread, because the playback's answer may have changed.
  private func passStep(_ arrival: TimePlayArrival) -> Step {
    Step(when: !self.sendsNow) {
      var again = arrival
      guard timeplay_arrive(self.playback, &again) == TIMEPLAY_PASSES else {
        return self.arrive(arrival)
      }
      if !self.judge.isFlushing {
        self.judge.pass(self.buffer)
        self.passedFrame = self.buffer.upperBound - 1
      }
      self.leave("passed")
    }
  }

  private func start() -> Bool {
    var start = TimePlayStart()
    start.format = stream.format
    (start.segment.rate, start.segment.start_ns, start.segment.stop_ns) = (
      1, ns(segmentStart), .max
    )
    (start.seqnum, start.duration_ns, start.last_frame) = (lastSegment, .max, passedFrame)
    let answer = timeplay_start(playback, &start, nil)
    tell()
    judge.note("start -> \(answer.rawValue)")
    if answer == TIMEPLAY_REFUSED { return false }
    streaming.steps = [receiveStep()]
    guard answer == TIMEPLAY_STARTED else { return true }
    if passedFrame >= 0 {
      judge.go(
        to: passedFrame + 1, within: 0..<scenario.length, behind: passedFrame)
    } else if settings.direction == TIMEDSP_FORWARD {
      judge.go(to: segmentStart, within: 0..<scenario.length)
    } else if segments > 1, segmentStart > 0 {
      judge.go(to: segmentStart, within: 0..<segmentStart)
    } else {
      judge.go(to: scenario.length, within: 0..<scenario.length)
    }
    streaming.steps.insert(
      Step {
        timeplay_started(self.playback, 1)
        self.hasTask = true
        self.tell()
      }, at: 0)
    return true
  }
}
