// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Below the block at the playhead. We can't play the lowest one until the next run has confirmed
/// its beginning.
private let blocksAheadBackward = 2
/// Above the block at the playhead.
private let blocksAheadForward = 1

extension BlockPlanner {
  /// Requests a fetch if the cache has too little for the playhead, which is at `index` and plays
  /// `pass` in `direction`.
  mutating func fill(
    _ direction: TimeDSPDirection, _ index: Int64, _ pass: FrameRange
  ) -> Step {
    if fetching != nil { return .idle }
    guard let lowest = cache.lowest, let highest = cache.highest else {
      return fetchFirst(direction)
    }
    let isBackward = direction == TIMEDSP_BACKWARD
    guard isBackward ? wantsBelow(lowest, index, pass) : wantsAbove(highest, index, pass) else {
      return .idle
    }
    dropPlayed(direction, index)
    let boundary = isBackward ? lowest.first : highest.end
    if isBackward, start.run != nil, boundary <= lowestAboveStart { return joinStart(index) }
    let plan =
      isBackward ? planBelow(boundary) : plan(limits, direction, boundary, joined: true, blocks)
    guard let plan, plan.firstFrame != plan.endFrame else {
      // there's nothing left on this side
      if !isBackward {
        cache.endHighest()
        return .idle
      }
      cache.confirmLowest()
      firstFrame = boundary
      return .active
    }
    return fetch(plan, join: boundary, isRetry: false)
  }

  private func wantsBelow(_ lowest: Block, _ index: Int64, _ pass: FrameRange) -> Bool {
    if lowest.first <= firstFrame { return false }
    if lowest.isConfirmed, lowest.first <= pass.firstFrame { return false }
    return cache.countBelow(index) < blocksAheadBackward
  }

  private func wantsAbove(_ highest: Block, _ index: Int64, _ pass: FrameRange) -> Bool {
    if highest.isAtEnd { return false }
    // after a shift, a block has fewer frames than its numbers say
    let fade = fadeFrames(rate: limits.rate)
    if pass.hasKnownEnd, highest.end > pass.endFrame &+ fade,
      (cache.index(of: pass.endFrame) ?? index) &+ fade <= highest.endIndex
    {
      return false
    }
    return cache.countAbove(index) < blocksAheadForward
  }

  /// We keep one, in case the direction changes.
  private mutating func dropPlayed(_ direction: TimeDSPDirection, _ index: Int64) {
    if direction == TIMEDSP_BACKWARD {
      while cache.countAbove(index) > 1 { cache.dropHighest() }
    } else {
      while cache.countBelow(index) > 1 { cache.dropLowest() }
    }
  }

  private mutating func fetchFirst(_ direction: TimeDSPDirection) -> Step {
    if isExhausted { return .idle }
    if isLookingForEnd(direction), estimate == nil { return .askDuration }
    guard let plan = planFirst(direction), plan.firstFrame != plan.endFrame else {
      isExhausted = true
      return .active
    }
    return fetch(plan, join: unknownFrame, isRetry: false)
  }

  private func isLookingForEnd(_ direction: TimeDSPDirection) -> Bool {
    direction == TIMEDSP_BACKWARD && boundary == unknownFrame && limits.endFrame == unknownFrame
  }

  private func planFirst(_ direction: TimeDSPDirection) -> Fetch? {
    if isLookingForEnd(direction) {
      let estimate = estimate ?? 0
      guard Self.isFrame(estimate), isEdgeOrUnknown(limits.endFrame) else { return nil }
      return limits.fetchOfEnd(estimate: estimate, attempt: attempt)
    }
    var boundary = boundary
    if direction == TIMEDSP_BACKWARD, boundary == unknownFrame { boundary = limits.endFrame }
    if limits.endFrame != unknownFrame { boundary = min(boundary, limits.endFrame) }
    return plan(limits, direction, boundary, joined: false, 0)
  }

  /// No fetched block begins below this boundary, so that its run shares enough frames with the
  /// recorded start for a comparison. Without a recorded start, it's 0.
  private var lowestAboveStart: Int64 {
    guard let run = start.run else { return 0 }
    return max(run.pointee.nextFrame &- limits.overlapFrames &- limits.searchFrames, 0)
  }

  /// No block below `boundary` begins below `lowestAboveStart`, so that the recorded start can join
  /// it.
  private func planBelow(_ boundary: Int64) -> Fetch? {
    let lowest = lowestAboveStart
    guard let below = plan(limits, TIMEDSP_BACKWARD, boundary, joined: true, blocks) else {
      return nil
    }
    if below.firstFrame >= lowest || boundary <= lowest { return below }
    var limits = limits
    limits.firstBlockFrames = boundary &- lowest
    limits.maxBlockFrames = boundary &- lowest
    return plan(limits, TIMEDSP_BACKWARD, boundary, joined: true, 0)
  }

  private func plan(
    _ limits: FetchLimits, _ direction: TimeDSPDirection, _ boundary: Int64, joined: Bool,
    _ blocks: UInt32
  ) -> Fetch? {
    guard Self.isFrame(boundary), isEdgeOrUnknown(limits.endFrame) else { return nil }
    return limits.fetch(direction, at: boundary, joined: joined, blocksBefore: blocks)
  }

  static func isFrame(_ frame: Int64) -> Bool { frame >= 0 && frame <= maxFrames }

  private func isEdgeOrUnknown(_ frame: Int64) -> Bool {
    frame == unknownFrame || Self.isFrame(frame)
  }

  mutating func fetch(_ plan: Fetch, join: Int64, isRetry: Bool) -> Step {
    do throws(TimeDSPStatus) {
      let run = try FetchedRun.make(plan, join: join, atMost: capacity(of: plan))
      run.pointee.fetch.seekHalfFrames = max(
        plan.seekHalfFrames &- extraLeadIn &<< 1, firstFrame &<< 1)
      run.pointee.isRetry = isRetry
      fetching = run
      return .fetch(run, join == plan.firstFrame)
    } catch {
      return .failed(TimeBlocksReport(TIMEBLOCKS_NO_MEMORY))
    }
  }

  private func capacity(of plan: Fetch) -> Int {
    let around = 2 &* (limits.overlapFrames &+ limits.searchFrames)
    var frames = limits.maxBlockFrames &+ around
    if plan.keepEndFrame == unknownFrame {
      frames = (limits.firstBlockFrames &* 4) &<< Int64(min(attempt, 10))
      frames = min(limits.maxBlockFrames, frames)
    }
    return Int(truncatingIfNeeded: frames)
  }
}

extension BlockPlanner {
  /// What we can play now from `index` on, in `direction`, within the block there.
  func readyFrames(_ direction: TimeDSPDirection, _ index: Int64) -> Int64 {
    guard let block = cache.block(at: index) else { return 0 }
    if direction == TIMEDSP_BACKWARD {
      // nothing below the first frame can confirm it, if a run that did has failed
      return block.isConfirmed || block.first <= firstFrame ? index &- block.index &+ 1 : 0
    }
    // we may still crossfade the end of the last block into the next one
    let isLast = block.run == cache.highest?.run
    let end = block.endIndex &- (isLast && !block.isAtEnd ? fadeFrames(rate: limits.rate) : 0)
    return max(end &- index, 0)
  }
}
