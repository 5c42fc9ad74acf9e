// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// We limit buffers to 1/25 s, so that a change of direction takes effect quickly.
private let buffersPerSecond: UInt32 = 25

/// The playhead: its position in the stream, its direction, and the range it's playing. It fetches
/// the blocks around it with the help of a planner.
///
/// A pass plays one range of the stream once, in one direction. A loop is many passes.
///
/// A cursor owns everything that its pointers refer to, so you may hand it to another thread.
struct Cursor: ~Copyable, @unchecked Sendable {
  var planner: BlockPlanner
  /// Set by the last seek, or at the start of playback.
  private var target = TimeBlocksTarget(TIMEDSP_FORWARD)
  private(set) var direction = TIMEDSP_FORWARD
  /// The direction that the range of `target` was meant for. We may be playing in the other
  /// direction by now.
  private var targetDirection = TIMEDSP_FORWARD

  /// The index of the next frame in the cache. `nil` if it hasn't arrived yet, in which case the
  /// playhead is at `planner.boundary`.
  private(set) var index: Int64?
  /// The last frame played, or `nil` if we haven't played anything since moving the playhead. It's
  /// a cache index if `index` is set, and otherwise a frame number.
  private var last: Int64?

  /// Where the playhead was before this pass, in case a change of direction returns there: a
  /// boundary in the stream, and the last frame played, if any. It's `nil` once we've played part
  /// of the pass, or if we got here by seeking to a new position.
  private var before: (boundary: Int64, played: Int64?)?

  /// The loop mode when we set this pass.
  private var loop = TIMEDSP_LOOP_NONE
  private(set) var pass = FrameRange(firstFrame: 0, endFrame: unknownFrame)
  private var isPassBegun = false
  private var emptyPasses = 0
  private var reportedMarkers = (start: unknownFrame, stop: unknownFrame)

  init(convert: TimeBlocksConvert) throws(TimeDSPStatus) {
    planner = try BlockPlanner(convert: convert)
  }

  var isBackward: Bool { direction == TIMEDSP_BACKWARD }

  private func step(_ frames: Int64) -> Int64 { isBackward ? 0 &- frames : frames }

  mutating func open(_ format: TimeBlocksFormat) {
    planner.stats = TimeBlocksStats()
    planner.startOver(format)
    index = nil
    last = nil
    reportedMarkers = (unknownFrame, unknownFrame)
  }

  /// The boundary at the playhead: before the next frame (forward) or after it (backward). It's
  /// `unknownFrame` at an unknown end.
  var boundary: Int64 {
    guard let index else { return planner.boundary }
    return planner.cache.frame(at: isBackward ? index &+ 1 : index)
  }
}

// ---- movement in the stream ----
extension Cursor {
  private mutating func find(_ boundary: Int64) -> Bool {
    index = nil
    guard boundary != unknownFrame, let found = planner.cache.index(of: boundary) else {
      return false
    }
    index = isBackward ? found &- 1 : found
    return true
  }

  /// `unknownFrame` means the end of the stream.
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

  /// After frame n, we continue with n - 1 (backward) or n + 1.
  mutating func setDirection(_ direction: TimeDSPDirection) {
    setDirectionOnly(direction)
    setPass()
  }

  private mutating func setDirectionOnly(_ direction: TimeDSPDirection) {
    guard direction != self.direction else { return }
    self.direction = direction
    emptyPasses = 0
    if let before {
      // we haven't played any of this pass, so we return to where we were before it
      if let played = before.played { goOn(after: played) } else { go(to: before.boundary) }
      return
    }
    if let index {
      // don't play the last frame twice
      self.index = (last ?? index) &+ step(1)
      return
    }
    // nothing is cached, so `last` is a frame number
    var boundary = planner.boundary
    if let last { boundary = isBackward ? last : last &+ 1 }
    planner.jump(to: boundary, direction)
  }

  private mutating func goOn(after frame: Int64) {
    go(to: isBackward ? frame : frame &+ 1)
    last = index.map { $0 &- step(1) } ?? frame
  }

  /// Continues as if we'd just played the frame before `boundary`. The pass is the loop's if
  /// `inLoop` is set, and otherwise the whole range.
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

  /// Sets the direction and the range, and moves the playhead unless the seek keeps the position.
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
      setDirectionOnly(target.direction)
      return
    }
    direction = target.direction
    defer { planner.acceptsOtherFormat = planner.cache.isEmpty }
    if isOtherStream { planner.startOver(target.format) }
    if target.move == TIMEBLOCKS_START {
      if target.last_frame != unknownFrame { return goOn(after: target.last_frame) }
    } else {
      planner.doubtStart()
    }
    go(to: isBackward ? target.stop_frame : target.start_frame)
  }

  mutating func advance(_ frames: Int64) {
    guard let index else { return }
    let lastIndex = index &+ step(frames &- 1)
    last = lastIndex
    before = nil
    self.index = lastIndex &+ step(1)
    isPassBegun = true
  }
}

// ---- fetching ----
extension Cursor {
  /// Adds a decode that has arrived. Returns the next step, e.g. another fetch.
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

  /// Adds any decode that has arrived, and updates the playhead.
  mutating func admit() -> BlockPlanner.Step {
    let end = planner.limits.endFrame
    let admitted = planner.admit(direction, index ?? 0)
    if index != nil, planner.cache.isEmpty {
      index = nil  // we're fetching the block at the playhead again
      if last != nil { last = planner.boundary }
    }
    if index == nil { placePlayhead() }
    if planner.limits.endFrame != end { moveEnd(from: end) }
    return admitted
  }

  /// Puts the playhead on the first frame that has arrived after a jump.
  private mutating func placePlayhead() {
    if !find(planner.boundary), let block = planner.cache.highest {
      index = isBackward ? block.endIndex &- 1 : block.index
    }
    // the audio may not be a continuation of the last frame played
    if let index, last != index &- step(1) { last = nil }
  }

  /// Adjusts the pass when we've found the end of the stream, or when a later decode has a
  /// different frame number for it.
  private mutating func moveEnd(from end: Int64) {
    // now that we know the end, we can report markers beyond it
    if !isPassBegun { return setPass() }
    let now = planner.limits.endFrame
    if end != unknownFrame, now != unknownFrame, pass.endFrame == end { pass.endFrame = now }
  }

  /// How many frames we can send now, within this block and pass.
  var sendableFrames: Int64 {
    guard let index, leftInPass > 0 else { return 0 }
    let most = min(leftInPass, max(Int64(planner.limits.rate / buffersPerSecond), 1))
    return min(most, planner.readyFrames(direction, index))
  }

  /// The next frames, in stream order. `nil` if the cache doesn't have them.
  func nextFrames(_ count: Int64) -> TimeBlocksSpan? {
    guard let index, let block = planner.cache.block(at: index) else { return nil }
    let lowest = isBackward ? index &- count &+ 1 : index
    return TimeBlocksSpan(
      format: block.decode.pointee.format, samples: UnsafeRawPointer(block.address(of: lowest)),
      plane_bytes: block.decode.pointee.planeBytes, frames: Int(truncatingIfNeeded: count),
      frame: planner.cache.frame(at: lowest))
  }

  /// Frames left in the pass. `Int64.max` if we don't know where it ends.
  var leftInPass: Int64 {
    guard let index else { return planner.isExhausted ? 0 : .max }
    // if timestamps are invalid, the playhead may have gone past the end of the pass
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

  var isOnLastPass: Bool { index != nil && planner.settings.loop == TIMEDSP_LOOP_NONE }

  /// Where the pass stops, or `nil` if it stops at the end of the stream.
  var stopInStream: Int64? {
    guard pass.hasKnownEnd else { return nil }
    let end = planner.limits.endFrame
    return end == unknownFrame || pass.endFrame < end ? pass.endFrame : nil
  }

  /// The stream has audio, because we've recorded its start, but we can't find its end.
  var hasLostStream: Bool {
    index == nil && planner.start.decode != nil && isBackward && planner.boundary == unknownFrame
  }
}

// ---- passes ----
extension Cursor {
  /// True if this is the end of the stream, rather than an earlier stop position that was set by a
  /// seek.
  private func isOpenEnd(_ boundary: Int64) -> Bool {
    var end = planner.limits.endFrame
    if end == unknownFrame { end = target.end_frame }
    return boundary == unknownFrame || (end != unknownFrame && boundary >= end)
  }

  /// The range to play, ignoring any loop. A seek position by itself isn't a limit, so you can play
  /// past it after changing direction. If the seek sets the other end as well, it is.
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

  /// The range between the current markers, within `bounds`. It's all of `bounds` if there's no
  /// loop.
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
    planner.report(TimeBlocksReport(found))
    reportedMarkers = markers
  }

  /// Sets the pass to the range of the loop. If the playhead is already past it, we play to the end
  /// of `bounds` instead.
  private mutating func setPass() {
    let bounds = bounds
    loop = planner.settings.loop
    pass = loopRange(bounds)
    isPassBegun = false
    if isBeyond(pass) { pass = bounds }
  }

  /// True if there's nothing left to play of `range` in this direction, and the last frame we
  /// played isn't inside it.
  private func isBeyond(_ range: FrameRange) -> Bool {
    let boundary = boundary
    if boundary == unknownFrame { return false }
    if let playedFrame, range.contains(playedFrame) { return false }
    if isBackward { return boundary <= range.firstFrame }
    return range.hasKnownEnd && boundary >= range.endFrame
  }

  /// Sets the pass again if the loop has been switched on or off, because that takes effect
  /// immediately. Moving markers only takes effect at the next pass. Returns true if we've set the
  /// pass.
  mutating func followSwitch() -> Bool {
    let isLoop = planner.settings.loop != TIMEDSP_LOOP_NONE
    guard isLoop != (loop != TIMEDSP_LOOP_NONE) else { return false }
    setPass()
    return true
  }

  /// True if this pass ends at the end of `bounds`, outside the loop `range`.
  private func endsBeyond(_ range: FrameRange, _ bounds: FrameRange) -> Bool {
    if isBackward {
      return pass.firstFrame <= bounds.firstFrame && range.firstFrame > bounds.firstFrame
    }
    return (!pass.hasKnownEnd || pass.endFrame >= bounds.endFrame)
      && range.endFrame < bounds.endFrame
  }

  mutating func nextPass() -> Bool {
    let bounds = bounds
    let loop = planner.settings.loop
    var range = loopRange(bounds)
    // a pass that begins at its own end is empty, and we stop after two in a row
    emptyPasses = isPassBegun ? 0 : emptyPasses &+ 1
    if loop == TIMEDSP_LOOP_NONE || emptyPasses > 1 { return false }
    // if we're outside the markers, a ping-pong loop turns around at the end of `bounds` first
    if loop == TIMEDSP_LOOP_PING_PONG, endsBeyond(range, bounds) { range = bounds }
    guard var next = range.nextPass(loop, direction) else { return false }
    // if we haven't played anything, we haven't played the frame at the end either, so begin with
    // it
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
}

extension TimeDSPDirection {
  init(velocity: Double) { self = velocity < 0 ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD }

  var velocity: Double { self == TIMEDSP_BACKWARD ? -1 : 1 }
}

extension TimeBlocksTarget {
  /// Plays the whole stream, from its beginning, or backward from its end.
  init(_ direction: TimeDSPDirection) {
    self.init()
    velocity = direction.velocity
    stop_frame = unknownFrame
    end_frame = unknownFrame
    last_frame = unknownFrame
  }

  var direction: TimeDSPDirection { TimeDSPDirection(velocity: velocity) }

  /// True if playback jumps to a new position. Otherwise, it continues after the last frame sent.
  fileprivate var isElsewhere: Bool {
    move == TIMEBLOCKS_GO_TO || (move == TIMEBLOCKS_START && last_frame == unknownFrame)
  }
}

/// Where a pass begins. A pass plays a range of the stream once, in one direction.
struct PassStart: Equatable {
  /// The first frame. `unknownFrame` stands for the last one if we don't know the end.
  var frame: Int64
  var direction: TimeDSPDirection
}

struct FrameRange {
  var firstFrame: Int64
  /// The range ends before this frame. `unknownFrame` means that we don't know where the stream
  /// ends.
  var endFrame: Int64

  var hasKnownEnd: Bool { endFrame != unknownFrame }
  var isEmpty: Bool { endFrame == firstFrame }

  func contains(_ frame: Int64) -> Bool {
    frame >= firstFrame && (!hasKnownEnd || frame < endFrame)
  }

  /// The part of the range between two loop markers. `found` says what we had to correct, if
  /// anything.
  ///
  /// - A marker of `unknownFrame` isn't set, so the result begins or ends where `self` does.
  /// - Markers outside the range are clamped to it.
  /// - Markers in the wrong order are swapped.
  /// - Markers without a frame between them are ignored.
  ///
  /// We only report one correction, and prefer empty to crossed, and crossed to clamped.
  func between(_ start: Int64, _ stop: Int64) -> (range: FrameRange, found: TimeBlocksCode?) {
    let isCrossed = start != unknownFrame && stop != unknownFrame && stop < start
    let (start, stop) = isCrossed ? (stop, start) : (start, stop)
    let range = FrameRange(
      firstFrame: start == unknownFrame ? firstFrame : clamped(start),
      endFrame: stop == unknownFrame ? endFrame : clamped(stop))
    let isWhole = start == unknownFrame && stop == unknownFrame
    if range.isEmpty, !isWhole { return (self, TIMEBLOCKS_MARKERS_EMPTY) }
    if isCrossed { return (range, TIMEBLOCKS_MARKERS_CROSSED) }
    let isClamped = isOutside(start) || isOutside(stop)
    return (range, isClamped ? TIMEBLOCKS_MARKERS_CLAMPED : nil)
  }

  private func clamped(_ marker: Int64) -> Int64 {
    let bounded = max(marker, firstFrame)
    return hasKnownEnd ? min(bounded, endFrame) : bounded
  }

  private func isOutside(_ marker: Int64) -> Bool {
    marker != unknownFrame && clamped(marker) != marker
  }

  /// Where to continue once this range has been played in `direction`.
  ///
  /// REPEAT continues at the other end in the same direction. PING_PONG changes the direction and
  /// continues with the frame next to the last one, so that you don't hear the frame at the end
  /// twice. If the range only has one frame, you do hear it again. There isn't a next pass after
  /// NONE or an empty range.
  func nextPass(_ loop: TimeDSPLoop, _ direction: TimeDSPDirection) -> PassStart? {
    if loop == TIMEDSP_LOOP_NONE || isEmpty { return nil }
    let isForward = direction == TIMEDSP_FORWARD
    let isRepeat = loop == TIMEDSP_LOOP_REPEAT
    if !hasKnownEnd, isForward != isRepeat {
      return PassStart(frame: unknownFrame, direction: direction)
    }
    if isRepeat {
      return PassStart(frame: isForward ? firstFrame : endFrame &- 1, direction: direction)
    }
    if isForward {
      return PassStart(frame: max(endFrame &- 2, firstFrame), direction: TIMEDSP_BACKWARD)
    }
    let second = firstFrame &+ 1
    return PassStart(
      frame: second == endFrame ? firstFrame : second, direction: TIMEDSP_FORWARD)
  }
}
