// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// Plays audio in either direction, block by block, from any reader.
///
/// Your reader only has to seek and to read forward. It may be a file, a decoder or a network
/// stream. `Playback` requests frames. You append them, and get the output. Memory doesn't grow
/// with the length of the audio.
///
/// A block is what we read after one seek, at most 16 s (``PlaybackOptions/longestBlock``). Just
/// after a seek, a decoder may output wrong samples or frame numbers. That's why neighbouring
/// blocks overlap. We compare them there, and join them at a seam before you hear them. The output
/// is the same as if you'd read everything first and then reversed it.
///
/// ```swift
/// var playback = try Playback<Float>(
///   sampleRate: 48_000, channels: 2, frames: reader.length, direction: .backward)
/// while let samples = try playback.next(reading: reader.block) {
///   output(samples)
/// }
/// ```
///
/// ## Requirements on the reader
///
/// `Playback` requests a frame. You answer with any amount of audio (``AudioBlock``), or with the
/// end.
///
/// - **After a seek** (a request for a frame that doesn't follow the last answer), the answer
///   begins at the requested frame or anywhere before it. If it begins later, we request an earlier
///   frame next. The frame number of the answer may be off by up to 2048, and its first samples may
///   be wrong. The comparison of neighbouring blocks detects both errors.
/// - **After a request for frame 0**, the answer begins exactly at the beginning, with the right
///   frame number.
/// - **Without a seek**, each answer continues where the last answer ended. Its frame number may be
///   rounded, by less than 1/32 s. Repeated frames are dropped. A gap of 1/32 s or more is filled
///   with silence.
/// - **At the end**, the answer is `nil` or has no samples.
///
/// If your reader keeps returning nothing new, playback fails with
/// ``TimeDSPError/readerStuck(frame:)``. If every answer begins too late, playback fails with
/// ``TimeDSPError/audioMissing``. If the audio ends before the given length, playback ends with the
/// audio, and ``endedEarly`` tells you how many frames are missing.
///
/// ## Positions
///
/// You can change direction, position and loop at any time. A position is a boundary between two
/// frames: boundary n is before frame n, 0 is the beginning, and the length is the end. From
/// boundary n, playback continues with frame n in forward direction, and with frame n - 1 in
/// backward direction.
///
/// A `Playback` never waits, and calls nothing but your closure. Use it from one thread at a time.
public struct Playback<Sample: AudioSample>: ~Copyable, Sendable {
  /// Frames per second.
  public let sampleRate: Int
  /// Samples per frame.
  public let channels: Int
  /// The given length.
  public let frames: Int?

  var blocks: BlockPlayer
  /// Appended samples after the frames that `blocks` wanted.
  var rest: AudioBlock<Sample>?
  var reader: ReaderProgress<Sample>
  /// Seeks since the last output.
  var fetches = 0
  var hasEnded = false
  var heading: Direction
  var playhead: Int

  /// Creates a playback of a stream, at its beginning, or at its end if the direction is backward.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second, 1 … 10,000,000.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - frames: Length of the stream, 0 … 2^53. It may be an estimate. If it's `nil`, we search
  ///     for the end.
  ///   - direction: Initial direction.
  ///   - options: How the stream is read.
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
    playhead = direction == .forward ? 0 : frames ?? 0
    reader = ReaderProgress(sampleRate: sampleRate, channels: channels)
  }

  private static func format(_ sampleRate: Int, _ channels: Int) -> TimeBlocksFormat {
    var format = TimeBlocksFormat()
    format.rate = UInt32(clamping: sampleRate)
    (format.channels, format.planes) = (UInt32(clamping: channels), 1)
    format.sample_bytes = UInt32(MemoryLayout<Sample>.size)
    format.stride_bytes = format.channels * format.sample_bytes
    return format
  }

  // ---- the position ----

  /// The boundary at which playback continues. After ``seek(to:)``, it's the seek target.
  public var position: Int { playhead }

  /// A change takes effect at once, even after the end. After frame n, playback continues with n -
  /// 1 instead of n + 1, or vice versa. A `pingPong` loop sets this property, too.
  public var direction: Direction {
    get { heading }
    set {
      heading = newValue
      blocks.turn(newValue.code)
      if hasEnded {
        blocks.resume(newValue.code)
        beginAgain()
      }
    }
  }

  /// If you move the range, the loop pass through the old one ends first. If you switch the loop on
  /// or off, it takes effect at once.
  ///
  /// ```swift
  /// playback.loop = .pingPong(96_000..<192_000)
  /// ```
  public var loop = Loop.none {
    didSet { blocks.loop = loop.inFrames }
  }

  /// Continues at a new position, in the same direction. A new seek replaces an earlier one. If the
  /// target is in memory, nothing is read, so scrubbing is cheap.
  ///
  /// - Parameter boundary: 0 … the length. Other values are clamped.
  public mutating func seek(to boundary: Int) {
    playhead = min(max(boundary, 0), frames ?? .max)
    blocks.seek(to: known(boundary), heading.code)
    beginAgain()
  }

  /// How many frames before ``frames`` the audio ended. It's 0 until the reader has reached the
  /// end, or if you gave no length.
  ///
  /// Decoders drop a few of the frames that they announce. If more than half a second is missing,
  /// your file was cut off.
  public var endedEarly: Int {
    guard let frames, let end = reader.end else { return 0 }
    return max(frames - max(end, 0), 0)
  }

  /// What the comparisons of neighbouring blocks found.
  public var statistics: PlaybackStatistics {
    let counts = blocks.stats
    return PlaybackStatistics(
      blocks: Int(clamping: counts.blocks), seamsVerified: Int(clamping: counts.seamsEqual),
      seamsAligned: Int(clamping: counts.seamsShifted),
      seamsFaded: Int(clamping: counts.seamsFaded), seamsUnlike: blocks.oddSeams)
  }
}

extension Playback {
  private mutating func beginAgain() {
    (hasEnded, fetches) = (false, 0)
    reader.forgive()
  }
}

/// An unknown frame or end: `TIMEDSP_UNKNOWN`.
let unknownFrame: Int64 = -1
/// A reader that works needs fewer seeks without output. Searches for the end and for the preroll
/// double their distance at each seek.
let maxFetches = 100
let maxFrames: Int64 = 1 << 53

/// Above `maxFrames`, a boundary stands for the end.
func known(_ boundary: Int) -> Int64 {
  boundary > maxFrames ? unknownFrame : Int64(max(boundary, 0))
}
