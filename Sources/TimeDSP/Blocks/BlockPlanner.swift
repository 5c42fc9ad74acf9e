// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Number of frames of a block that the neighbouring run also contains, for comparison.
private let overlapFrames: Int64 = 2048
/// Maximum difference between the frame numbers that two runs give to the same audio.
private let searchFrames: Int64 = 2048

private let minBlockFrames: Int64 = 1024
private let minStartFrames = 3 * (overlapFrames + searchFrames)
private let firstBlocksPerSecond: UInt32 = 10

/// Minimum preroll in frames, unless a smaller preroll has been set.
let minPrerollFrames: Int64 = 8192
/// Automatic preroll in tenths of a second. The slowest decoder (Opus) needs 0.5 s after a seek
/// until its output is right. With a shorter preroll, a few later frames may still differ by
/// rounding, even if two runs are equal where they are compared.
private let prerollTenthsOfSecond: Int64 = 7

/// Maximum preroll, as a multiple of the automatic preroll. If two runs still differ with this
/// preroll, an even longer preroll does not help.
private let widestPrerollFactor: Int64 = 8

/// Number of parts into which the memory limit is divided. They hold the blocks of the cache, the
/// block that is being fetched, and the audio around that block.
private let sharesOfMemory: UInt64 = 6

/// Plans the fetches of the blocks around the playhead, and verifies that neighbouring blocks fit
/// together.
///
/// A run is the audio that is kept after one seek. A block is the part of a run that is played. A
/// seam is the boundary at which two blocks meet. Near a seam, the two runs contain the same
/// audio, and are compared. To join a run is to add its block to the cache next to another block.
struct BlockPlanner: ~Copyable {
  /// What the caller of the planner has to do next.
  enum Step {
    /// There is nothing to do at the moment.
    case idle
    /// The planner has changed its state. Ask for the next step.
    case active
    /// Fetch this run. The flag is `true` if the run may continue where the previous run ended,
    /// without a seek.
    case fetch(RunPointer, Bool)
    /// Ask for the duration of the stream.
    case askDuration
    case failed(TimeBlocksReport)
  }

  /// The recorded start: the first second of the stream, as a decoder outputs it before any seek.
  /// It is recorded because some decoders keep part of their state across a seek, so a seek to the
  /// beginning may not reproduce it.
  enum Start {
    case none
    /// The start is being recorded.
    case awaited
    /// The start has been recorded, but a later seek may have reached a different stream, for
    /// example in an editor's timeline.
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

  let convert: TimeBlocksConvert
  var cache: BlockCache
  var reports: Reports
  /// The seams between different audio that have been reported, by frame. Each is reported once,
  /// until the list is full.
  var oddSeams: FixedArray<Int64>
  var settings = TimeBlocksSettings()
  var stats = BlockStats()

  var format = TimeBlocksFormat()
  var limits = FetchLimits()
  /// The first frame of the stream. No seek goes below it.
  var firstFrame: Int64 = 0
  var start = Start.none
  /// Whether a seek has set the end of the recorded start. The source may then stop a frame too
  /// early.
  private(set) var startMayStopEarly = false
  var automaticPreroll: Int64 = 0
  /// Maximum preroll in frames. It is reduced to the automatic preroll if the decoder does not
  /// return the same audio twice, even with the longest preroll.
  var widestPreroll: Int64 = 0

  /// The boundary at which the first block of an empty cache will end (backward) or begin.
  /// `unknownFrame` stands for the end of the stream.
  var boundary = unknownFrame
  /// Whether the cache will stay empty, because there are no frames to play from `boundary` on.
  var isExhausted = false
  /// Estimate of an unknown end of the stream; `nil` if upstream has not been asked yet.
  var estimate: Int64?
  /// Number of fetches since the last jump that were beyond the end of the stream. The search for
  /// the end goes back farther each time.
  var attempt: UInt32 = 0
  /// Number of blocks fetched since the last jump.
  var blocks: UInt32 = 0
  /// Number of frames by which seeks go back farther than planned, after audio was missing at a
  /// seek target; otherwise 0.
  var extraLeadIn: Int64 = 0
  /// The run that is being fetched; `nil` if there is none, or if a jump has made the run useless.
  var fetching: RunPointer?

  /// A complete run that has not been added to the cache yet.
  var arrived: RunPointer?
  /// Maximum difference between `FetchedRun.offset` of two runs of the same stream.
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
  /// Frees all kept frames of the stream.
  mutating func clear() {
    cache.clear()
    oddSeams.removeAll()
    FetchedRun.free(start.run)
    start = .none
    FetchedRun.free(arrived)
    arrived = nil
  }

  /// Begins a new stream in `format`.
  mutating func open(_ format: TimeBlocksFormat) {
    stats = BlockStats()
    startOver(format)
  }

  /// Discards everything known about the stream. The following frames are in `format` and may
  /// belong to another stream. Only the statistics are kept.
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

  /// Returns the run that records the start of a stream, which has just begun with frame `first`.
  /// The run ends at boundary `stop` at the latest, because the source stops there; `unknownFrame`
  /// stands for the end of the stream. Throws if memory cannot be allocated.
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

  /// Clears the cache. Playback continues at `boundary`, in `direction`.
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

  /// Adds the recorded start as the first block, if it contains the next frames. Returns whether it
  /// has been added.
  @discardableResult
  mutating func addStart(_ direction: TimeDSPDirection) -> Bool {
    guard case .trusted(let start) = start, Self.holds(start.pointee, boundary, direction),
      let run = try? start.pointee.copied()
    else { return false }  // fall back to fetching the beginning
    cache.add(run, direction, cut: 0)
    cache.confirm(direction)
    return true
  }

  /// Whether the recorded start contains the next frames from `boundary` on.
  private static func holds(
    _ start: FetchedRun, _ boundary: Int64, _ direction: TimeDSPDirection
  ) -> Bool {
    if direction == TIMEDSP_FORWARD {
      return boundary != unknownFrame && boundary < start.nextFrame
    }
    if boundary == unknownFrame { return start.isAtEnd }
    return boundary > start.firstFrame && (start.isAtEnd || boundary <= start.nextFrame)
  }

  /// Stops trusting the recorded start, because of a seek that may reach another stream.
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
