// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Frames around a splice that are compared, and the farthest that runs are shifted.
private let overlapFrames: Int64 = 2048
private let searchFrames: Int64 = 2048

private let leastBlockFrames: Int64 = 1024
private let leastStartFrames = 3 * (overlapFrames + searchFrames)
private let firstBlocksPerSecond: UInt32 = 10

/// What decoders need to settle. Two runs may be equal where they overlap and yet
/// differ by a rounding in a few frames farther on, so it is what the slowest one
/// needs (Opus, 0.5 s), though the overlap finds most of it out.
let leastPrerollFrames: Int64 = 8192
private let prerollTenthsOfSecond: Int64 = 7

/// A decoder that does not repeat itself after so many times its preroll never does.
private let widestPrerollFactor: Int64 = 8

/// Blocks of the cache, the one that is being fetched, and what is around it.
private let sharesOfMemory: UInt64 = 6

/// What is fetched: has the blocks around the playhead fetched, and
/// verifies every splice between them.
struct BlockPlanner: ~Copyable {
  /// What came of a look at what is there.
  enum Step {
    /// There is nothing to do for now.
    case idle
    /// Something has been done.
    case active
    /// This run is to be filled; with `true` it may go on where the last one ended.
    case fetch(RunPointer, Bool)
    /// The duration of the stream has to be asked for.
    case askDuration
    /// … and that of this stream alone, which seems to end too early.
    case askPromise
    case failed(Report)
  }

  /// A beginning of the stream that a fresh decoder gives: no seek brings that back,
  /// for some decoders keep part of their state.
  enum Start {
    case none
    /// It is being kept.
    case awaited
    /// It is there, but seeks need not lead into the same stream.
    case doubtful(RunPointer)
    /// There was no seek, or a fetch since then has shown that seeks lead into the
    /// stream that it belongs to. Those of an editor need not.
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
  /// Where the stream begins; upstream is not asked for less.
  var firstFrame: Int64 = 0
  var start = Start.none
  var automaticPreroll: Int64 = 0
  /// The preroll is widened to this and not beyond: to the automatic one, if the decoder
  /// never repeats itself, whatever the preroll.
  var widestPreroll: Int64 = 0

  /// Where the first block of an empty cache is to end (backward) or begin;
  /// `unknownFrame`: at the end of the stream.
  var boundary = unknownFrame
  /// An empty cache stays empty: there is nothing at `boundary`.
  var isExhausted = false
  /// An end below that comes earlier than the source has promised; `nil`: none does.
  var leastEndFrame: Int64?
  /// Of the end, where that is not known; `nil`: the source has not been asked.
  var estimate: Int64?
  /// How often the end has been looked for.
  var attempt: UInt32 = 0
  /// Fetched since the jump.
  var blocks: UInt32 = 0
  /// Seeks go back by that much more.
  var extraLeadIn: Int64 = 0
  /// The run that is being fetched for the cache as it is; `nil`: none is.
  var fetching: RunPointer?

  /// A run that is done.
  var arrived: RunPointer?
  /// The source said something that makes no sense, which ends play with the next run.
  var fault: Report?
  /// Ends play, whatever has arrived.
  var interruption: Report?
  /// How seeks are made: some sources play nothing unless they say where to stop.
  var origin = FetchedRun.Origin.seek
  /// How far the offsets of two runs of the same stream may be apart, in their unit.
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
  /// Frees what is kept of the stream.
  mutating func clear() {
    cache.clear()
    oddSplices.clear()
    FetchedRun.free(start.run)
    start = .none
    FetchedRun.free(arrived)
    arrived = nil
  }

  /// A new stream like `format`.
  mutating func open(_ format: TimePlayFormat) {
    stats = TimePlayStats()
    fault = nil
    interruption = nil
    origin = .seek
    startOver(format)
  }

  /// What was known of the stream need not be true of what comes now, which is like `format`.
  /// The counts go on.
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

  /// What is to be kept of a stream that begins with frame `first` and has just
  /// begun; throws where there is no memory.
  mutating func awaitStart(at first: Int64) throws(TimeDSPStatus) -> RunPointer {
    let most = max(limits.maxBlockFrames, leastStartFrames)
    let frames = min(max(Int64(limits.rate), leastStartFrames), most)
    let end = first &+ frames
    let fetch = Fetch(
      firstFrame: first, endFrame: end, keepFirstFrame: first, keepEndFrame: end)
    let run = try FetchedRun.make(
      fetch, join: unknownFrame, atMost: Int(truncatingIfNeeded: 2 &* frames))
    firstFrame = first
    start = .awaited
    return run
  }

  /// Play goes on at `boundary`, in `direction`, and nothing is there.
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

  /// Makes the start of the stream the first block, if it holds what is played next: a
  /// decoder that a seek brings there gives other frames. Returns whether it does.
  @discardableResult
  mutating func addStart(_ direction: TimeDSPDirection) -> Bool {
    guard case .trusted(let start) = start, Self.holds(start.pointee, boundary, direction),
      let run = try? start.pointee.copied()
    else { return false }  // it is fetched, then
    cache.add(run, direction, cut: 0)
    cache.confirm(direction)
    return true
  }

  /// Whether the start of the stream holds what is played next from `boundary`.
  private static func holds(
    _ start: FetchedRun, _ boundary: Int64, _ direction: TimeDSPDirection
  ) -> Bool {
    if direction == TIMEDSP_FORWARD {
      return boundary != unknownFrame && boundary < start.nextFrame
    }
    return start.isAtEnd || (boundary != unknownFrame && boundary <= start.nextFrame)
  }

  /// Seeks need no longer lead into the stream of the start.
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
