// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a stream block by block, in either direction, from a reader: anything that can seek and
/// read forward. `next()` returns what the caller has to do: read audio for `add`, or output
/// frames.
///
/// The player owns everything to which its pointers refer. It may therefore be moved between
/// threads.
package struct BlockPlayer: ~Copyable, @unchecked Sendable {
  /// What the caller has to do next.
  package enum Step {
    /// Nothing can be output yet. Read and add more audio if `isFilling`; otherwise, nothing is
    /// left to do until a seek.
    case wait
    /// Seek to this frame or to an earlier frame, and read from there.
    case read(from: Int64)
    /// Output these frames.
    case frames(Frames)
    /// Everything has been played.
    case end
    /// Playback has failed. For some errors, `frames` is the number of frames concerned.
    case failed(TimeBlocksCode, frames: Int64)
  }

  /// Consecutive interleaved frames.
  package struct Frames {
    /// The address of the frame with the lowest number.
    package let samples: UnsafeRawPointer?
    package let count: Int
    /// Whether the frames must be reversed before they are output.
    package let isBackward: Bool
    /// The lowest frame number.
    package let frame: Int64
  }

  // With a raw value, `==` compares integers, so Swift's hashing code need not be linked.
  private enum State: UInt8 {
    /// Nothing is played until the next seek.
    case stopped
    /// A seek has been dequeued. Nothing has been read for it yet.
    case serving
    case playing
    /// Playback has ended or failed. The reader is not needed for now.
    case leaving
  }

  /// The state of the reader.
  private enum Reader {
    /// The audio that is read is added to the run.
    case filling
    /// The run is complete. The reader is before this frame, or the stream ends before it.
    case waiting(before: Int64, hasEnded: Bool)
  }

  private var cursor: Cursor
  /// The length given by the caller; `unknownFrame` if no length was given.
  private let length: Int64
  private var state = State.stopped
  private var reader = Reader.waiting(before: unknownFrame, hasEnded: false)
  /// Whether playback has ended since the last run. The next run is then requested with a seek,
  /// even if it continues that run.
  private var isLetGo = false
  private var run: RunPointer?
  /// The error, until `next()` has returned it.
  private var failure: TimeBlocksReport?
  /// The range of the last seek.
  private var asked = (start: Int64(0), stop: unknownFrame)
  /// The end of the stream that was known when the current target was set; `unknownFrame` if no end
  /// was known.
  private var knownEnd = unknownFrame
  /// The newest target that has not been dequeued.
  private var waitingTarget: TimeBlocksTarget?
  /// A target that came after `waitingTarget` and keeps its position.
  private var waitingResume: TimeBlocksTarget?
  /// A requested direction that playback has not changed to yet.
  private var waitingTurn: TimeDSPDirection?
  /// Number of seams at which the two runs contained different audio.
  package private(set) var oddSeams = 0

  /// Plays a stream in `format` from its beginning, or backward from its end. `length` is in
  /// frames; `unknownFrame` if it is unknown. Throws if memory cannot be allocated.
  package init(
    _ format: TimeBlocksFormat, length: Int64, _ direction: TimeDSPDirection,
    _ settings: TimeBlocksSettings, convert: TimeBlocksConvert
  ) throws(TimeDSPStatus) {
    cursor = try Cursor(convert: convert)
    self.length = length
    cursor.planner.settings = settings
    cursor.open(format)
    var target = TimeBlocksTarget(direction)
    target.end_frame = length
    waitingTarget = target
  }

  deinit { FetchedRun.free(run) }

  package var loop: (TimeDSPLoop, start: Int64, stop: Int64) {
    get {
      let settings = cursor.planner.settings
      return (settings.loop, settings.loop_start_frame, settings.loop_stop_frame)
    }
    set {
      cursor.planner.settings.loop = newValue.0
      cursor.planner.settings.loop_start_frame = newValue.start
      cursor.planner.settings.loop_stop_frame = newValue.stop
    }
  }

  package var stats: BlockStats { cursor.planner.stats }
}

// The position.
extension BlockPlayer {
  /// Continues at `boundary`; `unknownFrame` stands for the end of the stream. A new target
  /// replaces an earlier target.
  package mutating func seek(to boundary: Int64, _ direction: TimeDSPDirection) {
    let isBackward = direction == TIMEDSP_BACKWARD
    asked = isBackward ? (0, boundary) : (max(boundary, 0), unknownFrame)
    waitingTarget = target(TIMEBLOCKS_GO_TO, direction)
    waitingResume = nil
    waitingTurn = nil
  }

  /// Continues at the current position, also after the end.
  package mutating func resume(_ direction: TimeDSPDirection) {
    let resumed = target(TIMEBLOCKS_RESUME, direction)
    if waitingTarget == nil { waitingTarget = resumed } else { waitingResume = resumed }
    waitingTurn = nil
  }

  /// Changes the direction. After frame n, playback continues with frame n - 1 (backward) or n + 1.
  package mutating func turn(_ direction: TimeDSPDirection) { waitingTurn = direction }

  /// The target for the range of the last seek. A stop at the end of the stream is not a limit,
  /// because the end may turn out to be later.
  private mutating func target(
    _ move: TimeBlocksMove, _ direction: TimeDSPDirection
  ) -> TimeBlocksTarget {
    let end = cursor.planner.limits.endFrame
    if end != unknownFrame {
      asked.start = min(asked.start, end)
      asked.stop = min(asked.stop, end)
    }
    var target = TimeBlocksTarget(direction)
    target.move = move
    target.start_frame = asked.start
    target.end_frame = end
    let isEnd = direction == TIMEDSP_BACKWARD && end != unknownFrame && asked.stop >= end
    target.stop_frame = isEnd ? unknownFrame : asked.stop
    return target
  }
}

// Reading.
extension BlockPlayer {
  /// Whether more audio is needed for the current run.
  package var isFilling: Bool {
    if case .filling = reader { return true }
    return false
  }

  /// Adds `frames` interleaved frames to the current run. The first frame has the number `frame`.
  /// Returns how many frames were used; `nil` if all were used and more are needed.
  package mutating func add(_ samples: UnsafeRawPointer?, frames: Int, at frame: Int64) -> Int? {
    guard isFilling, let run else { return 0 }
    var used = 0
    let format = cursor.planner.format
    var plane = samples
    withUnsafePointer(to: &plane) { planes in
      let buffer = TimeRunBuffer(
        planes: planes, frames: frames, frame: frame, is_placed: 1, is_timed: 1, offset: 0)
      run.pointee.add(buffer, format, from: &used)
    }
    if run.pointee.state == .open { return nil }
    endRun(hasEnded: false)
    return used
  }

  /// Records that the stream ends after the last added frame.
  package mutating func endOfStream() {
    guard isFilling else { return }
    run?.pointee.end()
    endRun(hasEnded: true)
  }

  private mutating func endRun(hasEnded: Bool) {
    reader = .waiting(before: run?.pointee.nextFrame ?? unknownFrame, hasEnded: hasEnded)
  }

  /// Passes a complete run to the planner. A run that the planner has not examined yet is replaced.
  private mutating func deliverRun() {
    guard case .waiting = reader, let run else { return }
    self.run = nil
    FetchedRun.free(cursor.planner.arrived)
    cursor.planner.arrived = run
  }

  /// Continues with `run`, without a seek, if the reader is at the first frame of its block.
  /// Otherwise, returns `false`.
  private mutating func fill(_ run: RunPointer) -> Bool {
    guard case .waiting(let frame, let hasEnded) = reader, !isLetGo, self.run == nil,
      run.pointee.goOn(at: frame)
    else { return false }
    self.run = run
    reader = .filling
    if hasEnded { endOfStream() }
    return true
  }

  /// Requests the audio for `run`, with a seek.
  private mutating func read(_ run: RunPointer) -> Step {
    FetchedRun.free(self.run)
    self.run = run
    reader = .filling
    isLetGo = false
    return .read(from: run.pointee.fetch.seekHalfFrames &>> 1)
  }
}

// The output.
extension BlockPlayer {
  package mutating func next() -> Step {
    while true {
      deliverRun()
      countReports()
      if let failure {
        self.failure = nil
        state = .leaving
        return .failed(failure.code, frames: failure.frame)
      }
      dequeueTarget()
      if let step = proceed() { return step }
    }
  }

  private mutating func countReports() {
    while let report = cursor.planner.reports.next() {
      if report.code == TIMEBLOCKS_SEAM_ODD { oddSeams &+= 1 }
    }
  }

  private mutating func dequeueTarget() {
    guard let target = waitingTarget else { return }
    serve(target)
    if let waitingResume { serve(waitingResume) }
    (waitingTarget, waitingResume) = (nil, nil)
    state = .serving
  }

  private mutating func serve(_ target: TimeBlocksTarget) {
    knownEnd = target.end_frame
    cursor.serve(target)
  }

  /// Performs one step of the current state. Returns `nil` if the step requires nothing of the
  /// caller.
  private mutating func proceed() -> Step? {
    switch state {
    case .stopped: return .wait
    case .serving:
      var step = BlockPlanner.Step.idle
      if cursor.index == nil { step = cursor.fetch() }
      if case .askDuration = step {} else { state = .playing }
      return act(step)
    case .playing: return play()
    case .leaving:
      isLetGo = true
      state = .stopped
      return .end
    }
  }

  /// Performs a step of the planner.
  private mutating func act(_ step: BlockPlanner.Step) -> Step? {
    switch step {
    case .idle, .active: break
    case .failed(let report): failure = report
    case .askDuration:
      let end = length == unknownFrame ? knownEnd : length
      cursor.planner.estimate = max(end, 0)
    case .fetch(let run, let mayContinue):
      if !mayContinue || !fill(run) { return read(run) }
    }
    return nil
  }

  private mutating func play() -> Step? {
    if turn() || cursor.followSwitch() { return nil }
    let step = cursor.fetch()
    guard case .idle = step else { return act(step) }
    if let frames = dequeueFrames() { return .frames(frames) }
    guard cursor.leftInPass <= 0 else { return .wait }
    if cursor.hasLostStream {
      failure = TimeBlocksReport(TIMEBLOCKS_NO_AUDIO)
    } else if !cursor.nextPass() {
      state = .leaving
    }
    return nil
  }

  private mutating func dequeueFrames() -> Frames? {
    let count = cursor.sendableFrames
    guard count > 0, let frames = cursor.nextFrames(count) else { return nil }
    cursor.advance(count)
    return Frames(
      samples: frames.samples, count: frames.frames, isBackward: cursor.isBackward,
      frame: frames.frame)
  }

  private mutating func turn() -> Bool {
    guard let direction = waitingTurn else { return false }
    waitingTurn = nil
    if direction == cursor.direction { return false }
    cursor.turn(direction)
    return true
  }
}
