// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// Runs a playback in several simulated threads. Only one thread performs a step at a time.
///
/// The threads are the seek task, the streaming thread of upstream, a thread of upstream that
/// seeks, and two threads of the application. A step is the work between two points at which a real
/// thread may be interrupted: one call under the lock, or acquiring another lock.
final class ExplorerWorld {
  /// An action of the application.
  enum Command {
    case turn(TimeDSPDirection)
    case seek(Range<Int64>, flush: Bool)
    /// A seek of another application, which does not go through the playback.
    case foreignSeek(Int64)
    case foreignFlush
    case close
  }

  struct Scenario {
    var name: String
    var direction = TIMEDSP_BACKWARD
    var first: [Command] = []
    var second: [Command] = []
    /// Whether the sequence number of the events after a seek differs from that of the seek.
    var losesNumbers = false
    /// Whether the flushes of upstream are lost.
    var losesFlushes = false
    /// Whether upstream performs each seek in another thread, after the call that sends the seek
    /// has returned.
    var isLate = false
    /// The flow return with which downstream answers the third buffer. After any value except OK,
    /// downstream refuses all buffers until a seek.
    var lastWord = TIMEPLAY_FLOW_OK
    /// The range of the loop, if any. The test switches the loop off when two more passes have
    /// begun.
    var lap: Range<Int64>?
    let length: Int64 = 24_000
    /// Maximum number of thread changes at points where the current thread could continue.
    var changes = 1
    /// Whether a fetch ends with SEGMENT_DONE, unless it is the last fetch of the stream.
    var knowsSegments = true
  }

  struct Step {
    /// The step waits until it is ready.
    let isReady: () -> Bool
    let run: () -> Void

    init(when isReady: @autoclosure @escaping () -> Bool = true, _ run: @escaping () -> Void) {
      (self.isReady, self.run) = (isReady, run)
    }
  }

  final class Thread {
    var steps: [Step] = []
    /// Returns further steps when no step is left.
    var more: (() -> Step?) = { nil }
  }

  let scenario: Scenario
  let playback: OpaquePointer
  var judge: ExplorerJudge
  var settings = TimePlaySettings()
  let stream: PlaybackStream
  /// The seek task, the streaming thread, a thread of upstream that seeks, and two threads of the
  /// application.
  let threads = (0..<5).map { _ in Thread() }
  var task: Thread { threads[0] }
  var streaming: Thread { threads[1] }
  var worker: Thread { threads[2] }
  private(set) lazy var current = threads[1]
  /// Number of reported changes of the playback's state. Waiting threads continue when this number
  /// changes; in the element, they wait for a condition variable.
  var changes = 0

  // The element.
  var hasTask = false
  var action: TimePlayAction?
  var sendsNow = false
  var heardChanges = -1
  var passedFrame: Int64 = -1
  /// Number of buffers that have been pushed downstream, except during a flush.
  var sentBuffers = 0
  // Upstream.
  var isSeeking = false
  var isFlushing = false
  var isInChain = false
  var isPaused = false
  var next: Int64 = 0
  var segmentStart: Int64 = 0
  var segmentNumber: UInt32? = 1
  /// Whether another element has flushed, and no segment has followed.
  var isAbandoned = false
  var isEndDue = true
  /// Whether the audio that upstream sends now ends with SEGMENT_DONE, and whether the audio of the
  /// fetch in progress ends with SEGMENT_DONE.
  var isSegment = false
  var fetchesSegment = false
  var lastSegment: UInt32 = 1
  /// Number of segments that have been passed through.
  var segments = 0
  var numbers: UInt32 = 100
  /// The frames of the buffer that is being pushed, and how many of them have been used.
  var buffer: Range<Int64> = 0..<0
  var used = 0
  /// The run that the streaming thread is filling, and the state that the run must still have when
  /// the next buffer arrives.
  var hand: (run: RunPointer, state: FetchedRun)?

  init?(_ scenario: Scenario) {
    guard let playback = timeplay_new({ _, _, _, _, _, _ in }, 1) else { return nil }
    self.scenario = scenario
    self.playback = playback
    stream = PlaybackStream(length: scenario.length, rate: 200_000)
    judge = ExplorerJudge(length: scenario.length, direction: scenario.direction)
    settings.max_block_ns = 30_000_000
    settings.preroll_ns = .max
    settings.max_memory_bytes = 64 << 20
    settings.loop_stop_ns = .max
    settings.direction = scenario.direction
    if let lap = scenario.lap {
      settings.loop = TIMEDSP_LOOP_REPEAT
      settings.loop_start_ns = ns(lap.lowerBound)
      settings.loop_stop_ns = ns(lap.upperBound)
      judge.lap = lap
    }
    timeplay_open(playback)
    timeplay_configure(playback, &settings)
    task.more = { [unowned self] in taskStep() }
    streaming.more = { [unowned self] in streamStep() }
    threads[3].steps = scenario.first.flatMap(steps)
    threads[4].steps = scenario.second.flatMap(steps)
  }

  deinit { timeplay_free(playback) }

  /// The threads that can continue, beginning with `last`.
  func ready(_ last: Int) -> [Int] {
    let order = [last] + threads.indices.filter { $0 != last }
    return order.filter { number in
      let thread = threads[number]
      if thread.steps.isEmpty, let step = thread.more() { thread.steps = [step] }
      return thread.steps.first?.isReady() ?? false
    }
  }

  func step(_ number: Int) {
    current = threads[number]
    let step = threads[number].steps.removeFirst()
    step.run()
  }

  /// Called when no thread can continue.
  func rest() {
    for (number, thread) in threads.enumerated() where !thread.steps.isEmpty {
      // The seek task may wait unless it is performing a seek. After a foreign flush without a
      // segment, a buffer may wait until the playback is stopped.
      if number == 0, action == nil { continue }
      if number == 1, isAbandoned { continue }
      judge.blame("thread \(number) is stuck")
    }
    judge.rest(
      isClosed: timeplay_phase(playback) == TIMEPLAY_CLOSED,
      isPlaying: hasTask, isAwaiting: isAbandoned)
  }

  /// Removes all steps, because they hold references to this object.
  func end() {
    for thread in threads { thread.steps = [] }
  }

  func tell() { changes += 1 }

  func ns(_ frame: Int64) -> UInt64 { UInt64(frame) * 5_000 }

  func number() -> UInt32 {
    numbers += 1
    return numbers
  }
}
