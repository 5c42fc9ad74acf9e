// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames are sent in buffers of 1/25 s: a turn waits for one at most.
private let buffersPerSecond: UInt32 = 25

/// Where play is in the stream, which way it goes, and where its passes end.
///
/// It owns all that its pointers lead to, so it may go from thread to thread.
struct Cursor: ~Copyable, @unchecked Sendable {
  var planner: BlockPlanner
  /// What is being served.
  private var target = Target()
  private(set) var direction = TIMEDSP_FORWARD
  /// Direction of the last seek, or of the beginning.
  private var targetDirection = TIMEDSP_FORWARD

  /// Heard next, an index of the block cache; `nil`: nothing is there yet, and play
  /// is at the boundary of the planner.
  private(set) var index: Int64?
  /// Played last: the frame before `index` in play, or a frame of the stream if there is no
  /// index; `nil`: nothing has been played since play came here.
  private var last: Int64?

  /// Where play was before the pass: the boundary of the stream, and the frame that was played
  /// last, if any was; `nil`: some of the pass has been played, or play has come from elsewhere.
  private var before: (boundary: Int64, played: Int64?)?

  /// What is played up to its end, and what happens there.
  private var loop = TIMEDSP_LOOP_NONE
  private(set) var pass = FrameRange(firstFrame: 0, endFrame: unknownFrame)
  /// Some of the pass has been played.
  private var isPassBegun = false
  /// Nothing has been played of so many, one after the other.
  private var emptyPasses = 0
  /// The markers that have been reported.
  private var reportedMarkers = (start: unknownFrame, stop: unknownFrame)

  init(convert: TimePlayConvert) throws(TimeDSPStatus) {
    planner = try BlockPlanner(convert: convert)
  }

  var isBackward: Bool { direction == TIMEDSP_BACKWARD }

  private func step(_ frames: Int64) -> Int64 { isBackward ? 0 &- frames : frames }

  /// Play begins anew, in audio like `format`.
  mutating func open(_ format: TimePlayFormat) {
    planner.open(format)
    index = nil
    last = nil
    reportedMarkers = (unknownFrame, unknownFrame)
  }

  /// Boundary of the stream where play is; `unknownFrame`: its unknown end.
  var boundary: Int64 {
    guard let index else { return planner.boundary }
    return planner.cache.frame(at: isBackward ? index &+ 1 : index)
  }
}

// Going from place to place.
extension Cursor {
  private mutating func find(_ boundary: Int64) -> Bool {
    index = nil
    guard boundary != unknownFrame, let found = planner.cache.index(of: boundary) else {
      return false
    }
    index = isBackward ? found &- 1 : found
    return true
  }

  /// Goes on at `boundary` of the stream; `unknownFrame`: its end.
  private mutating func go(to boundary: Int64) {
    let end = planner.limits.endFrame
    let isBeyond = end != unknownFrame && (boundary == unknownFrame || boundary > end)
    let boundary = isBeyond ? end : boundary
    last = nil
    before = nil
    if find(boundary) { return }
    planner.jump(to: boundary, direction)
    _ = find(boundary)  // it may begin with the start
  }

  /// The frame after n is n - 1, or n + 1.
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
      // Back over the frame that was played last, which is not played again.
      self.index = (last ?? index) &+ step(1)
      return
    }
    // An empty cache will take its indices from the stream.
    var boundary = planner.boundary
    if let last { boundary = isBackward ? last : last &+ 1 }
    planner.jump(to: boundary, direction)
  }

  /// Goes on beside `frame`, which was played last, or at `boundary`: play has moved since then,
  /// and nothing has been played there.
  private mutating func goBack(to boundary: Int64, after frame: Int64?) {
    guard let frame else { return go(to: boundary) }
    go(to: isBackward ? frame : frame &+ 1)
    last = index.map { $0 &- step(1) } ?? frame
  }

  /// Goes to `target`.
  mutating func serve(_ target: Target) {
    self.target = target
    switch target.kind {
    case .resume: break
    case .start, .goTo:
      targetDirection = target.kind.isElsewhere ? target.direction : TIMEDSP_FORWARD
    }
    emptyPasses = 0
    locate(target)
    setPass()
  }

  private mutating func locate(_ target: Target) {
    let isOtherStream = target.format.rate > 0
    if case .resume = target.kind, !isOtherStream {
      turnOnly(target.direction)
      return
    }
    direction = target.direction
    if isOtherStream { planner.startOver(target.format) }
    if case .start(let frame) = target.kind {
      if frame != unknownFrame {
        go(to: isBackward ? frame : frame &+ 1)
        last = frame
        return
      }
    } else {
      planner.doubtStart()
    }
    go(to: isBackward ? target.stopFrame : target.startFrame)
  }

  /// Moves on by `frames` that have been sent.
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
  /// Takes in what has arrived and has more fetched.
  mutating func fetch() -> BlockPlanner.Step {
    let admitted = admit()
    switch admitted {
    case .failed, .fetch, .askDuration, .askPromise: return admitted
    case .idle, .active: break
    }
    let filled = planner.fill(direction, index ?? 0, pass)
    if case .idle = filled { return admitted }
    return filled
  }

  /// Takes in what has arrived.
  mutating func admit() -> BlockPlanner.Step {
    let end = planner.limits.endFrame
    let admitted = planner.admit(direction, index ?? 0)
    if index != nil, planner.cache.isEmpty {
      index = nil  // it is being fetched once more
      if last != nil { last = planner.boundary }
    }
    if index == nil, !find(planner.boundary), let block = planner.cache.highest {
      index = isBackward ? block.endIndex &- 1 : block.index
    }
    if planner.limits.endFrame != end { moveEnd(from: end) }
    return admitted
  }

  /// The end of the stream is found, or numbered otherwise by another run.
  private mutating func moveEnd(from end: Int64) {
    // Markers beyond the end can be reported only now.
    if !isPassBegun { return setPass() }
    let now = planner.limits.endFrame
    if end != unknownFrame, now != unknownFrame, pass.endFrame == end { pass.endFrame = now }
  }

  /// Frames that can be sent now, of this block and this pass.
  var readyFrames: Int64 {
    guard let index, leftInPass > 0 else { return 0 }
    return min(leftInPass, planner.readyFrames(direction, index))
  }

  /// Frames of one buffer that can be sent now.
  var sendableFrames: Int64 {
    min(readyFrames, max(Int64(planner.limits.rate / buffersPerSecond), 1))
  }

  /// The next `count` frames; `nil`: they are not there.
  func nextFrames(_ count: Int64) -> BlockFrames? {
    guard let index, let block = planner.cache.block(at: index) else { return nil }
    let lowest = isBackward ? index &- count &+ 1 : index
    return BlockFrames(
      samples: UnsafeRawPointer(block.address(of: lowest)),
      planeBytes: block.run.pointee.planeBytes, format: block.run.pointee.format,
      count: Int(truncatingIfNeeded: count),
      frame: planner.cache.frame(at: lowest))
  }

  /// Frames that still belong to the pass; `Int64.max`: no end in sight.
  var leftInPass: Int64 {
    guard let index else { return planner.isExhausted ? 0 : .max }
    // Timestamps that make no sense may have led beyond the end of the pass.
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

  /// No other pass follows.
  var isOnLastPass: Bool { index != nil && planner.settings.loop == TIMEDSP_LOOP_NONE }

  /// The frame where the pass stops, if the stream goes on after it.
  var stopInStream: Int64? {
    guard pass.hasKnownEnd else { return nil }
    let end = planner.limits.endFrame
    return end == unknownFrame || pass.endFrame < end ? pass.endFrame : nil
  }

  /// Whether there is no end to be found of a stream that has begun.
  var hasLostStream: Bool {
    index == nil && planner.start.run != nil && isBackward && planner.boundary == unknownFrame
  }
}

// Passes.
extension Cursor {
  /// Whether the segment ends at `boundary` because less was not asked for.
  private func isOpenEnd(_ boundary: Int64) -> Bool {
    var end = planner.limits.endFrame
    if end == unknownFrame { end = target.endFrame }
    return boundary == unknownFrame || (end != unknownFrame && boundary >= end)
  }

  /// What is to be played. The seek target is no bound, unless the seek
  /// said where to stop, too: after a turn, play goes on past it.
  private var bounds: FrameRange {
    let end = planner.limits.endFrame
    var bounds = FrameRange(firstFrame: target.startFrame, endFrame: target.stopFrame)
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

  /// What the loop between the markers plays, as they are now; all of `bounds` where
  /// there is none.
  private mutating func loopRange(_ bounds: FrameRange) -> FrameRange {
    let settings = planner.settings
    guard settings.loop != TIMEDSP_LOOP_NONE else { return bounds }
    guard bounds.firstFrame >= 0, !bounds.hasKnownEnd || bounds.endFrame >= 0 else {
      return bounds
    }
    let (range, found) = bounds.between(settings.loopStartFrame, settings.loopStopFrame)
    report(found, settings)
    return range
  }

  private mutating func report(_ found: TimePlayReport?, _ settings: BlockSettings) {
    let markers = (start: settings.loopStartFrame, stop: settings.loopStopFrame)
    guard let found, markers != reportedMarkers else { return }
    planner.reports.add(Report(code: found))
    reportedMarkers = markers
  }

  /// Where this pass ends. What is already beyond a marker goes on to the end.
  private mutating func setPass() {
    let bounds = bounds
    loop = planner.settings.loop
    pass = loopRange(bounds)
    isPassBegun = false
    if isBeyond(pass) { pass = bounds }
  }

  /// Whether play is at the end of `range` or beyond it, and has not just come there.
  private func isBeyond(_ range: FrameRange) -> Bool {
    let boundary = boundary
    if boundary == unknownFrame { return false }
    if let playedFrame, range.contains(playedFrame) { return false }
    if isBackward { return boundary <= range.firstFrame }
    return range.hasKnownEnd && boundary >= range.endFrame
  }

  /// Sets the pass anew if a loop has been switched on or off, which acts at once;
  /// markers that move wait for the next pass. `false`: it has not.
  mutating func followSwitch() -> Bool {
    let isLoop = planner.settings.loop != TIMEDSP_LOOP_NONE
    guard isLoop != (loop != TIMEDSP_LOOP_NONE) else { return false }
    setPass()
    return true
  }

  /// Whether what began beyond the markers of `range` ends at an end of `bounds`.
  private func endsBeyond(_ range: FrameRange, _ bounds: FrameRange) -> Bool {
    if isBackward {
      return pass.firstFrame <= bounds.firstFrame && range.firstFrame > bounds.firstFrame
    }
    return (!pass.hasKnownEnd || pass.endFrame >= bounds.endFrame)
      && range.endFrame < bounds.endFrame
  }

  /// Goes on with the next pass; `false`: there is none.
  mutating func nextPass() -> Bool {
    let bounds = bounds
    let loop = planner.settings.loop
    var range = loopRange(bounds)
    // Play may begin where a pass ends, but not every pass.
    emptyPasses = isPassBegun ? 0 : emptyPasses &+ 1
    if loop == TIMEDSP_LOOP_NONE || emptyPasses > 1 { return false }
    // Ping-pong turns at the end, and comes to the markers in time.
    if loop == TIMEDSP_LOOP_PING_PONG, endsBeyond(range, bounds) { range = bounds }
    guard var next = step(after: range, loop) else { return false }
    // The frame at a turn is played once, also if play begins there.
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

  /// Where play goes on after `range`, with an unknown frame for the end of a stream
  /// that has none yet; `nil`: nowhere.
  private func step(after range: FrameRange, _ loop: TimeDSPLoop) -> PassStart? {
    do throws(TimeDSPStatus) {
      let next = try range.nextPass(loop, direction)
      return next.frame == unknownFrame ? nil : next
    } catch {
      return PassStart(frame: unknownFrame, direction: direction)
    }
  }
}
