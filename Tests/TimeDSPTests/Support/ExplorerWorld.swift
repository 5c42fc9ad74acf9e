// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// A rule that is removed, by an owner that misinforms the playback. The number is that of the bug
/// in docs/reliability.md that returns.
enum BrokenRule: String, CaseIterable {
  /// 7: a forwarded seek counts until upstream has returned from it.
  case seeksPastAreOver
  /// 19: only a segment with the number of the seek answers it.
  case anySegmentAnswers
  /// 11: audio counts from the flush of a fetch on, and not from the return of its seek.
  case audioWaitsForTheSeek
  /// 16: a foreign flush holds playback until its segment.
  case foreignFlushesAreUnknown
  /// 23: audio without a timestamp lies nowhere.
  case segmentsPlaceAudio
  /// 24: the number of a fetch says that it is one.
  case fetchesAreUnmarked
  /// The lost turn: a segment is taken with the direction of the moment.
  case directionsAreOld
  /// A buffer passes only if it may under the lock of the thread that sends, too.
  case answersStayTrue

  /// The scenario in which that is seen.
  var scenario: String {
    switch self {
    case .seeksPastAreOver, .anySegmentAnswers: "a seek without a flush"
    case .audioWaitsForTheSeek: "two turns"
    case .foreignFlushesAreUnknown: "a foreign flush and a turn"
    case .segmentsPlaceAudio: "audio without a timestamp"
    case .fetchesAreUnmarked: "another playback"
    case .directionsAreOld: "a foreign seek and a turn"
    case .answersStayTrue: "a seek that starts playback"
    }
  }
}

/// One run of a playback among threads, each of which does one step at a time.
///
/// The threads are the seek task, upstream's streaming thread and two of the application. A step is
/// the part between two points at which a real thread may be interrupted: one call under the lock,
/// or the taking of another lock.
final class ExplorerWorld {
  /// An action of the application.
  enum Command {
    case turn(TimeDSPDirection)
    /// And back while the next block is fetched.
    case turnAndBack(TimeDSPDirection)
    case seek(Range<Int64>, flush: Bool)
    /// With a negative rate, while the stream passes: playback begins with it.
    case seekBackwards(Range<Int64>)
    /// Not through the playback: another application seeks upstream, or a fetch of another playback
    /// does.
    case foreignSeek(Int64, isFetch: Bool)
    case foreignFlush
    case close
  }

  struct Scenario {
    var name: String
    var direction = TIMEDSP_BACKWARD
    var first: [Command] = []
    var second: [Command] = []
    /// Events after a seek have another number.
    var losesNumbers = false
    /// Upstream's flushes never arrive.
    var losesFlushes = false
    /// A thread of upstream performs seeks, after they have returned.
    var isLate = false
    /// The first buffer after a seek has no timestamp.
    var isUntimed = false
    /// Downstream's answer to the third buffer: with any value but OK, it wants no more before a
    /// seek.
    var lastWord = TIMEPLAY_FLOW_OK
    /// The looped range; once two passes have begun again, the application has seen enough.
    var lap: Range<Int64>?
    var length: Int64 = 24_000
    /// How often the thread may change at most where it need not.
    var changes = 1
    /// A fetch ends as a segment does, unless it is the last one.
    var knowsSegments = true
  }

  struct Step {
    private(set) var isReady: () -> Bool = { true }
    private(set) var run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }

    /// One that waits.
    static func when(_ isReady: @escaping () -> Bool) -> Step {
      var step = Step {}
      step.isReady = isReady
      return step
    }

    func then(_ run: @escaping () -> Void) -> Step {
      var step = self
      step.run = run
      return step
    }
  }

  final class Thread {
    var steps: [Step] = []
    /// Adds steps when no step is left.
    var more: (() -> Step?) = { nil }
  }

  let scenario: Scenario
  let broken: BrokenRule?
  let playback: OpaquePointer
  var judge: ExplorerJudge
  var settings = TimePlaySettings()
  let stream: PlaybackStream
  /// The seek task, the streaming thread, a thread of upstream's that seeks, two of the
  /// application.
  let threads = (0..<5).map { _ in Thread() }
  var task: Thread { threads[0] }
  var streaming: Thread { threads[1] }
  var worker: Thread { threads[2] }
  private(set) lazy var current = threads[1]
  /// Counts the playback's inputs, as the condition of the element does.
  var changes = 0

  // The element.
  var hasTask = false
  var action: TimePlayAction?
  var turnInFetch: TimeDSPDirection?
  var sendsNow = false
  var heardChanges = -1
  var passedFrame: Int64 = -1
  /// That downstream has taken.
  var sentBuffers = 0
  // Upstream.
  var isSeeking = false
  var isFlushing = false
  var isInChain = false
  var isPaused = false
  var next: Int64 = 0
  var segmentStart: Int64 = 0
  var segmentNumber: UInt32? = 1
  var isFirstUntimed = false
  /// A foreign flush came without a segment.
  var isAbandoned = false
  var isEndDue = true
  /// The next audio ends as a segment does; so will the audio of the open fetch.
  var isSegment = false
  var fetchesSegment = false
  var pastNumber: UInt32?
  var lastSegment: UInt32 = 1
  /// That have passed by.
  var segments = 0
  var numbers: UInt32 = 100
  /// Of the buffer that is in the chain.
  var buffer: Range<Int64> = 0..<0
  var used = 0
  /// The run in hand of the streaming thread, and its required state when the next buffer arrives.
  var hand: (run: RunPointer, state: FetchedRun)?

  init?(_ scenario: Scenario, _ broken: BrokenRule?) {
    guard let playback = timeplay_new({ _, _, _, _, _, _ in }, 1) else { return nil }
    self.scenario = scenario
    self.broken = broken
    self.playback = playback
    stream = PlaybackStream(length: scenario.length, rate: 200_000)
    judge = ExplorerJudge(length: scenario.length, direction: scenario.direction)
    settings.max_block_ns = 30_000_000
    settings.preroll_ns = scenario.isUntimed ? 0 : .max
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

  /// The threads that can continue, `last` first.
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

  /// When no thread can continue.
  func rest() {
    for (number, thread) in threads.enumerated() where !thread.steps.isEmpty {
      // The seek task waits, unless it is in a seek; a buffer may wait for the stop.
      if number == 0, action == nil { continue }
      if number == 1, isAbandoned { continue }
      judge.blame("thread \(number) is stuck")
    }
    judge.rest(
      isClosed: timeplay_phase(playback) == TIMEPLAY_CLOSED,
      isPlaying: hasTask, isAwaiting: isAbandoned)
  }

  /// Steps hold the world, which would stay.
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
