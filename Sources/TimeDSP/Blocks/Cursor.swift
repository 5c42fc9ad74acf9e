// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames are sent in buffers of at most 1/25 s, so that a change of direction takes effect
/// quickly.
private let buffersPerSecond: UInt32 = 25

/// The playhead: its position in the stream, its direction, and the range that it plays. Fetches
/// the blocks around it with the help of a planner.
///
/// A pass plays one range of the stream once, in one direction. A loop consists of many passes.
///
/// A cursor owns everything to which its pointers refer. It may therefore be moved between threads.
struct Cursor: ~Copyable, @unchecked Sendable {
  var planner: BlockPlanner
  /// The target of the last seek, or of the start of playback.
  private var target = TimeBlocksTarget(TIMEDSP_FORWARD)
  private(set) var direction = TIMEDSP_FORWARD
  /// The direction for which the range of `target` was meant. The direction may have changed since.
  private var targetDirection = TIMEDSP_FORWARD

  /// Index of the next frame in the block cache; `nil` if that frame has not arrived yet. In that
  /// case, the playhead is at `planner.boundary`.
  private(set) var index: Int64?
  /// The last frame that was played; `nil` if nothing has been played since the playhead was last
  /// moved to a new position. The value is an index of the cache if `index` is set, otherwise a
  /// frame number.
  private var last: Int64?

  /// The position of the playhead before the current pass, to which a change of direction may
  /// return: a boundary in the stream, and the last frame played, if any. The value is `nil` once
  /// part of the pass has been played, or if the pass follows a seek to a new position.
  private var before: (boundary: Int64, played: Int64?)?

  /// The kind of loop when this pass was set.
  private var loop = TIMEDSP_LOOP_NONE
  /// The range of this pass in the stream.
  private(set) var pass = FrameRange(firstFrame: 0, endFrame: unknownFrame)
  /// Whether part of the pass has been played.
  private var isPassBegun = false
  /// Number of consecutive passes in which nothing has been played.
  private var emptyPasses = 0
  /// The loop markers that have been reported as faulty.
  private var reportedMarkers = (start: unknownFrame, stop: unknownFrame)

  init(convert: TimeBlocksConvert) throws(TimeDSPStatus) {
    planner = try BlockPlanner(convert: convert)
  }

  var isBackward: Bool { direction == TIMEDSP_BACKWARD }

  private func step(_ frames: Int64) -> Int64 { isBackward ? 0 &- frames : frames }

  /// Begins playback of a new stream in `format`.
  mutating func open(_ format: TimeBlocksFormat) {
    planner.open(format)
    index = nil
    last = nil
    reportedMarkers = (unknownFrame, unknownFrame)
  }

  /// The boundary at the playhead: before the next frame (forward) or after it (backward). It is
  /// `unknownFrame` if the playhead is at an unknown end.
  var boundary: Int64 {
    guard let index else { return planner.boundary }
    return planner.cache.frame(at: isBackward ? index &+ 1 : index)
  }
}

// Movement in the stream.
extension Cursor {
  private mutating func find(_ boundary: Int64) -> Bool {
    index = nil
    guard boundary != unknownFrame, let found = planner.cache.index(of: boundary) else {
      return false
    }
    index = isBackward ? found &- 1 : found
    return true
  }

  /// Moves the playhead to `boundary`; `unknownFrame` stands for the end of the stream.
  private mutating func go(to boundary: Int64) {
    let end = planner.limits.endFrame
    let isBeyond = end != unknownFrame && (boundary == unknownFrame || boundary > end)
    let boundary = isBeyond ? end : boundary
    last = nil
    before = nil
    if find(boundary) { return }
    planner.jump(to: boundary, direction)
    _ = find(boundary)  // the planner may have added the recorded start
  }

  /// Changes the direction. After frame n, playback continues with frame n - 1 (backward) or n + 1.
  mutating func turn(_ direction: TimeDSPDirection) {
    turnOnly(direction)
    setPass()
  }

  private mutating func turnOnly(_ direction: TimeDSPDirection) {
    guard direction != self.direction else { return }
    self.direction = direction
    emptyPasses = 0
    if let before { return goBack(to: before.boundary, after: before.played) }
    if let index {
      // skip the last played frame, so that it is not played twice
      self.index = (last ?? index) &+ step(1)
      return
    }
    // no frame is cached, so `last` is a frame number
    var boundary = planner.boundary
    if let last { boundary = isBackward ? last : last &+ 1 }
    planner.jump(to: boundary, direction)
  }

  /// Moves the playhead back to its position before a pass of which nothing has been played.
  /// Playback continues after `frame`, the last frame that was played. If no frame has been played,
  /// playback continues at `boundary`.
  private mutating func goBack(to boundary: Int64, after frame: Int64?) {
    if let frame { goOn(after: frame) } else { go(to: boundary) }
  }

  /// Moves the playhead to the frame after `frame`, which has been played.
  private mutating func goOn(after frame: Int64) {
    go(to: isBackward ? frame : frame &+ 1)
    last = index.map { $0 &- step(1) } ?? frame
  }

  /// Moves the playhead to `boundary`, as if the frame before it had been played. The pass is that
  /// of the loop or, unless `inLoop`, the whole range.
  mutating func move(to boundary: Int64, _ direction: TimeDSPDirection, inLoop: Bool) {
    self.direction = direction
    let boundary = max(boundary, 0)
    if !isBackward, boundary == 0 {
      go(to: 0)
    } else {
      goOn(after: isBackward ? boundary : boundary &- 1)
    }
    setPass()
    if !inLoop { pass = bounds }
  }

  /// Sets the direction and the range of `target`, and moves the playhead, unless the seek keeps
  /// the position.
  mutating func serve(_ target: TimeBlocksTarget) {
    self.target = target
    if target.move != TIMEBLOCKS_RESUME {
      targetDirection = target.isElsewhere ? target.direction : TIMEDSP_FORWARD
    }
    emptyPasses = 0
    locate(target)
    setPass()
  }

  private mutating func locate(_ target: TimeBlocksTarget) {
    let isOtherStream = target.format.rate > 0
    if target.move == TIMEBLOCKS_RESUME, !isOtherStream {
      turnOnly(target.direction)
      return
    }
    direction = target.direction
    if isOtherStream { planner.startOver(target.format) }
    if target.move == TIMEBLOCKS_START {
      if target.last_frame != unknownFrame { return goOn(after: target.last_frame) }
    } else {
      planner.doubtStart()
    }
    go(to: isBackward ? target.stop_frame : target.start_frame)
  }

  /// Moves the playhead past `frames` frames, which have been sent.
  mutating func advance(_ frames: Int64) {
    guard let index else { return }
    let lastIndex = index &+ step(frames &- 1)
    last = lastIndex
    before = nil
    self.index = lastIndex &+ step(1)
    isPassBegun = true
  }
}

// Fetching.
extension Cursor {
  /// Adds a run that has arrived to the cache. Returns the next step, for example another fetch.
  mutating func fetch() -> BlockPlanner.Step {
    let admitted = admit()
    switch admitted {
    case .failed, .fetch, .askDuration: return admitted
    case .idle, .active: break
    }
    let filled = planner.fill(direction, index ?? 0, pass)
    if case .idle = filled { return admitted }
    return filled
  }

  /// Adds a run that has arrived to the cache, and updates the playhead.
  mutating func admit() -> BlockPlanner.Step {
    let end = planner.limits.endFrame
    let admitted = planner.admit(direction, index ?? 0)
    if index != nil, planner.cache.isEmpty {
      index = nil  // the block at the playhead is being fetched again
      if last != nil { last = planner.boundary }
    }
    if index == nil { placePlayhead() }
    if planner.limits.endFrame != end { moveEnd(from: end) }
    return admitted
  }

  /// Sets the playhead to the first frame that has arrived after a jump.
  private mutating func placePlayhead() {
    if !find(planner.boundary), let block = planner.cache.highest {
      index = isBackward ? block.endIndex &- 1 : block.index
    }
    // the audio may have been found elsewhere than after the last played frame
    if let index, last != index &- step(1) { last = nil }
  }

  /// Adjusts the pass after the end of the stream has been found, or after a later run has assigned
  /// a different frame number to the end.
  private mutating func moveEnd(from end: Int64) {
    // now that the end is known, markers beyond it can be reported
    if !isPassBegun { return setPass() }
    let now = planner.limits.endFrame
    if end != unknownFrame, now != unknownFrame, pass.endFrame == end { pass.endFrame = now }
  }

  /// The number of frames that can be sent now, within the current block and pass.
  var readyFrames: Int64 {
    guard let index, leftInPass > 0 else { return 0 }
    return min(leftInPass, planner.readyFrames(direction, index))
  }

  /// The number of frames that can be sent now in one buffer.
  var sendableFrames: Int64 {
    min(readyFrames, max(Int64(planner.limits.rate / buffersPerSecond), 1))
  }

  /// The next `count` frames to be played, in the order of the stream; `nil` if the cache does not
  /// contain them.
  func nextFrames(_ count: Int64) -> TimeBlocksSpan? {
    guard let index, let block = planner.cache.block(at: index) else { return nil }
    let lowest = isBackward ? index &- count &+ 1 : index
    return TimeBlocksSpan(
      format: block.run.pointee.format, samples: UnsafeRawPointer(block.address(of: lowest)),
      plane_bytes: block.run.pointee.planeBytes, frames: Int(truncatingIfNeeded: count),
      frame: planner.cache.frame(at: lowest))
  }

  /// The number of frames left in the pass; `Int64.max` if its end is unknown.
  var leftInPass: Int64 {
    guard let index else { return planner.isExhausted ? 0 : .max }
    // after invalid timestamps, the playhead may be beyond the end of the pass
    if isBackward {
      let first = max(pass.firstFrame, planner.firstFrame)
      if let end = planner.cache.index(of: first) { return index &- end &+ 1 }
      return index < planner.firstFrame || boundary < first ? 0 : .max
    }
    if pass.hasKnownEnd {
      if let end = planner.cache.index(of: pass.endFrame) { return end &- index }
      if boundary > pass.endFrame { return 0 }
    }
    guard let highest = planner.cache.highest, highest.isAtEnd else { return .max }
    return highest.endIndex &- index
  }

  /// Whether playback ends with this pass.
  var isOnLastPass: Bool { index != nil && planner.settings.loop == TIMEDSP_LOOP_NONE }

  /// The boundary at which the pass stops; `nil` if it stops at the end of the stream.
  var stopInStream: Int64? {
    guard pass.hasKnownEnd else { return nil }
    let end = planner.limits.endFrame
    return end == unknownFrame || pass.endFrame < end ? pass.endFrame : nil
  }

  /// Whether the end of the stream cannot be found, although the stream has audio: its start has
  /// been recorded.
  var hasLostStream: Bool {
    index == nil && planner.start.run != nil && isBackward && planner.boundary == unknownFrame
  }
}

// Passes.
extension Cursor {
  /// Whether `boundary` is the end of the stream, and not an earlier stop position that a seek has
  /// set.
  private func isOpenEnd(_ boundary: Int64) -> Bool {
    var end = planner.limits.endFrame
    if end == unknownFrame { end = target.end_frame }
    return boundary == unknownFrame || (end != unknownFrame && boundary >= end)
  }

  /// The range to play, without regard to a loop. A seek position alone does not limit the range,
  /// so playback can continue past that position after a change of direction. It limits the range
  /// only if the seek sets the other end, too.
  private var bounds: FrameRange {
    let end = planner.limits.endFrame
    var bounds = FrameRange(firstFrame: target.start_frame, endFrame: target.stop_frame)
    if targetDirection == TIMEDSP_FORWARD, isOpenEnd(bounds.endFrame) { bounds.firstFrame = 0 }
    if targetDirection == TIMEDSP_BACKWARD, bounds.firstFrame == 0 {
      bounds.endFrame = unknownFrame
    }
    bounds.firstFrame = max(bounds.firstFrame, planner.firstFrame)
    if !bounds.hasKnownEnd {
      bounds.endFrame = end
    } else if end != unknownFrame {
      bounds.endFrame = min(bounds.endFrame, end)
    }
    if bounds.hasKnownEnd { bounds.firstFrame = min(bounds.firstFrame, bounds.endFrame) }
    return bounds
  }

  /// The range of the loop between the current markers, within `bounds`; `bounds` without a loop.
  private mutating func loopRange(_ bounds: FrameRange) -> FrameRange {
    let settings = planner.settings
    guard settings.loop != TIMEDSP_LOOP_NONE else { return bounds }
    guard bounds.firstFrame >= 0, !bounds.hasKnownEnd || bounds.endFrame >= 0 else {
      return bounds
    }
    let (range, found) = bounds.between(settings.loop_start_frame, settings.loop_stop_frame)
    report(found, settings)
    return range
  }

  private mutating func report(_ found: TimeBlocksCode?, _ settings: TimeBlocksSettings) {
    let markers = (start: settings.loop_start_frame, stop: settings.loop_stop_frame)
    guard let found, markers != reportedMarkers else { return }
    planner.reports.add(TimeBlocksReport(found))
    reportedMarkers = markers
  }

  /// Sets the range of this pass. If the playhead is already beyond the range of the loop, the pass
  /// continues to the end of `bounds`.
  private mutating func setPass() {
    let bounds = bounds
    loop = planner.settings.loop
    pass = loopRange(bounds)
    isPassBegun = false
    if isBeyond(pass) { pass = bounds }
  }

  /// Whether the playhead has nothing left to play of `range` in its direction. This is `false` if
  /// the last played frame is inside the range.
  private func isBeyond(_ range: FrameRange) -> Bool {
    let boundary = boundary
    if boundary == unknownFrame { return false }
    if let playedFrame, range.contains(playedFrame) { return false }
    if isBackward { return boundary <= range.firstFrame }
    return range.hasKnownEnd && boundary >= range.endFrame
  }

  /// Sets the pass again if looping has been switched on or off, which takes effect immediately.
  /// Moved markers take effect at the next pass. Returns whether the pass has been set.
  mutating func followSwitch() -> Bool {
    let isLoop = planner.settings.loop != TIMEDSP_LOOP_NONE
    guard isLoop != (loop != TIMEDSP_LOOP_NONE) else { return false }
    setPass()
    return true
  }

  /// Whether this pass ends at the end of `bounds`, outside the loop `range`.
  private func endsBeyond(_ range: FrameRange, _ bounds: FrameRange) -> Bool {
    if isBackward {
      return pass.firstFrame <= bounds.firstFrame && range.firstFrame > bounds.firstFrame
    }
    return (!pass.hasKnownEnd || pass.endFrame >= bounds.endFrame)
      && range.endFrame < bounds.endFrame
  }

  /// Starts the next pass. Returns `false` if there is none.
  mutating func nextPass() -> Bool {
    let bounds = bounds
    let loop = planner.settings.loop
    var range = loopRange(bounds)
    // a pass that begins at its own end is empty; after two empty passes, playback ends
    emptyPasses = isPassBegun ? 0 : emptyPasses &+ 1
    if loop == TIMEDSP_LOOP_NONE || emptyPasses > 1 { return false }
    // outside the markers, a ping-pong loop first changes its direction at the end of `bounds`
    if loop == TIMEDSP_LOOP_PING_PONG, endsBeyond(range, bounds) { range = bounds }
    guard var next = step(after: range, loop) else { return false }
    // if nothing has been played, the frame at the end has not been played either: begin with it
    if last == nil, next.frame != unknownFrame, next.direction != direction {
      next.frame = isBackward ? range.firstFrame : range.endFrame &- 1
    }
    let before = before ?? (boundary, playedFrame)
    direction = next.direction
    go(to: next.frame == unknownFrame || !isBackward ? next.frame : next.frame &+ 1)
    self.before = before
    setPass()
    return true
  }

  private var playedFrame: Int64? {
    guard let last else { return nil }
    return index == nil ? last : planner.cache.frame(at: last)
  }

  /// The start of the pass after a pass in `range`; `nil` if there is none. Its frame is
  /// `unknownFrame` if it is at the end of the stream, which is not known yet.
  private func step(after range: FrameRange, _ loop: TimeDSPLoop) -> PassStart? {
    do throws(TimeDSPStatus) {
      let next = try range.nextPass(loop, direction)
      return next.frame == unknownFrame ? nil : next
    } catch {
      return PassStart(frame: unknownFrame, direction: direction)
    }
  }
}
