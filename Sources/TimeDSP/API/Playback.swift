// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// Plays audio in either direction, block by block, from whatever reads it.
///
/// A reader that goes forward and can seek is enough: a file, a decoder, a network stream.
/// The playback says which frames it wants, the application hands them over, and gets back
/// what is heard. Memory stays the same, however long the audio is. Neighbouring blocks
/// overlap, and are compared before the splice is heard, so what comes out is what reading it
/// all and reversing it would give, also from a decoder that gives other samples just behind
/// a seek, or counts its frames otherwise there.
///
/// ```swift
/// var playback = try Playback<Float>(
///   sampleRate: 48_000, channels: 2, frames: reader.length, direction: .backward)
/// while let samples = try playback.next(reading: reader.block) {
///   output(samples)
/// }
/// ```
///
/// It can be turned, sent elsewhere and looped at any time. Between two frames lies a
/// boundary: boundary n lies before frame n, 0 at the beginning and the length at the end.
/// Playing forward from boundary n, frame n is heard next, and backward frame n - 1.
///
/// It waits for nobody, and calls nothing but the closure that it is given; it belongs to one
/// thread at a time.
public struct Playback<Sample: AudioSample>: ~Copyable, @unchecked Sendable {
  /// Frames in a second.
  public let sampleRate: Int
  /// Samples in a frame.
  public let channels: Int
  /// The length that was given, in frames.
  public let frames: Int?

  let core: OpaquePointer
  var settings = TimePlaySettings()
  var format = TimePlayFormat()
  /// That is being filled.
  var run: UnsafeMutablePointer<TimePlayRun>?
  /// Behind what the last run had use for; `nil`: the reader stands elsewhere.
  var standing: Int64?
  /// What was appended behind that.
  var rest: AudioBlock<Sample>?
  /// The frame that the open run wants next.
  var wanted = 0
  /// The newest seek.
  var sought = TimePlaySeek()
  var hasEnded = false
  var heading: Direction
  var place: Int
  var splicesUnlike = 0

  /// A playback of a stream, at its beginning, or backward at its end.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames in a second, 1 … 10,000,000.
  ///   - channels: Samples in a frame, 1 … 1024.
  ///   - frames: Length of the stream, as good as it is known; `nil`: it is looked for.
  ///   - direction: Which way it begins to play.
  ///   - options: How it reads.
  /// - Throws: ``TimeDSPError/badSampleRate``, ``TimeDSPError/badChannels``,
  ///   ``TimeDSPError/badLength``, ``TimeDSPError/noMemory``.
  public init(
    sampleRate: Int, channels: Int = 1, frames: Int? = nil, direction: Direction = .forward,
    options: PlaybackOptions = PlaybackOptions()
  ) throws(TimeDSPError) {
    try require(1...10_000_000 ~= sampleRate, else: .badSampleRate)
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    try require(0...mostFrames ~= Int64(frames ?? 0), else: .badLength)
    guard let made = timeplay_new(Sample.coding.convert) else { throw .noMemory }
    (core, self.sampleRate, self.channels, self.frames) = (made, sampleRate, channels, frames)
    (heading, place) = (direction, 0)
    format.rate = UInt32(clamping: sampleRate)
    (format.channels, format.planes) = (UInt32(clamping: channels), 1)
    format.sample_bytes = UInt32(MemoryLayout<Sample>.size)
    format.stride_bytes = format.channels * format.sample_bytes
    // any address will do: there is one format
    format.id = UnsafeRawPointer(made)
    set(options)
    timeplay_configure(core, &settings)
    _ = timeplay_open(core, &format, 0, unknownFrame)
    seek(direction == .forward ? 0 : nil, direction, TIMEPLAY_SEEK_START)
  }

  deinit {
    timeplay_run_free(run)
    timeplay_free(core)
  }

  private mutating func set(_ options: PlaybackOptions) {
    settings.max_block_ns =
      options.longestBlock == nil ? 16_000_000_000 : time(options.longestBlock)
    settings.preroll_ns = time(options.prerollFrames)
    settings.max_memory_bytes = UInt64(clamping: options.memoryBytes)
    settings.exact = options.mayFade ? 0 : 1
    settings.loop_stop_ns = unknownTime
  }

  // ---- where it plays ----

  /// The boundary where it plays; after ``seek(to:)``, where it will. `frames` is the end.
  public var position: Int { place }

  /// Which way it plays. The frame behind n is n - 1 instead of n + 1 as soon as it changes,
  /// or the other way round; at an end of the stream, too. `pingPong` changes it as well.
  public var direction: Direction {
    get { heading }
    set {
      heading = newValue
      if hasEnded {
        resume()
      } else {
        timeplay_turn(core, newValue.code)
      }
    }
  }

  /// What is played again and again. Places that move count from the next pass on; a loop is
  /// switched on and off at once.
  ///
  /// ```swift
  /// playback.loop = .pingPong(96_000..<192_000)
  /// ```
  public var loop = Loop.none {
    didSet {
      settings.loop = loop.code
      settings.loop_start_ns = time(loop.frames.lowerBound)
      settings.loop_stop_ns = time(loop.frames.upperBound)
      timeplay_configure(core, &settings)
    }
  }

  /// Goes on at another place, in the same direction. The newest place counts; one that is
  /// in memory is heard without reading, so that scrubbing is cheap.
  ///
  /// - Parameter boundary: 0 … the length; what is beyond is the end, or the beginning.
  public mutating func seek(to boundary: Int) {
    seek(max(boundary, 0), heading, TIMEPLAY_SEEK_TO)
  }

  /// What was found where two blocks met.
  public var statistics: PlaybackStatistics {
    var counts = TimePlayStats()
    timeplay_stats(core, &counts)
    return PlaybackStatistics(
      blocks: Int(clamping: counts.blocks), splicesVerified: Int(clamping: counts.splices_verified),
      splicesAligned: Int(clamping: counts.splices_aligned),
      splicesFaded: Int(clamping: counts.splices_faded), splicesUnlike: splicesUnlike)
  }
}

extension Playback {
  /// Goes to a boundary; `nil`: the end.
  private mutating func seek(
    _ boundary: Int?, _ direction: Direction, _ kind: TimePlaySeekKind
  ) {
    let at = time(boundary)
    sought = TimePlaySeek()
    sought.kind = kind
    sought.direction = direction.code
    sought.rate = 1
    sought.start_ns = direction == .forward ? at : 0
    sought.stop_ns = direction == .forward ? unknownTime : at
    sought.duration_ns = durationNs
    sought.last_frame = unknownFrame
    sought.flushing = 1
    timeplay_seek(core, &sought)
    hasEnded = false
    place = min(boundary ?? frames ?? 0, frames ?? .max)
  }

  /// Goes on from where it has ended.
  private mutating func resume() {
    var seek = sought
    seek.kind = TIMEPLAY_SEEK_RESUME
    seek.direction = heading.code
    seek.flushing = 0
    timeplay_seek(core, &seek)
    hasEnded = false
  }

  /// The time of a boundary, in ns; none for `nil`.
  private func time(_ boundary: Int?) -> UInt64 {
    guard let boundary else { return unknownTime }
    return timedsp_time_of(Int64(max(boundary, 0)), format.rate)
  }

  /// The length as it was given, in ns.
  var durationNs: UInt64 { time(frames) }
}

/// A frame, or an end, that is not known: `TIMEDSP_UNKNOWN`.
let unknownFrame: Int64 = -1
/// A time that is not known: `TIMEPLAY_NO_TIME`.
let unknownTime = UInt64.max
/// `TIMEDSP_MAX_FRAMES`.
let mostFrames: Int64 = 1 << 53
