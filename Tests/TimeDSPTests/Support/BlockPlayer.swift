// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// Plays a stream block by block, in either direction, like the player of `revbuf`, from a reader:
/// anything that can seek and read forward. `next()` tells you what to do: read audio for `add`, or
/// output frames.
///
/// The player owns everything that its pointers refer to, so you may hand it to another thread.
struct BlockPlayer: ~Copyable, @unchecked Sendable {
  /// What you do next.
  enum Step {
    /// There's no output yet. If `isFilling`, read and add more audio. Otherwise, there's nothing
    /// to do until a seek.
    case wait
    /// Seek to this frame or to an earlier one, and read from there.
    case read(from: Int64)
    /// Output these.
    case frames(Frames)
    /// You're done.
    case end
    /// Playback has failed. Some errors concern this many frames.
    case failed(TimeBlocksCode, frames: Int64)
  }

  /// Consecutive and interleaved.
  struct Frames {
    /// The frame with the lowest number.
    let samples: UnsafeRawPointer?
    let count: Int
    /// Reverse the frames before you output them.
    let isBackward: Bool
    /// The lowest number.
    let frame: Int64
  }

  // With a raw value, `==` compares integers, so we needn't link Swift's hashing code.
  private enum State: UInt8 {
    /// Nothing plays until the next seek.
    case stopped
    /// A seek has left the queue, but nothing has been read for it yet.
    case serving
    case playing
    /// Playback has ended or failed. We don't need the reader for now.
    case leaving
  }

  private enum Reader {
    /// What we read goes to the decode.
    case filling
    /// The decode is complete. The reader is before this frame, or the stream ends there.
    case waiting(before: Int64, hasEnded: Bool)
  }

  private var cursor: Cursor
  /// As the caller says, or `unknownFrame`.
  private let length: Int64
  private var state = State.stopped
  private var reader = Reader.waiting(before: unknownFrame, hasEnded: false)
  /// If playback has ended since the last decode, we request the next one with a seek, even if it
  /// continues that decode.
  private var isLetGo = false
  private var decode: DecodePointer?
  /// Until `next()` has returned it.
  private var failure: TimeBlocksReport?
  private var asked = (start: Int64(0), stop: unknownFrame)
  /// When the current target was set, we knew this end of the stream, or `unknownFrame`.
  private var knownEnd = unknownFrame
  /// The latest one that's still in the queue.
  private var waitingTarget: TimeBlocksTarget?
  /// It came after `waitingTarget`, and keeps its position.
  private var waitingResume: TimeBlocksTarget?
  private var requestedDirection: TimeDSPDirection?
  /// Seams at which the two decodes contained different audio.
  private(set) var oddSeams = 0

  /// From the beginning, or backward from the end. `length` is in frames, or `unknownFrame`. Throws
  /// if there's no memory.
  init(
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

  deinit { Decode.free(decode) }

  var loop: (TimeDSPLoop, start: Int64, stop: Int64) {
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

  var stats: TimeBlocksStats { cursor.planner.stats }
}

// ---- the position ----
extension BlockPlayer {
  /// `unknownFrame` stands for the end of the stream. A new target replaces an earlier one.
  mutating func seek(to boundary: Int64, _ direction: TimeDSPDirection) {
    let isBackward = direction == TIMEDSP_BACKWARD
    asked = isBackward ? (0, boundary) : (max(boundary, 0), unknownFrame)
    waitingTarget = target(TIMEBLOCKS_GO_TO, direction)
    waitingResume = nil
    requestedDirection = nil
  }

  /// At the current position, even after the end.
  mutating func resume(_ direction: TimeDSPDirection) {
    let resumed = target(TIMEBLOCKS_RESUME, direction)
    if waitingTarget == nil { waitingTarget = resumed } else { waitingResume = resumed }
    requestedDirection = nil
  }

  /// After frame n, playback continues with frame n - 1 (backward) or n + 1.
  mutating func setDirection(_ direction: TimeDSPDirection) {
    requestedDirection = direction
  }

  /// For the range of the last seek. A stop at the end of the stream doesn't count as a limit,
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

// ---- reading ----
extension BlockPlayer {
  /// The current decode needs more audio.
  var isFilling: Bool {
    if case .filling = reader { return true }
    return false
  }

  /// Adds interleaved frames from number `frame` on to the current decode. Returns how many it
  /// used, or `nil` if it used all and needs more.
  mutating func add(_ samples: UnsafeRawPointer?, frames: Int, at frame: Int64) -> Int? {
    guard isFilling, let decode else { return 0 }
    var used = 0
    let format = cursor.planner.format
    var plane = samples
    withUnsafePointer(to: &plane) { planes in
      let buffer = TimeDecodeBuffer(
        planes: planes, frames: frames, frame: frame, is_placed: 1, is_timed: 1, offset: 0)
      decode.pointee.add(buffer, format, from: &used)
    }
    if decode.pointee.state == .open { return nil }
    endDecode(hasEnded: false)
    return used
  }

  /// After the last added frame.
  mutating func endOfStream() {
    guard isFilling else { return }
    decode?.pointee.end()
    endDecode(hasEnded: true)
  }

  private mutating func endDecode(hasEnded: Bool) {
    reader = .waiting(before: decode?.pointee.nextFrame ?? unknownFrame, hasEnded: hasEnded)
  }

  /// A complete decode goes to the planner. If the planner hasn't looked at the one before yet,
  /// this replaces it.
  private mutating func deliverDecode() {
    guard case .waiting = reader, let decode else { return }
    self.decode = nil
    Decode.free(cursor.planner.arrived)
    cursor.planner.arrived = decode
  }

  /// If the reader is at the first frame of the decode's block, continues without a seek.
  /// Otherwise, returns `false`.
  private mutating func fill(_ decode: DecodePointer) -> Bool {
    guard case .waiting(let frame, let hasEnded) = reader, !isLetGo, self.decode == nil,
      decode.pointee.goOn(at: frame)
    else { return false }
    self.decode = decode
    reader = .filling
    if hasEnded { endOfStream() }
    return true
  }

  private mutating func read(_ decode: DecodePointer) -> Step {
    Decode.free(self.decode)
    self.decode = decode
    reader = .filling
    isLetGo = false
    return .read(from: decode.pointee.fetch.seekHalfFrames &>> 1)
  }
}

// ---- the output ----
extension BlockPlayer {
  mutating func next() -> Step {
    while true {
      deliverDecode()
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
    while let report = cursor.planner.nextReport() {
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

  /// One step of the current state. `nil` if you needn't do anything for it.
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

  private mutating func act(_ step: BlockPlanner.Step) -> Step? {
    switch step {
    case .idle, .active: break
    case .failed(let report): failure = report
    case .askDuration:
      let end = length == unknownFrame ? knownEnd : length
      cursor.planner.estimate = max(end, 0)
    case .fetch(let decode, let mayContinue):
      if !mayContinue || !fill(decode) { return read(decode) }
    }
    return nil
  }

  private mutating func play() -> Step? {
    if changeDirection() || cursor.followSwitch() { return nil }
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

  private mutating func changeDirection() -> Bool {
    guard let direction = requestedDirection else { return false }
    requestedDirection = nil
    if direction == cursor.direction { return false }
    cursor.setDirection(direction)
    return true
  }
}
