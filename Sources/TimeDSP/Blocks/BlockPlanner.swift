// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Neighbouring runs share this many frames of a block, so that we can compare.
private let overlapFrames: Int64 = 2048
/// Two runs may number the same audio differently, by this much at most.
private let searchFrames: Int64 = 2048

private let minBlockFrames: Int64 = 1024
private let minStartFrames = 3 * (overlapFrames + searchFrames)
private let firstBlocksPerSecond: UInt32 = 10

/// Unless a smaller preroll has been set.
let minPrerollFrames: Int64 = 8192
/// The automatic preroll. After a seek, the slowest decoder (Opus) needs 0.5 s until its output is
/// right. If it were shorter, a few later frames might still differ by rounding, even if two runs
/// are equal where we compare them.
private let prerollTenthsOfSecond: Int64 = 7

/// The max preroll, as a multiple of the automatic one. If two runs still differ with it, an even
/// longer one doesn't help.
private let widestPrerollFactor: Int64 = 8

/// We divide the memory limit into this many parts, for the cache's blocks, the block that we
/// fetch, and the audio around that.
private let sharesOfMemory: UInt64 = 6

/// Plans what to fetch around the playhead, and verifies that neighbouring blocks fit together.
///
/// A run is the audio that we keep after one seek, and a block is the part of it that you hear. Two
/// blocks meet at a seam. Near it, both runs contain the same audio, so we compare them. To join a
/// run, we add its block to the cache next to another one.
struct BlockPlanner: ~Copyable {
  /// What the planner's caller does next.
  enum Step {
    /// There's nothing to do now.
    case idle
    /// The planner's state has changed. Ask for the next step.
    case active
    /// Fetch this run. If the flag is `true`, it may continue where the previous run ended, without
    /// a seek.
    case fetch(RunPointer, Bool)
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
    case doubtful(RunPointer)
    /// We've recorded it, and may use it. Either there was no seek, or a later fetch has shown that
    /// seeks still reach the same stream.
    case trusted(RunPointer)

    var run: RunPointer? {
      switch self {
      case .none, .awaited: nil
      case .doubtful(let run), .trusted(let run): run
      }
    }
  }

  let convert: TimeBlocksConvert
  var cache: BlockCache
  var reports: Reports
  /// Seams between different audio that we've reported, by frame. We report each of them once,
  /// until the list is full.
  var oddSeams: FixedArray<Int64>
  var settings = TimeBlocksSettings()
  var stats = BlockStats()

  var format = TimeBlocksFormat()
  var limits = FetchLimits()
  /// No seek goes below it.
  var firstFrame: Int64 = 0
  var start = Start.none
  /// If a seek has set the end of the recorded start, the source may stop a frame too early.
  private(set) var startMayStopEarly = false
  var automaticPreroll: Int64 = 0
  /// The max preroll in frames. If the decoder doesn't return the same audio twice, even with the
  /// longest preroll, this becomes the automatic one.
  var widestPreroll: Int64 = 0

  /// Where the first block of an empty cache will end (backward) or begin. `unknownFrame` stands
  /// for the end of the stream.
  var boundary = unknownFrame
  /// The cache stays empty, because there's nothing to play from `boundary` on.
  var isExhausted = false
  /// Where an unknown end may be. `nil` until we've asked upstream.
  var estimate: Int64?
  /// Fetches since the last jump that were beyond the end of the stream. The search for the end
  /// goes back farther each time.
  var attempt: UInt32 = 0
  /// Since the last jump.
  var blocks: UInt32 = 0
  /// After audio was missing at a seek target, seeks go back this many frames farther than planned.
  var extraLeadIn: Int64 = 0
  /// `nil` if there's none, or if a jump has made it useless.
  var fetching: RunPointer?

  /// Complete, and not in the cache yet.
  var arrived: RunPointer?
  /// In the same stream, `FetchedRun.offset` of two runs differs by this much at most.
  var offsetTolerance: UInt64 = 0

  init(convert: TimeBlocksConvert) throws(TimeDSPStatus) {
    let cache = try BlockCache()
    let reports = try Reports()
    let oddSeams = try FixedArray<Int64>(capacity: 64)
    self.convert = convert
    self.cache = cache
    self.reports = reports
    self.oddSeams = oddSeams
  }

  deinit {
    FetchedRun.free(start.run)
    FetchedRun.free(arrived)
  }
}

extension BlockPlanner {
  mutating func clear() {
    cache.clear()
    oddSeams.removeAll()
    FetchedRun.free(start.run)
    start = .none
    FetchedRun.free(arrived)
    arrived = nil
  }

  mutating func open(_ format: TimeBlocksFormat) {
    stats = BlockStats()
    startOver(format)
  }

  /// Forgets all about the stream but the statistics. What follows is in `format`, and may be
  /// another stream.
  mutating func startOver(_ format: TimeBlocksFormat) {
    clear()
    self.format = format
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
    setPreroll(automaticPreroll)
  }

  mutating func setPreroll(_ frames: Int64) {
    limits.prerollFrames = frames
  }

  /// A stream has just begun with frame `first`. Returns the run that records its start, at most up
  /// to boundary `stop`, where the source stops. `unknownFrame` stands for the end of the stream.
  /// Throws if there's no memory.
  mutating func awaitStart(
    at first: Int64, before stop: Int64
  ) throws(TimeDSPStatus) -> RunPointer {
    let most = max(limits.maxBlockFrames, minStartFrames)
    let frames = min(max(Int64(limits.rate), minStartFrames), most)
    let isBounded = stop != unknownFrame && stop < first &+ frames
    let end = isBounded ? max(stop, first) : first &+ frames
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    let run = try FetchedRun.make(
      fetch, join: unknownFrame, atMost: Int(truncatingIfNeeded: 2 &* frames))
    startMayStopEarly = isBounded
    firstFrame = first
    start = .awaited
    return run
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

  /// If the recorded start has the next frames, it becomes the first block. Returns true then.
  @discardableResult
  mutating func addStart(_ direction: TimeDSPDirection) -> Bool {
    guard case .trusted(let start) = start, Self.holds(start.pointee, boundary, direction),
      let run = try? start.pointee.copied()
    else { return false }  // fall back to fetching the beginning
    cache.add(run, direction, cut: 0)
    cache.confirm(direction)
    return true
  }

  /// True if the recorded start has the next frames from `boundary` on.
  private static func holds(
    _ start: FetchedRun, _ boundary: Int64, _ direction: TimeDSPDirection
  ) -> Bool {
    if direction == TIMEDSP_FORWARD {
      return boundary != unknownFrame && boundary < start.nextFrame
    }
    if boundary == unknownFrame { return start.isAtEnd }
    return boundary > start.firstFrame && (start.isAtEnd || boundary <= start.nextFrame)
  }

  /// A seek may have reached another stream.
  mutating func doubtStart() {
    switch start {
    case .awaited: start = .none
    case .trusted(let run): start = .doubtful(run)
    case .none, .doubtful: break
    }
  }

  mutating func forgetStart() {
    reports.add(TimeBlocksReport(TIMEBLOCKS_START_FORGOTTEN))
    FetchedRun.free(start.run)
    start = .none
    firstFrame = 0
  }
}
