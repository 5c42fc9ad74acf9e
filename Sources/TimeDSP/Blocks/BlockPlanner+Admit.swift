// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// When a run has arrived, we check it before it goes to the cache.
extension BlockPlanner {
  /// If the run that has arrived is sound, its block goes to the cache. The playhead is at `index`
  /// and moves in `direction`.
  mutating func admit(_ direction: TimeDSPDirection, _ index: Int64) -> Step {
    let run = arrived
    arrived = nil
    guard let run else { return .idle }
    if case .awaited = start {
      return admitStart(run)
    }
    guard run == fetching else {
      FetchedRun.free(run)  // the cache for which this run was fetched has been cleared
      return .active
    }
    if let failure = fault(of: run.pointee) {
      FetchedRun.free(run)
      return .failed(failure)
    }
    fetching = nil
    if wantsAgain(run.pointee) { return fetchAgain(run) }
    if firstFrame > 0, beginsLate(run.pointee) { return fetchFromZero(run) }
    if run.pointee.lacksBeginning { return reachBack(run) }
    if run.pointee.frames > 0 { format = run.pointee.format }
    examineStart(run.pointee)
    if let missing = missingOfStart(run.pointee) {
      if !run.pointee.isRetry { return fetchAgain(run) }
      FetchedRun.free(run)
      return .failed(TimeBlocksReport(TIMEBLOCKS_BROKEN_OFF, at: missing))
    }
    noteEnds(run.pointee)
    return join(run, direction, index)
  }

  /// Why we can't use `run`, or `nil` if we can.
  private func fault(of run: FetchedRun) -> TimeBlocksReport? {
    if run.state == .noMemory { return TimeBlocksReport(TIMEBLOCKS_NO_MEMORY) }
    let isOther = run.format.rate > 0 && run.format.id != format.id
    let hasAudio = start.run != nil || !cache.isEmpty
    return isOther && hasAudio ? TimeBlocksReport(TIMEBLOCKS_FORMAT_CHANGED) : nil
  }

  private mutating func admitStart(_ run: RunPointer) -> Step {
    start = .none
    if let failure = fault(of: run.pointee) {
      FetchedRun.free(run)
      return .failed(failure)
    }
    // if a seek has stopped it, the stream doesn't end there
    if run.pointee.isAtEnd, startMayStopEarly {
      run.pointee.state = .complete
      run.pointee.fetch.endFrame = run.pointee.nextFrame
    }
    noteEnds(run.pointee)
    if run.pointee.frames > 0 {
      start = .trusted(run)
    } else {
      FetchedRun.free(run)
    }
    return .active
  }

  /// We fetch `run` again if the kind of seek has changed since we requested it, or if upstream has
  /// ended it too early for the first time.
  private func wantsAgain(_ run: FetchedRun) -> Bool {
    !run.isContinued && run.hasBrokenOff && !run.isRetry
  }

  private mutating func fetchAgain(_ run: RunPointer) -> Step {
    let (plan, join, isRetry) = (
      run.pointee.fetch, run.pointee.joinFrame,
      run.pointee.hasBrokenOff || missingOfStart(run.pointee) != nil
    )
    FetchedRun.free(run)
    return fetch(plan, join: join, isRetry: isRetry)
  }

  /// Audio is missing in `run`, so we drop it, and the next seek goes back farther. Fails if the
  /// seek already was to the first frame.
  private mutating func reachBack(_ run: RunPointer) -> Step {
    let isFromFirst = isFromFirst(run.pointee)
    FetchedRun.free(run)
    extraLeadIn = max(2 &* extraLeadIn, Int64(limits.rate))
    return isFromFirst ? .failed(TimeBlocksReport(TIMEBLOCKS_AUDIO_MISSING)) : .active
  }

  /// The seek was to the first frame of the stream, or before it.
  func isFromFirst(_ run: FetchedRun) -> Bool { run.fetch.seekHalfFrames <= firstFrame &<< 1 }

  /// Wanted frames are missing, although the seek was to the beginning of the stream.
  private func beginsLate(_ run: FetchedRun) -> Bool {
    isFromFirst(run) && !run.hasSkipped
      && run.firstFrame > max(firstFrame, run.fetch.keepFirstFrame)
  }

  /// In MPEG-PS, a seek to the first frame misses some audio that a seek to 0 returns.
  private mutating func fetchFromZero(_ run: RunPointer) -> Step {
    firstFrame = 0
    return fetchAgain(run)
  }

  /// If `run` belongs to the same stream, we trust the recorded start. Otherwise, we forget it. In
  /// the same stream, the offsets of timestamps differ by at most `offsetTolerance`.
  private mutating func examineStart(_ run: FetchedRun) {
    guard let start = start.run, run.frames > 0 else { return }
    let apart = run.offset.subtractingReportingOverflow(start.pointee.offset)
    if !apart.overflow, apart.partialValue.magnitude <= offsetTolerance {
      self.start = .trusted(start)
    } else {
      forgetStart()
    }
  }

  /// If `run` has reached the end of the stream before the end of the recorded start, how many of
  /// its frames are missing.
  private func missingOfStart(_ run: FetchedRun) -> Int64? {
    guard case .trusted(let start) = start, run.isAtEnd, run.nextFrame != unknownFrame else {
      return nil
    }
    let missing = start.pointee.nextFrame &- run.nextFrame
    return missing > limits.searchFrames ? missing : nil
  }

  /// A stream may begin after frame 0, and end elsewhere than upstream says. `run` shows where.
  private mutating func noteEnds(_ run: FetchedRun) {
    if run.isAtEnd, run.nextFrame != unknownFrame, !run.hasBrokenOff {
      limits.endFrame = run.nextFrame
    }
    if beginsLate(run) { firstFrame = run.firstFrame }
  }

  /// Adds the block of `run` to the cache. If its neighbour has been dropped since we planned the
  /// run, we free the run.
  private mutating func join(
    _ run: RunPointer, _ direction: TimeDSPDirection, _ index: Int64
  ) -> Step {
    let join = run.pointee.joinFrame
    if let lowest = cache.lowest, let highest = cache.highest, join != unknownFrame {
      let isAbove = join == run.pointee.fetch.firstFrame
      if isAbove, join == highest.end { return admit(run, TIMEDSP_FORWARD, direction, index) }
      if !isAbove, join == lowest.first { return admit(run, TIMEDSP_BACKWARD, direction, index) }
    } else if cache.isEmpty, join == unknownFrame {
      return admitFirst(run, direction)
    }
    FetchedRun.free(run)  // the block that it should be joined to has been dropped
    return .active
  }

  /// After a jump, this is the first run. If it's empty, we decide where to continue.
  private mutating func admitFirst(_ run: RunPointer, _ direction: TimeDSPDirection) -> Step {
    if run.pointee.frames > 0 {
      let block = Block(run)
      boundary = direction == TIMEDSP_BACKWARD ? block.end : block.first
      // thanks to this run, we may trust the recorded start again
      if addStart(direction) { FetchedRun.free(run) } else { addBlock(run, direction, cut: 0) }
      return .active
    }
    if !run.pointee.isAtEnd { return goOnAfterHole(run, direction) }
    let hasEnded = run.pointee.nextFrame == unknownFrame
    // The run is empty. Forward, or in an empty stream, there's nothing left to play. Backward, we
    // continue at the end of the stream. If no frame at all has arrived, we must search for that
    // end again.
    if direction == TIMEDSP_FORWARD || (isFromFirst(run.pointee) && hasEnded) {
      isExhausted = true
    } else {
      boundary = unknownFrame
      if hasEnded {
        let fetch = run.pointee.fetch
        if fetch.keepEndFrame != unknownFrame { estimate = fetch.endFrame }
        limits.endFrame = unknownFrame
        attempt &+= 1
      }
    }
    FetchedRun.free(run)
    return .active
  }

  /// The stream hasn't ended, but the run has no frame of its planned block. Either the seek went
  /// too far, or the stream has a gap, or it begins after the block. We continue after a gap, or in
  /// reverse before it.
  private mutating func goOnAfterHole(_ run: RunPointer, _ direction: TimeDSPDirection) -> Step {
    let hasSkipped = run.pointee.hasSkipped
    if !hasSkipped, !isFromFirst(run.pointee) { return reachBack(run) }
    if direction == TIMEDSP_FORWARD {
      boundary = run.pointee.nextFrame
    } else if hasSkipped {
      boundary = run.pointee.fetch.firstFrame
    } else {
      isExhausted = true
    }
    FetchedRun.free(run)
    return .active
  }

  private mutating func addBlock(_ run: RunPointer, _ direction: TimeDSPDirection, cut: Int) {
    let isConfirmed = isFromFirst(run.pointee)
    cache.add(run, direction, cut: cut)
    if isConfirmed { cache.confirm(direction) }
    blocks &+= 1
    stats.blocks &+= 1
  }
}

// Here runs meet a block of the cache.
extension BlockPlanner {
  /// Joins `run` to the lowest block (`side` is backward) or to the highest one. If they don't
  /// match, we fetch both again with a longer preroll, or crossfade.
  private mutating func admit(
    _ run: RunPointer, _ side: TimeDSPDirection, _ playing: TimeDSPDirection, _ index: Int64
  ) -> Step {
    guard let block = side == TIMEDSP_BACKWARD ? cache.lowest : cache.highest else {
      FetchedRun.free(run)
      return .active
    }
    var cut = 0
    let ahead = side == TIMEDSP_BACKWARD ? index &- block.index &+ 1 : block.endIndex &- index
    if !run.pointee.isContinued {
      let seam = Seam(of: run, with: block, side, limits)
      switch seam.find() {
      case .equal(let foundCut):
        cut = foundCut
        stats.seamsEqual &+= 1
        reports.add(
          TimeBlocksReport(TIMEBLOCKS_SEAM_EQUAL, at: run.pointee.joinFrame, ahead: ahead))
      case .shifted(let foundCut):
        cut = foundCut
        stats.seamsShifted &+= 1
        reports.add(
          TimeBlocksReport(TIMEBLOCKS_SEAM_SHIFTED, at: run.pointee.joinFrame, ahead: ahead))
      case .unequal:
        if mayWiden(run.pointee) { return widen(run, side, playing, index) }
        if let stop = fade(seam, &cut, ahead) { return stop }
      }
    }
    if bringsNothing(run.pointee, side, cut) { return reachBack(run) }
    extraLeadIn = 0
    if side == TIMEDSP_BACKWARD { cache.confirmLowest() }
    addBlock(run, side, cut: cut)
    return .active
  }

  /// Audio is missing at the seek target, so the cache gets no frames.
  private func bringsNothing(_ run: FetchedRun, _ side: TimeDSPDirection, _ cut: Int) -> Bool {
    if run.isContinued || run.isAtEnd { return false }
    if isFromFirst(run), !run.hasSkipped { return false }
    return side == TIMEDSP_BACKWARD ? cut == 0 : cut >= run.frames
  }

  private func mayWiden(_ run: FetchedRun) -> Bool {
    if isFromFirst(run), run.joinFrame != unknownFrame { return false }
    return limits.prerollFrames < widestPreroll
  }

  /// If two runs differ, the decoder's output wasn't right yet in one of them. So we double the
  /// preroll, and fetch the run again. If `run` is below the lowest block, and you've heard nothing
  /// of that, we fetch it again, too.
  private mutating func widen(
    _ run: RunPointer, _ side: TimeDSPDirection, _ playing: TimeDSPDirection, _ index: Int64
  ) -> Step {
    let frame = run.pointee.fetch.firstFrame
    FetchedRun.free(run)
    setPreroll(max(limits.prerollFrames &* 2, minPrerollFrames))
    stats.prerollsWidened &+= 1
    reports.add(
      TimeBlocksReport(TIMEBLOCKS_PREROLL_WIDENED, at: frame, value: Double(limits.prerollFrames)))
    guard side == TIMEDSP_BACKWARD, let lowest = cache.lowest, !lowest.isConfirmed else {
      return .active
    }
    let top = lowest.endIndex &- 1
    let isNext = index == top && playing == TIMEDSP_BACKWARD
    if cache.count == 1, isNext {
      // the next run may give the end of the stream another frame number
      jump(to: lowest.isAtEnd ? unknownFrame : lowest.end, TIMEDSP_BACKWARD)
    } else if cache.count > 1, index > top || isNext {
      cache.dropLowest()
    }
    return .active
  }

  /// A longer preroll doesn't make these runs equal, so we crossfade, and set `cut`. If we can't,
  /// we drop the run, and return the next step.
  private mutating func fade(_ seam: Seam, _ cut: inout Int, _ ahead: Int64) -> Step? {
    let run = seam.run.pointee
    let isStart = run.joinFrame == unknownFrame
    if !isFromFirst(run) {
      widestPreroll = automaticPreroll
      setPreroll(automaticPreroll)
    }
    if run.hasBrokenOff {
      let missing = run.joinFrame &- run.nextFrame
      FetchedRun.free(seam.run)
      return .failed(TimeBlocksReport(TIMEBLOCKS_BROKEN_OFF, at: missing))
    }
    if settings.is_exact != 0 {
      FetchedRun.free(seam.run)
      return .failed(TimeBlocksReport(TIMEBLOCKS_NOT_EXACT))
    }
    let faded = seam.fade(onlySimilar: isStart, by: convert)
    cut = faded.cut
    if isStart, !faded.difference.isSimilar {
      FetchedRun.free(seam.run)
      forgetStart()  // fetch the beginning instead
      return .active
    }
    let isBackward = seam.direction == TIMEDSP_BACKWARD
    note(faded.difference, at: isBackward ? seam.block.first : seam.block.end, ahead)
    return nil
  }

  private mutating func note(_ difference: SeamDifference, at frame: Int64, _ ahead: Int64) {
    stats.seamsFaded &+= 1
    let isOdd =
      !difference.isSimilar && !oddSeams.isFull
      && oddSeams.firstIndex(where: { $0 == frame }) == nil
    if isOdd { oddSeams.append(frame) }
    reports.add(
      TimeBlocksReport(
        isOdd ? TIMEBLOCKS_SEAM_ODD : TIMEBLOCKS_SEAM_FADED, at: frame,
        value: difference.error, ahead: ahead))
  }

  /// The recorded start goes below the lowest block.
  mutating func joinStart(_ index: Int64) -> Step {
    guard let kept = start.run, let lowest = cache.lowest else { return .active }
    do throws(TimeDSPStatus) {
      let run = try kept.pointee.copied()
      // count back from the end of the recorded start, as `lowestAboveStart` does
      let count = Int64(truncatingIfNeeded: run.pointee.frames)
      let begin = run.pointee.nextFrame &- count
      run.pointee.foundJoin = min(max(lowest.first &- begin, 0), count)
      return admit(run, TIMEDSP_BACKWARD, TIMEDSP_BACKWARD, index)
    } catch {
      FetchedRun.free(kept)
      start = .none  // fall back to fetching the beginning
      return .active
    }
  }
}
