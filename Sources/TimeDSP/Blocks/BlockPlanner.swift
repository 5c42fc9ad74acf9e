// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Neighbouring decodes overlap by this many frames, so that we can compare them.
private let overlapFrames: Int64 = 2048
/// How far apart the frame numbers of the same audio may be in two decodes.
private let searchFrames: Int64 = 2048

private let minBlockFrames: Int64 = 1024
private let minStartFrames = 3 * (overlapFrames + searchFrames)
/// If the first block were longer, it'd no longer fit into the queue that a video has by default, and
/// the demuxer would hang there.
private let firstBlocksPerSecond: UInt32 = 10

/// The min preroll, unless a smaller one has been set.
let minPrerollFrames: Int64 = 8192
/// The automatic preroll. After a seek, the slowest decoder (Opus) takes 0.5 s to produce the right
/// output. We add some margin, because otherwise a few later frames might still be off by a
/// rounding error, even if two decodes are equal where we compare them.
private let prerollTenthsOfSecond: Int64 = 7

/// The max preroll, as a multiple of the automatic one. If two decodes still differ with it, an
/// even longer one won't help.
private let widestPrerollFactor: Int64 = 8

/// We split the memory limit this many ways, between the cache's blocks, the block we're fetching,
/// and the audio around it.
private let sharesOfMemory: UInt64 = 6

/// Plans what to fetch around the playhead, and checks that neighbouring blocks fit together.
///
/// A decode is the audio that we keep after a seek, and a block is the part of it that you hear.
/// Two blocks meet at a seam, where both decodes contain the same audio, so we can compare them. To
/// join a decode means to add its block to the cache next to another one.
struct BlockPlanner: ~Copyable {
  /// What the caller should do next.
  enum Step {
    /// There's nothing to do for now.
    case idle
    /// The planner's state has changed. Ask for the next step.
    case active
    /// Fetch this decode. If the flag is `true`, you may carry on from the previous decode without
    /// seeking.
    case fetch(DecodePointer, Bool)
    case askDuration
    case failed(TimeBlocksReport)
  }

  /// The first second of the stream, as a decoder outputs it before any seek. Some decoders keep
  /// part of their state across a seek, so a seek to the beginning may not reproduce it. That's why
  /// we record it.
  enum Start {
    case none
    /// We're recording it.
    case awaited
    /// We've recorded it, but a later seek may have reached a different stream, e.g. in an editor's
    /// timeline.
    case doubtful(DecodePointer)
    /// We've recorded it, and may use it. Either we haven't seeked, or a later fetch has shown that
    /// seeks still reach the same stream.
    case trusted(DecodePointer)

    var decode: DecodePointer? {
      switch self {
      case .none, .awaited: nil
      case .doubtful(let decode), .trusted(let decode): decode
      }
    }
  }

  let convert: TimeBlocksConvert
  var cache: BlockCache
  var reports: FixedArray<TimeBlocksReport>
  /// The frames of the seams where we've reported different audio. We report each of them once,
  /// until the list is full.
  var oddSeams: FixedArray<Int64>
  var settings = TimeBlocksSettings()
  /// Counts since the stream began.
  var stats = TimeBlocksStats()

  var format = TimeBlocksFormat()
  /// The next decode may be in another format, because it's the first one since a seek.
  var acceptsOtherFormat = true
  var limits = FetchLimits()
  /// We never seek below this frame.
  var firstFrame: Int64 = 0
  var start = Start.none
  /// Set if the end of the recorded start comes from a seek, because then the source may stop a
  /// frame too early.
  private(set) var startMayStopEarly = false
  private var automaticPreroll: Int64 = 0
  /// The max preroll in frames. If the decoder doesn't return the same audio twice even with the
  /// longest preroll, we lower this to the automatic one.
  private var widestPreroll: Int64 = 0

  /// Where the first block of an empty cache will end (backward) or begin. `unknownFrame` means the
  /// end of the stream.
  var boundary = unknownFrame
  /// There's nothing to play beyond `boundary`, so the cache stays empty.
  var isExhausted = false
  /// Our guess at an unknown end. `nil` until we've asked upstream.
  var estimate: Int64?
  /// How many fetches since the last jump were beyond the end of the stream. When searching for the
  /// end, we go back further each time.
  var attempt: UInt32 = 0
  /// Blocks since the last jump.
  var blocks: UInt32 = 0
  /// If audio was missing at a seek target, we seek back this many frames further than planned.
  private var extraLeadIn: Int64 = 0
  /// The decode being fetched. `nil` if there isn't one, or if a jump has made it useless.
  var fetching: DecodePointer?

  /// A complete decode that isn't in the cache yet.
  var arrived: DecodePointer?

  init(convert: TimeBlocksConvert) throws(TimeDSPStatus) {
    let cache = try BlockCache()
    let reports = try FixedArray<TimeBlocksReport>(capacity: 8)
    let oddSeams = try FixedArray<Int64>(capacity: 64)
    self.convert = convert
    self.cache = cache
    self.reports = reports
    self.oddSeams = oddSeams
  }

  deinit {
    Decode.free(start.decode)
    Decode.free(arrived)
  }
}

extension BlockPlanner {
  mutating func clear() {
    cache.clear()
    oddSeams.removeAll()
    Decode.free(start.decode)
    start = .none
    Decode.free(arrived)
    arrived = nil
  }

  /// Forgets everything about the stream except the statistics. The next audio is in `format`, and
  /// may be from a different stream.
  mutating func startOver(_ format: TimeBlocksFormat) {
    clear()
    self.format = format
    acceptsOtherFormat = true
    firstFrame = 0
    let preroll = (Int64(format.rate) &* prerollTenthsOfSecond &+ 5) / 10
    automaticPreroll = max(preroll, minPrerollFrames)
    if settings.preroll_frames != unknownFrame {
      automaticPreroll = min(settings.preroll_frames, Int64(Int32.max))
    }
    let frameBytes = UInt64(max(format.planes &* format.stride_bytes, 1))
    let share = (settings.max_memory_bytes / sharesOfMemory).quotient(by: frameBytes)
    let most = max(Int64(clamping: share), minBlockFrames)
    limits.rate = format.rate
    limits.endFrame = unknownFrame
    limits.maxBlockFrames = min(max(settings.max_block_frames, minBlockFrames), most)
    let first = max(Int64(format.rate / firstBlocksPerSecond), 1)
    limits.firstBlockFrames = min(first, limits.maxBlockFrames)
    limits.overlapFrames = overlapFrames
    limits.searchFrames = searchFrames
    widestPreroll = widestPrerollFactor &* max(automaticPreroll, minPrerollFrames)
    limits.prerollFrames = automaticPreroll
  }

  /// Call this when a stream has just begun with frame `first`. Returns a decode to record its
  /// start, no further than boundary `stop`, which is where the source stops. `unknownFrame` means
  /// the end of the stream. Throws if we run out of memory.
  mutating func awaitStart(
    at first: Int64, before stop: Int64
  ) throws(TimeDSPStatus) -> DecodePointer {
    let most = max(limits.maxBlockFrames, minStartFrames)
    let frames = min(max(Int64(limits.rate), minStartFrames), most)
    let isBounded = stop != unknownFrame && stop < first &+ frames
    let end = isBounded ? max(stop, first) : first &+ frames
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    let decode = try Decode.make(
      fetch, join: unknownFrame, atMost: Int(truncatingIfNeeded: 2 &* frames))
    startMayStopEarly = isBounded
    firstFrame = first
    start = .awaited
    return decode
  }

  /// Clears the cache, and continues at `boundary`.
  mutating func jump(to boundary: Int64, _ direction: TimeDSPDirection) {
    cache.clear()
    self.boundary = boundary
    blocks = 0
    attempt = 0
    estimate = nil
    extraLeadIn = 0
    isExhausted = false
    fetching = nil
    addStart(direction)
  }

  /// If the recorded start has the next frames, uses it as the first block, and returns true.
  @discardableResult
  private mutating func addStart(_ direction: TimeDSPDirection) -> Bool {
    guard case .trusted(let start) = start, Self.holds(start.pointee, boundary, direction),
      let decode = try? start.pointee.copied()
    else { return false }  // fall back to fetching the beginning
    cache.add(decode, direction, cut: 0)
    cache.confirm(direction)
    return true
  }

  /// True if the recorded start has the next frames at `boundary`.
  private static func holds(
    _ start: Decode, _ boundary: Int64, _ direction: TimeDSPDirection
  ) -> Bool {
    if direction == TIMEDSP_FORWARD {
      return boundary != unknownFrame && boundary < start.nextFrame
    }
    if boundary == unknownFrame { return start.isAtEnd }
    return boundary > start.firstFrame && (start.isAtEnd || boundary <= start.nextFrame)
  }

  /// Call this if a seek may have reached a different stream.
  mutating func doubtStart() {
    switch start {
    case .awaited: start = .none
    case .trusted(let decode): start = .doubtful(decode)
    case .none, .doubtful: break
    }
  }

  private mutating func forgetStart() {
    Decode.free(start.decode)
    start = .none
    firstFrame = 0
  }
}

/// How many blocks we fetch below the one at the playhead. We can't play the lowest one until the
/// next decode has confirmed its beginning.
private let blocksAheadBackward = 2
/// How many blocks we fetch above the one at the playhead.
private let blocksAheadForward = 1

extension BlockPlanner {
  /// Requests a fetch if the cache is running low for the playhead, which is at `index` and plays
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
    if isBackward, start.decode != nil, boundary <= lowestAboveStart { return joinStart(index) }
    let plan =
      isBackward
      ? planBelow(boundary)
      : limits.fetch(direction, at: boundary, joined: true, blocksBefore: blocks)
    guard plan.firstFrame != plan.endFrame else {
      // there's nothing left on this side
      if !isBackward {
        cache.endHighest()
        return .idle
      }
      cache.confirm(TIMEDSP_BACKWARD)
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
    // a shifted block may have fewer frames than its numbers suggest
    let fade = fadeFrames(rate: limits.rate)
    if pass.hasKnownEnd, highest.end > pass.endFrame &+ fade,
      (cache.index(of: pass.endFrame) ?? index) &+ fade <= highest.endIndex
    {
      return false
    }
    return cache.countAbove(index) < blocksAheadForward
  }

  /// Drops the blocks that we've played, except for one, in case the direction changes.
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
      return limits.fetchOfEnd(estimate: estimate ?? 0, attempt: attempt)
    }
    var boundary = boundary
    if direction == TIMEDSP_BACKWARD, boundary == unknownFrame { boundary = limits.endFrame }
    if boundary == unknownFrame { return nil }
    return limits.fetch(direction, at: boundary, joined: false, blocksBefore: 0)
  }

  /// The lowest boundary at which a fetched block may begin. Any lower, and its decode wouldn't
  /// share enough frames with the recorded start for us to compare them. It's 0 if there's no
  /// recorded start.
  private var lowestAboveStart: Int64 {
    guard let decode = start.decode else { return 0 }
    return max(decode.pointee.nextFrame &- limits.overlapFrames &- limits.searchFrames, 0)
  }

  /// Plans a block below `boundary`, but none that begins below `lowestAboveStart`, so that we can
  /// join the recorded start to it.
  private func planBelow(_ boundary: Int64) -> Fetch {
    let lowest = lowestAboveStart
    let below = limits.fetch(TIMEDSP_BACKWARD, at: boundary, joined: true, blocksBefore: blocks)
    if below.firstFrame >= lowest || boundary <= lowest { return below }
    var limits = limits
    limits.firstBlockFrames = boundary &- lowest
    limits.maxBlockFrames = boundary &- lowest
    return limits.fetch(TIMEDSP_BACKWARD, at: boundary, joined: true, blocksBefore: 0)
  }

  mutating func fetch(_ plan: Fetch, join: Int64, isRetry: Bool) -> Step {
    do throws(TimeDSPStatus) {
      let decode = try Decode.make(plan, join: join, atMost: capacity(of: plan))
      decode.pointee.fetch.seekHalfFrames = max(
        plan.seekHalfFrames &- extraLeadIn &<< 1, firstFrame &<< 1)
      decode.pointee.isRetry = isRetry
      fetching = decode
      return .fetch(decode, join == plan.firstFrame)
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
  /// How many frames we can play now in `direction`, starting at `index`, within the block that
  /// contains it.
  func readyFrames(_ direction: TimeDSPDirection, _ index: Int64) -> Int64 {
    guard let block = cache.block(at: index) else { return 0 }
    if direction == TIMEDSP_BACKWARD {
      // there's nothing below the first frame to confirm it, if a decode that did has failed
      return block.isConfirmed || block.first <= firstFrame ? index &- block.index &+ 1 : 0
    }
    // we may still have to crossfade the end of the last block into the next one
    let isLast = block.decode == cache.highest?.decode
    let end = block.endIndex &- (isLast && !block.isAtEnd ? fadeFrames(rate: limits.rate) : 0)
    return max(end &- index, 0)
  }
}

// We check each decode that arrives before we add it to the cache.
extension BlockPlanner {
  /// Checks the decode that has arrived, and if it's fine, adds its block to the cache. The
  /// playhead is at `index` and moves in `direction`.
  mutating func admit(_ direction: TimeDSPDirection, _ index: Int64) -> Step {
    let decode = arrived
    arrived = nil
    guard let decode else { return .idle }
    if case .awaited = start {
      return admitStart(decode)
    }
    guard decode == fetching else {
      Decode.free(decode)  // the cache has been cleared since we asked for it
      return .active
    }
    if let failure = fault(of: decode.pointee) {
      Decode.free(decode)
      return .failed(failure)
    }
    fetching = nil
    if wantsAgain(decode.pointee) { return fetchAgain(decode) }
    if firstFrame > 0, beginsLate(decode.pointee) { return fetchFromZero(decode) }
    if decode.pointee.lacksBeginning { return reachBack(decode) }
    if decode.pointee.frames > 0 {
      format = decode.pointee.format
      acceptsOtherFormat = false
    }
    examineStart(decode.pointee)
    if let missing = missingOfStart(decode.pointee) {
      if !decode.pointee.isRetry { return fetchAgain(decode) }
      Decode.free(decode)
      return .failed(TimeBlocksReport(TIMEBLOCKS_BROKEN_OFF, at: missing))
    }
    noteEnds(decode.pointee)
    return join(decode, direction, index)
  }

  /// The reason why we can't use `decode`, or `nil` if we can.
  private func fault(of decode: Decode) -> TimeBlocksReport? {
    if decode.state == .noMemory { return TimeBlocksReport(TIMEBLOCKS_NO_MEMORY) }
    if decode.state == .mixed { return TimeBlocksReport(TIMEBLOCKS_FORMAT_CHANGED) }
    let isOther = decode.format.rate > 0 && decode.format.id != format.id
    let mayBeOther = acceptsOtherFormat && start.decode == nil && cache.isEmpty
    return isOther && !mayBeOther ? TimeBlocksReport(TIMEBLOCKS_FORMAT_CHANGED) : nil
  }

  private mutating func admitStart(_ decode: DecodePointer) -> Step {
    start = .none
    if let failure = fault(of: decode.pointee) {
      Decode.free(decode)
      return .failed(failure)
    }
    // if it only stopped because of a seek, the stream doesn't end there
    if decode.pointee.isAtEnd, startMayStopEarly {
      decode.pointee.state = .complete
      decode.pointee.fetch.endFrame = decode.pointee.nextFrame
    }
    noteEnds(decode.pointee)
    if decode.pointee.frames > 0 {
      start = .trusted(decode)
    } else {
      Decode.free(decode)
    }
    return .active
  }

  /// We fetch `decode` again if upstream has ended it too early, but only once.
  private func wantsAgain(_ decode: Decode) -> Bool {
    !decode.isContinued && decode.hasBrokenOff && !decode.isRetry
  }

  private mutating func fetchAgain(_ decode: DecodePointer) -> Step {
    let (plan, join, isRetry) = (
      decode.pointee.fetch, decode.pointee.joinFrame,
      decode.pointee.hasBrokenOff || missingOfStart(decode.pointee) != nil
    )
    Decode.free(decode)
    return fetch(plan, join: join, isRetry: isRetry)
  }

  /// `decode` is missing audio, so we drop it and seek back further next time. Fails if we already
  /// seeked to the first frame.
  private mutating func reachBack(_ decode: DecodePointer) -> Step {
    let isFromFirst = isFromFirst(decode.pointee)
    Decode.free(decode)
    extraLeadIn = max(2 &* extraLeadIn, Int64(limits.rate))
    return isFromFirst ? .failed(TimeBlocksReport(TIMEBLOCKS_AUDIO_MISSING)) : .active
  }

  /// We seeked to the first frame of the stream, or before it.
  private func isFromFirst(_ decode: Decode) -> Bool {
    decode.fetch.seekHalfFrames <= firstFrame &<< 1
  }

  /// We're missing frames, even though we seeked to the beginning of the stream.
  private func beginsLate(_ decode: Decode) -> Bool {
    isFromFirst(decode) && !decode.hasSkipped
      && decode.firstFrame > max(firstFrame, decode.fetch.keepFirstFrame)
  }

  /// In MPEG-PS, seeking to the first frame misses some audio that you get by seeking to 0.
  private mutating func fetchFromZero(_ decode: DecodePointer) -> Step {
    firstFrame = 0
    return fetchAgain(decode)
  }

  /// If `decode` belongs to the same stream, we trust the recorded start. Otherwise, we forget it.
  /// In the same stream, the offsets of timestamps differ by at most `offsetTolerance`.
  private mutating func examineStart(_ decode: Decode) {
    guard let start = start.decode, decode.frames > 0 else { return }
    let apart = decode.offset.subtractingReportingOverflow(start.pointee.offset)
    if !apart.overflow, apart.partialValue.magnitude <= offsetTolerance {
      self.start = .trusted(start)
    } else {
      forgetStart()
    }
  }

  /// How many frames of the recorded start are missing, if `decode` has reached the end of the
  /// stream before the end of the recorded start.
  private func missingOfStart(_ decode: Decode) -> Int64? {
    guard case .trusted(let start) = start, decode.isAtEnd, decode.nextFrame != unknownFrame else {
      return nil
    }
    let missing = start.pointee.nextFrame &- decode.nextFrame
    return missing > limits.searchFrames ? missing : nil
  }

  /// A stream may begin after frame 0, and it may not end where upstream says. Takes note of what
  /// `decode` tells us about both.
  private mutating func noteEnds(_ decode: Decode) {
    if decode.isAtEnd, decode.nextFrame != unknownFrame, !decode.hasBrokenOff {
      limits.endFrame = max(decode.nextFrame, 0)
    }
    if beginsLate(decode) { firstFrame = decode.firstFrame }
  }

  /// Adds the block of `decode` to the cache. If its neighbour has been dropped since we planned
  /// the decode, we free it instead.
  private mutating func join(
    _ decode: DecodePointer, _ direction: TimeDSPDirection, _ index: Int64
  ) -> Step {
    let join = decode.pointee.joinFrame
    if let lowest = cache.lowest, let highest = cache.highest, join != unknownFrame {
      let isAbove = join == decode.pointee.fetch.firstFrame
      if isAbove, join == highest.end { return admit(decode, TIMEDSP_FORWARD, direction, index) }
      if !isAbove, join == lowest.first { return admit(decode, TIMEDSP_BACKWARD, direction, index) }
    } else if cache.isEmpty, join == unknownFrame {
      return admitFirst(decode, direction)
    }
    Decode.free(decode)  // the block that it was meant to join is gone
    return .active
  }

  /// Handles the first decode after a jump. If it's empty, we decide where to continue.
  private mutating func admitFirst(_ decode: DecodePointer, _ direction: TimeDSPDirection) -> Step {
    if decode.pointee.frames > 0 {
      let block = Block(decode)
      boundary = direction == TIMEDSP_BACKWARD ? block.end : block.first
      // this decode may have made us trust the recorded start again
      if addStart(direction) { Decode.free(decode) } else { addBlock(decode, direction, cut: 0) }
      return .active
    }
    if !decode.pointee.isAtEnd { return goOnAfterHole(decode, direction) }
    let hasEnded = decode.pointee.nextFrame == unknownFrame
    // The decode is empty. If we're playing forward, or if the stream is empty, there's nothing
    // left to play. If we're playing backward, we continue at the end of the stream, and if we
    // didn't get a single frame, we have to search for that end again.
    if direction == TIMEDSP_FORWARD || (isFromFirst(decode.pointee) && hasEnded) {
      isExhausted = true
    } else {
      boundary = unknownFrame
      if hasEnded {
        let fetch = decode.pointee.fetch
        if fetch.keepEndFrame != unknownFrame { estimate = fetch.endFrame }
        limits.endFrame = unknownFrame
        attempt &+= 1
      }
    }
    Decode.free(decode)
    return .active
  }

  /// The stream hasn't ended, but we didn't get any frames of the planned block. Either the seek
  /// went too far, or there's a gap in the stream, or the stream begins after the block. We skip a
  /// gap by continuing after it, or before it when playing in reverse.
  private mutating func goOnAfterHole(_ decode: DecodePointer, _ direction: TimeDSPDirection)
    -> Step
  {
    let hasSkipped = decode.pointee.hasSkipped
    if !hasSkipped, !isFromFirst(decode.pointee) { return reachBack(decode) }
    if direction == TIMEDSP_FORWARD {
      boundary = decode.pointee.nextFrame
    } else if hasSkipped {
      boundary = decode.pointee.fetch.firstFrame
    } else {
      isExhausted = true
    }
    Decode.free(decode)
    return .active
  }

  private mutating func addBlock(_ decode: DecodePointer, _ direction: TimeDSPDirection, cut: Int) {
    let isConfirmed = isFromFirst(decode.pointee)
    cache.add(decode, direction, cut: cut)
    if isConfirmed { cache.confirm(direction) }
    blocks &+= 1
    stats.blocks &+= 1
  }
}

// This is where we join decodes to the blocks in the cache.
extension BlockPlanner {
  /// Joins `decode` to the lowest block (`side` is backward) or to the highest one. If they don't
  /// match, we fetch both again with a longer preroll, or crossfade.
  private mutating func admit(
    _ decode: DecodePointer, _ side: TimeDSPDirection, _ playing: TimeDSPDirection, _ index: Int64
  ) -> Step {
    guard let block = side == TIMEDSP_BACKWARD ? cache.lowest : cache.highest else {
      Decode.free(decode)
      return .active
    }
    var cut = 0
    let ahead = side == TIMEDSP_BACKWARD ? index &- block.index &+ 1 : block.endIndex &- index
    if !decode.pointee.isContinued {
      do throws(TimeDSPStatus) {
        let seam = try Seam(of: decode, with: block, side, limits, by: convert)
        if seam.isEqual {
          noteEqual(seam, ahead)
        } else if mayWiden(decode.pointee) {
          return widen(decode, side, playing, index)
        } else if let stop = fade(seam, ahead) {
          return stop
        }
        cut = seam.cut
      } catch {
        Decode.free(decode)
        return .failed(TimeBlocksReport(TIMEBLOCKS_NO_MEMORY))
      }
    }
    if bringsNothing(decode.pointee, side, cut) { return reachBack(decode) }
    extraLeadIn = 0
    if side == TIMEDSP_BACKWARD { cache.confirm(TIMEDSP_BACKWARD) }
    addBlock(decode, side, cut: cut)
    return .active
  }

  /// True if audio is missing at the seek target, so there's nothing to add to the cache.
  private func bringsNothing(_ decode: Decode, _ side: TimeDSPDirection, _ cut: Int) -> Bool {
    if decode.isContinued || decode.isAtEnd { return false }
    if isFromFirst(decode), !decode.hasSkipped { return false }
    return side == TIMEDSP_BACKWARD ? cut == 0 : cut >= decode.frames
  }

  private func mayWiden(_ decode: Decode) -> Bool {
    if isFromFirst(decode), decode.joinFrame != unknownFrame { return false }
    return limits.prerollFrames < widestPreroll
  }

  /// If two decodes differ, the decoder's output wasn't right yet in one of them, so we double the
  /// preroll and fetch the decode again. If `decode` is below the lowest block, and none of that
  /// has been played, we fetch that block again too.
  private mutating func widen(
    _ decode: DecodePointer, _ side: TimeDSPDirection, _ playing: TimeDSPDirection, _ index: Int64
  ) -> Step {
    Decode.free(decode)
    limits.prerollFrames = max(limits.prerollFrames &* 2, minPrerollFrames)
    stats.prerolls_widened &+= 1
    guard side == TIMEDSP_BACKWARD, let lowest = cache.lowest, !lowest.isConfirmed else {
      return .active
    }
    let top = lowest.endIndex &- 1
    let isNext = index == top && playing == TIMEDSP_BACKWARD
    if cache.count == 1, isNext {
      // the next decode may have a different frame number for the end of the stream
      jump(to: lowest.isAtEnd ? unknownFrame : lowest.end, TIMEDSP_BACKWARD)
    } else if cache.count > 1, index > top || isNext {
      cache.dropLowest()
    }
    return .active
  }

  private mutating func noteEqual(_ seam: borrowing Seam, _ ahead: Int64) {
    if seam.isShifted { stats.seams_shifted &+= 1 } else { stats.seams_equal &+= 1 }
    report(
      TimeBlocksReport(
        seam.isShifted ? TIMEBLOCKS_SEAM_SHIFTED : TIMEBLOCKS_SEAM_EQUAL,
        at: seam.decode.pointee.joinFrame, ahead: ahead))
  }

  /// A longer preroll won't make these decodes equal, so we crossfade. If we can't, we drop the
  /// decode and return the next step.
  private mutating func fade(_ seam: borrowing Seam, _ ahead: Int64) -> Step? {
    let decode = seam.decode.pointee
    if !isFromFirst(decode) {
      widestPreroll = automaticPreroll
      limits.prerollFrames = automaticPreroll
    }
    if decode.hasBrokenOff {
      let missing = decode.joinFrame &- decode.nextFrame
      Decode.free(seam.decode)
      return .failed(TimeBlocksReport(TIMEBLOCKS_BROKEN_OFF, at: missing))
    }
    if settings.is_exact != 0 {
      Decode.free(seam.decode)
      return .failed(TimeBlocksReport(TIMEBLOCKS_NOT_EXACT))
    }
    let difference = seam.difference
    if decode.joinFrame == unknownFrame, !difference.isSimilar {
      Decode.free(seam.decode)
      forgetStart()  // fetch the beginning instead
      return .active
    }
    seam.fade()
    let isBackward = seam.direction == TIMEDSP_BACKWARD
    note(difference, at: isBackward ? seam.block.first : seam.block.end, ahead)
    return nil
  }

  private mutating func note(_ difference: SeamDifference, at frame: Int64, _ ahead: Int64) {
    stats.seams_faded &+= 1
    let isOdd =
      !difference.isSimilar && !oddSeams.isFull
      && oddSeams.firstIndex(where: { $0 == frame }) == nil
    if isOdd { oddSeams.append(frame) }
    report(
      TimeBlocksReport(
        isOdd ? TIMEBLOCKS_SEAM_ODD : TIMEBLOCKS_SEAM_FADED, at: frame,
        value: difference.error, ahead: ahead))
  }

  /// Joins the recorded start to the lowest block.
  private mutating func joinStart(_ index: Int64) -> Step {
    guard let kept = start.decode, let lowest = cache.lowest else { return .active }
    do throws(TimeDSPStatus) {
      let decode = try kept.pointee.copied()
      // count back from the end of the recorded start, as `lowestAboveStart` does
      let count = Int64(truncatingIfNeeded: decode.pointee.frames)
      let begin = decode.pointee.nextFrame &- count
      decode.pointee.foundJoin = min(max(lowest.first &- begin, 0), count)
      return admit(decode, TIMEDSP_BACKWARD, TIMEDSP_BACKWARD, index)
    } catch {
      Decode.free(kept)
      start = .none  // fall back to fetching the beginning
      return .active
    }
  }
}
