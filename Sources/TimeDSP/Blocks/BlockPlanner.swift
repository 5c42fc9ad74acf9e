// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Number of frames that two runs share for comparison.
private let overlapFrames: Int64 = 2048
/// Maximum shift between two runs, in frames.
private let searchFrames: Int64 = 2048

private let leastBlockFrames: Int64 = 1024
private let leastStartFrames = 3 * (overlapFrames + searchFrames)
private let firstBlocksPerSecond: UInt32 = 10

/// Minimum preroll in frames, unless a smaller one has been set.
let leastPrerollFrames: Int64 = 8192
/// Automatic preroll in tenths of a second. The slowest decoder (Opus) needs 0.5 s to settle. With
/// a shorter preroll, a few later frames may still differ by rounding, even if the overlap of two
/// runs is equal.
private let prerollTenthsOfSecond: Int64 = 7

/// If the output still differs with a preroll that is this many times longer, an even longer one
/// does not help.
private let widestPrerollFactor: Int64 = 8

/// Number of parts into which the memory limit is divided. The blocks of the cache, the block that
/// is being fetched, and the audio around that block share the memory.
private let sharesOfMemory: UInt64 = 6

/// Plans fetches of the blocks around the playhead, and verifies every splice between them.
///
/// A run is the audio that arrives after one seek. A block is the part of a run that is played. A
/// splice is the place where two blocks meet.
struct BlockPlanner: ~Copyable {
  /// What the caller of the planner has to do next.
  enum Step {
    /// There is nothing to do at the moment.
    case idle
    /// The planner has changed its state.
    case active
    /// Fill this run. The flag is true if the run may continue where the last run ended.
    case fetch(RunPointer, Bool)
    /// Ask for the duration of the stream.
    case askDuration
    /// Ask for the duration of this stream alone. The stream seems to end too early.
    case askPromise
    case failed(Report)
  }

  /// The recorded start: the beginning of the stream, as a fresh decoder outputs it. It is
  /// recorded, because a seek cannot reproduce it: some decoders keep part of their state across a
  /// seek.
  enum Start {
    case none
    /// The start is being recorded.
    case awaited
    /// The start has been recorded. A later seek may have reached another stream, for example in an
    /// editor's timeline.
    case doubtful(RunPointer)
    /// The start has been recorded and can be used. Either there was no seek, or a later fetch has
    /// shown that seeks still reach the same stream.
    case trusted(RunPointer)

    var run: RunPointer? {
      switch self {
      case .none, .awaited: nil
      case .doubtful(let run), .trusted(let run): run
      }
    }
  }

  let convert: TimePlayConvert
  var cache: BlockCache
  var reports: Reports
  var oddSplices: OddSplices
  var settings = BlockSettings()
  var stats = TimePlayStats()

  var format = TimePlayFormat()
  var limits = FetchLimits()
  /// The first frame of the stream. Upstream is not asked for earlier frames.
  var firstFrame: Int64 = 0
  var start = Start.none
  var automaticPreroll: Int64 = 0
  /// Maximum preroll. It is reduced to the automatic preroll if the decoder never returns the same
  /// audio twice, even with the longest preroll.
  var widestPreroll: Int64 = 0

  /// The boundary at which the first block of an empty cache ends (backward) or begins.
  /// `unknownFrame` stands for the end of the stream.
  var boundary = unknownFrame
  /// Whether the cache is empty and will stay empty. The stream then has no frame at `boundary`.
  var isExhausted = false
  /// The lowest frame at which the stream may end without ending too early; `nil` if every end is
  /// accepted.
  var leastEndFrame: Int64?
  /// Estimate of an unknown end; `nil` if the source has not been asked.
  var estimate: Int64?
  /// Number of searches for the end so far.
  var attempt: UInt32 = 0
  /// Number of blocks fetched since the last jump.
  var blocks: UInt32 = 0
  /// Number of frames by which seeks go back farther than planned. It is above 0 after audio was
  /// missing.
  var extraLeadIn: Int64 = 0
  /// The run that is being fetched for the current cache; `nil` if there is none.
  var fetching: RunPointer?

  /// A complete run that has not been admitted yet.
  var arrived: RunPointer?
  /// Set if the source has reported something invalid. Playback then fails when the next run
  /// arrives.
  var fault: Report?
  /// Set if playback must end immediately, even if a run has arrived.
  var interruption: Report?
  /// How seeks are made. Some sources play nothing after a seek without a stop.
  var origin = FetchedRun.Origin.seek
  /// Maximum difference between the offsets of two runs of the same stream, in the unit of the
  /// offsets.
  var offsetTolerance: UInt64 = 0

  init(convert: TimePlayConvert) throws(TimeDSPStatus) {
    let cache = try BlockCache()
    let reports = try Reports()
    let oddSplices = try OddSplices()
    self.convert = convert
    self.cache = cache
    self.reports = reports
    self.oddSplices = oddSplices
  }

  deinit {
    FetchedRun.free(start.run)
    FetchedRun.free(arrived)
  }
}

extension BlockPlanner {
  /// Frees all kept frames of the stream.
  mutating func clear() {
    cache.clear()
    oddSplices.clear()
    FetchedRun.free(start.run)
    start = .none
    FetchedRun.free(arrived)
    arrived = nil
  }

  /// Begins a new stream in `format`.
  mutating func open(_ format: TimePlayFormat) {
    stats = TimePlayStats()
    fault = nil
    interruption = nil
    origin = .seek
    startOver(format)
  }

  /// Discards the stream. The following frames are in `format` and may belong to another stream.
  /// The statistics continue.
  mutating func startOver(_ format: TimePlayFormat) {
    clear()
    self.format = format
    firstFrame = 0
    let preroll = (Int64(format.rate) &* prerollTenthsOfSecond &+ 5) / 10
    automaticPreroll = max(preroll, leastPrerollFrames)
    if settings.prerollFrames != unknownFrame {
      automaticPreroll = min(settings.prerollFrames, Int64(Int32.max))
    }
    let frameBytes = UInt64(max(format.planes &* format.stride_bytes, 1))
    let share = (settings.maxMemoryBytes / sharesOfMemory).quotient(by: frameBytes)
    let most = max(Int64(clamping: share), leastBlockFrames)
    limits.rate = format.rate
    limits.endFrame = unknownFrame
    limits.maxBlockFrames = min(max(settings.maxBlockFrames, leastBlockFrames), most)
    let first = max(Int64(format.rate / firstBlocksPerSecond), 1)
    limits.firstBlockFrames = min(first, limits.maxBlockFrames)
    limits.overlapFrames = overlapFrames
    limits.searchFrames = searchFrames
    widestPreroll = widestPrerollFactor &* max(automaticPreroll, leastPrerollFrames)
    setPreroll(automaticPreroll)
  }

  mutating func setPreroll(_ frames: Int64) {
    limits.prerollFrames = frames
    stats.preroll_frames = frames
  }

  /// Returns the run that records the start of a stream. The stream has just begun with frame
  /// `first`. The source stops at boundary `stop`; `unknownFrame` stands for the end of the stream.
  /// Throws if memory cannot be allocated.
  mutating func awaitStart(
    at first: Int64, before stop: Int64
  ) throws(TimeDSPStatus) -> RunPointer {
    let most = max(limits.maxBlockFrames, leastStartFrames)
    let frames = min(max(Int64(limits.rate), leastStartFrames), most)
    let isBounded = stop != unknownFrame && stop < first &+ frames
    let end = isBounded ? max(stop, first) : first &+ frames
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    let run = try FetchedRun.make(
      fetch, join: unknownFrame, atMost: Int(truncatingIfNeeded: 2 &* frames))
    if isBounded { run.pointee.origin = .boundedSeek }
    firstFrame = first
    start = .awaited
    return run
  }

  /// Continues playback at `boundary`, in `direction`, with an empty cache.
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

  /// Makes the recorded start the first block, if it contains the next frames. The decoder may
  /// output different frames after a seek to the beginning. Returns whether the start has been
  /// added.
  @discardableResult
  mutating func addStart(_ direction: TimeDSPDirection) -> Bool {
    guard case .trusted(let start) = start, Self.holds(start.pointee, boundary, direction),
      let run = try? start.pointee.copied()
    else { return false }  // fall back to fetching the beginning
    cache.add(run, direction, cut: 0)
    cache.confirm(direction)
    return true
  }

  /// Whether the start of the stream contains the next frames from `boundary`.
  private static func holds(
    _ start: FetchedRun, _ boundary: Int64, _ direction: TimeDSPDirection
  ) -> Bool {
    if direction == TIMEDSP_FORWARD {
      return boundary != unknownFrame && boundary < start.nextFrame
    }
    return start.isAtEnd || (boundary != unknownFrame && boundary <= start.nextFrame)
  }

  /// Stops trusting the recorded start, because from now on, seeks may reach another stream.
  mutating func doubtStart() {
    switch start {
    case .awaited: start = .none
    case .trusted(let run): start = .doubtful(run)
    case .none, .doubtful: break
    }
  }

  mutating func forgetStart() {
    reports.add(Report(code: TIMEPLAY_START_FORGOTTEN))
    FetchedRun.free(start.run)
    start = .none
    firstFrame = 0
  }
}
