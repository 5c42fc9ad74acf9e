// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// Plays audio in either direction, block by block, from any reader.
///
/// A reader that goes forward and can seek is enough: a file, a decoder, a network stream. The
/// playback says which frames it needs, the application appends them, and receives the output.
/// Memory stays the same, however long the audio is. Neighbouring blocks overlap, and are compared
/// before their splice is played, so the output is the same as from reading everything and
/// reversing it, even with a decoder whose samples or frame numbers differ just after a seek.
///
/// ```swift
/// var playback = try Playback<Float>(
///   sampleRate: 48_000, channels: 2, frames: reader.length, direction: .backward)
/// while let samples = try playback.next(reading: reader.block) {
///   output(samples)
/// }
/// ```
///
/// ## What the reader has to do
///
/// A request names a frame; the answer is a block of audio, or the end.
///
/// - **After a seek**, that is, if the frame is not the one after its last block: the block begins
///   at that frame, or before it, as far as it likes. If it begins later, an earlier frame is
///   requested. Its number may be off by up to 2048 frames, and its samples may be wrong for as
///   long as a decoder takes to settle: neighbouring blocks show that.
/// - **At frame 0** it returns the beginning exactly, with the right number.
/// - **Otherwise** each block continues where the last one has ended. Its number may be rounded, by
///   less than 1/32 s. Repeated frames are dropped. If 1/32 s or more is left out, the hole is
///   silent.
/// - **At the end** it reports the end: by no block, or an empty one.
///
/// A reader that returns nothing new repeatedly is ``TimeDSPError/readerStuck(frame:)``; one that
/// is late for every block, ``TimeDSPError/audioMissing``. Audio that ends before the given length
/// is played as far as it goes, and ``endedEarly`` states how much is missing.
///
/// ## Positions
///
/// Direction, position and loop can change at any time. A position is a boundary between two
/// frames: boundary n lies before frame n, 0 at the beginning and the length at the end. From
/// boundary n, frame n is played next forwards, and frame n - 1 backwards.
///
/// It never waits, and calls nothing but the given closure; it belongs to one thread at a time.
public struct Playback<Sample: AudioSample>: ~Copyable, Sendable {
  /// Frames in a second.
  public let sampleRate: Int
  /// Samples in a frame.
  public let channels: Int
  /// The given length, in frames.
  public let frames: Int?

  var blocks: BlockPlayer
  /// Appended samples after the end of the last run.
  var rest: AudioBlock<Sample>?
  var reader: ReaderProgress<Sample>
  /// Number of seeks of the reader since the last output.
  var fetches = 0
  var hasEnded = false
  var heading: Direction
  var place: Int

  /// A playback of a stream, at its beginning, or backward at its end.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames in a second, 1 … 10,000,000.
  ///   - channels: Samples in a frame, 1 … 1024.
  ///   - frames: Length of the stream, 0 … 2^53, as good as it is known; `nil`: it is looked for.
  ///   - direction: Which way it begins to play.
  ///   - options: How it reads.
  /// - Throws: ``TimeDSPError/badSampleRate``, ``TimeDSPError/badChannels``,
  ///   ``TimeDSPError/badFrameCount``, ``TimeDSPError/noMemory``.
  public init(
    sampleRate: Int, channels: Int = 1, frames: Int? = nil, direction: Direction = .forward,
    options: PlaybackOptions = PlaybackOptions()
  ) throws(TimeDSPError) {
    try require(1...10_000_000 ~= sampleRate, else: .badSampleRate)
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    _ = try frameCount(frames ?? 0)
    do throws(TimeDSPStatus) {
      blocks = try BlockPlayer(
        Self.format(sampleRate, channels), length: Int64(frames ?? -1), direction.code,
        options.settings(sampleRate: sampleRate), convert: Sample.coding.convert)
    } catch {
      throw .of(error)
    }
    (self.sampleRate, self.channels, self.frames) = (sampleRate, channels, frames)
    heading = direction
    place = direction == .forward ? 0 : frames ?? 0
    reader = ReaderProgress(sampleRate: sampleRate, channels: channels)
  }

  private static func format(_ sampleRate: Int, _ channels: Int) -> TimePlayFormat {
    var format = TimePlayFormat()
    format.rate = UInt32(clamping: sampleRate)
    (format.channels, format.planes) = (UInt32(clamping: channels), 1)
    format.sample_bytes = UInt32(MemoryLayout<Sample>.size)
    format.stride_bytes = format.channels * format.sample_bytes
    return format
  }

  // ---- the position ----

  /// The boundary at which it plays; after ``seek(to:)``, the target. `frames` is the end.
  public var position: Int { place }

  /// The direction. As soon as it changes, frame n is followed by n - 1 instead of n + 1, or the
  /// other way round; at an end of the stream, too. `pingPong` changes it as well.
  public var direction: Direction {
    get { heading }
    set {
      heading = newValue
      blocks.turn(newValue.code)
      if hasEnded {
        blocks.resume(newValue.code)
        beginAnew()
      }
    }
  }

  /// The range that is repeated. A moved range takes effect at the next pass; switching a loop on
  /// or off takes effect immediately.
  ///
  /// ```swift
  /// playback.loop = .pingPong(96_000..<192_000)
  /// ```
  public var loop = Loop.none {
    didSet { blocks.loop = loop.inFrames }
  }

  /// Continues at another position, in the same direction. The newest one counts; one that is in
  /// memory is played without reading, so that scrubbing is cheap.
  ///
  /// - Parameter boundary: 0 … the length; values beyond are clamped.
  public mutating func seek(to boundary: Int) {
    place = min(max(boundary, 0), frames ?? .max)
    blocks.seek(to: known(boundary), heading.code)
    beginAnew()
  }

  /// The missing frames at the end of ``frames``, if the reader has ended before them: 0 until it
  /// has, and if no length was given. Decoders drop some of the frames that they announce; more
  /// than half a second means that the file was cut off.
  public var endedEarly: Int {
    guard let frames, let end = reader.end else { return 0 }
    return max(frames - max(end, 0), 0)
  }

  /// Results of the comparisons of neighbouring blocks.
  public var statistics: PlaybackStatistics {
    let counts = blocks.stats
    return PlaybackStatistics(
      blocks: Int(clamping: counts.blocks), splicesVerified: Int(clamping: counts.splices_verified),
      splicesAligned: Int(clamping: counts.splices_aligned),
      splicesFaded: Int(clamping: counts.splices_faded), splicesUnlike: blocks.oddSplices)
  }
}

extension Playback {
  private mutating func beginAnew() {
    (hasEnded, fetches) = (false, 0)
    reader.forgive()
  }
}

/// A frame, or an end, that is not known: `TIMEDSP_UNKNOWN`.
let unknownFrame: Int64 = -1
/// Most seeks of a reader before any output: an end is searched for in doubling steps, and so are
/// positions from which decoders settle.
let mostFetches = 100
/// `TIMEDSP_MAX_FRAMES`.
let mostFrames: Int64 = 1 << 53

/// A boundary as the blocks count it; beyond all streams lies the end of each.
func known(_ boundary: Int) -> Int64 {
  boundary > mostFrames ? unknownFrame : Int64(max(boundary, 0))
}
