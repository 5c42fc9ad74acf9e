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
      blocks.setDirection(newValue.code)
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

/// The direction of playback.
public enum Direction: Hashable, Sendable {
  /// Frame n + 1 follows frame n.
  case forward
  /// Frame n - 1 follows frame n.
  case backward

  var code: TimeDSPDirection { self == .forward ? TIMEDSP_FORWARD : TIMEDSP_BACKWARD }
}

/// The range of frames that a ``Playback`` repeats.
///
/// Any part outside the stream is ignored. If the position is outside the range, playback goes on
/// until it gets there.
public enum Loop: Hashable, Sendable {
  /// Playback continues to the end, or in reverse to the beginning.
  case none
  /// The range is played again and again, in the current direction.
  case repeating(Range<Int>)
  /// The direction changes at both ends. The frame at an end isn't played twice.
  case pingPong(Range<Int>)

  var inFrames: (TimeDSPLoop, start: Int64, stop: Int64) {
    switch self {
    case .none: (TIMEDSP_LOOP_NONE, 0, unknownFrame)
    case .repeating(let frames):
      (TIMEDSP_LOOP_REPEAT, known(frames.lowerBound), known(frames.upperBound))
    case .pingPong(let frames):
      (TIMEDSP_LOOP_PING_PONG, known(frames.lowerBound), known(frames.upperBound))
    }
  }
}

/// How a ``Playback`` reads.
public struct PlaybackOptions: Hashable, Sendable {
  /// Number of frames to read and drop before each block, because a decoder's output may be wrong
  /// just after a seek. `nil` means 0.7 seconds, and up to eight times as much if that's too
  /// little. Use 0 if nothing is decoded.
  public var prerollFrames: Int?
  /// Maximum length of a block, in frames. `nil` means 16 seconds.
  public var longestBlock: Int?
  /// Limit on the memory for blocks, in bytes.
  public var memoryBytes = 64 << 20
  /// If the reader never returns the same audio twice, we crossfade within 5 ms at a seam. If you
  /// forbid that, playback fails with ``TimeDSPError/seamNotExact``.
  public var mayFade = true

  /// The default options.
  public init() {}

  func settings(sampleRate: Int) -> TimeBlocksSettings {
    TimeBlocksSettings(
      max_block_frames: min(Int64(max(longestBlock ?? 16 * sampleRate, 0)), maxFrames),
      preroll_frames: prerollFrames.map { min(Int64(max($0, 0)), maxFrames) } ?? unknownFrame,
      max_memory_bytes: UInt64(clamping: memoryBytes), is_exact: mayFade ? 0 : 1,
      loop: TIMEDSP_LOOP_NONE, loop_start_frame: 0, loop_stop_frame: unknownFrame)
  }
}

/// What a ``Playback`` has counted since you created it.
public struct PlaybackStatistics: Hashable, Sendable {
  /// Blocks that were read.
  public internal(set) var blocks = 0
  /// Seams at which both blocks had the same samples.
  public internal(set) var seamsVerified = 0
  /// Seams at which both blocks had the same samples under different numbers. Some readers count
  /// differently after a seek.
  public internal(set) var seamsAligned = 0
  /// Seams that were crossfaded, because the samples of both blocks differed.
  public internal(set) var seamsFaded = 0
  /// Crossfaded seams at which the two blocks weren't even similar. ``seamsFaded`` counts them,
  /// too.
  public internal(set) var seamsUnlike = 0
}

/// What a ``Playback`` asks you to do.
public enum PlaybackStep<Sample: AudioSample>: Sendable {
  /// Read from this frame on. Unless your reader is already there, seek to this frame or to any
  /// earlier one. Then append some audio, or report the end.
  case read(from: Int)
  /// Play these interleaved samples, at most 1/25 s of them.
  case play([Sample])
  /// You're done.
  case end
}

extension PlaybackStep: Equatable where Sample: Equatable {}

/// Audio from a reader.
public struct AudioBlock<Sample: AudioSample>: Sendable {
  /// The number of the first frame. Some decoders output audio before frame 0, so it may be
  /// negative.
  public var frame: Int
  /// Interleaved samples of a whole number of frames.
  public var samples: [Sample]

  /// Creates a block whose first frame has the number `frame`.
  public init(at frame: Int, _ samples: [Sample]) {
    (self.frame, self.samples) = (frame, samples)
  }
}

// The output.
extension Playback {
  /// Returns the next frames of the output, and reads what it needs.
  ///
  /// - Parameter read: Returns any amount of audio, beginning at the given frame or before it. At
  ///   the end, returns `nil` or no samples. How inaccurate it may be, you'll find at ``Playback``.
  /// - Returns: At most 1/25 s of interleaved samples, or `nil` at the end.
  /// - Throws: The errors of ``next()``, ``TimeDSPError/badLength``, and the errors of the reader.
  ///   If the reader fails, the next call requests the same frames.
  public mutating func next(
    reading read: (_ frame: Int) throws -> AudioBlock<Sample>?
  ) throws -> [Sample]? {
    while true {
      switch try next() {
      case .play(let samples): return samples
      case .end: return nil
      case .read(let frame):
        if let block = try read(frame) {
          try append(block.samples, at: block.frame)
        } else {
          endOfAudio()
        }
      }
    }
  }

  /// Returns what you do next: read audio, or play samples.
  ///
  /// ```swift
  /// switch try playback.next() {
  /// case .read(let frame):
  ///   if reader.position != frame { try reader.seek(to: frame) }
  ///   let begin = reader.position
  ///   try playback.append(reader.read(), at: begin)
  /// case .play(let samples): output(samples)
  /// case .end: stop()
  /// }
  /// ```
  ///
  /// - Throws: ``TimeDSPError/noMemory``, ``TimeDSPError/seamNotExact``,
  ///   ``TimeDSPError/audioMissing``, ``TimeDSPError/endedEarly(frames:)``,
  ///   ``TimeDSPError/readerStuck(frame:)``. Playback then stops until you call ``seek(to:)``.
  public mutating func next() throws(TimeDSPError) -> PlaybackStep<Sample> {
    while true {
      switch blocks.next() {
      case .wait:
        if useRest() { continue }
        if let step = try ask() { return step }
      case .read(let frame):
        fetches += 1
        rest = nil
        reader.seek(to: Int(clamping: frame))
      case .frames(let frames):
        fetches = 0
        return .play(try samples(of: frames))
      case .end: hasEnded = true
      case .failed(let report, let frames):
        hasEnded = true
        throw error(of: report, frames)
      }
    }
  }

  /// If the reader is stuck near the given length, we take it for the end, and return `nil`.
  private mutating func ask() throws(TimeDSPError) -> PlaybackStep<Sample>? {
    guard !hasEnded, blocks.isFilling else { return .end }
    let frame = reader.request()
    guard reader.isStuck || reader.leavesOut || fetches > maxFetches else {
      return .read(from: frame)
    }
    if reader.isStuck, let frames, frame >= frames - sampleRate / 2 {
      endOfAudio()
      return nil
    }
    hasEnded = true
    if reader.leavesOut { throw .audioMissing }
    throw .readerStuck(frame: frame)
  }

  /// In the order of output.
  private mutating func samples(of frames: BlockPlayer.Frames) throws(TimeDSPError) -> [Sample] {
    let count = frames.count * channels
    var status = TIMEDSP_OK
    let samples = [Sample](unsafeUninitializedCapacity: count) { target, made in
      guard let to = target.baseAddress, let from = frames.samples else { return }
      if frames.isBackward {
        status = timedsp_reverse(
          from, to, frames.count, channels * MemoryLayout<Sample>.stride)
      } else {
        UnsafeMutableRawPointer(to).copyMemory(
          from: from, byteCount: count * MemoryLayout<Sample>.stride)
      }
      made = count
    }
    try check(status)
    heading = frames.isBackward ? .backward : .forward
    playhead = Int(clamping: frames.frame) + (frames.isBackward ? 0 : frames.count)
    return samples
  }

  private func error(of report: TimeBlocksCode, _ frames: Int64) -> TimeDSPError {
    switch report {
    case TIMEBLOCKS_NO_MEMORY: .noMemory
    case TIMEBLOCKS_NOT_EXACT: .seamNotExact
    case TIMEBLOCKS_BROKEN_OFF: .endedEarly(frames: Int(clamping: frames))
    default: .audioMissing
    }
  }
}

// The input.
extension Playback {
  /// If true, you may append audio now, even before ``next()`` requests it. Begin at the frame that
  /// ``next()`` requested, or where the last appended audio ended.
  public var wantsAudio: Bool { reader.isReady && blocks.isFilling }

  /// Audio that came too early may be needed by now.
  @discardableResult
  private mutating func useRest() -> Bool {
    guard let rest, blocks.isFilling else { return false }
    self.rest = nil
    add(rest.samples.span, at: rest.frame)
    return true
  }

  /// Appends requested audio. If there's more than we need, the rest is ignored.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames, or none at the end of the audio.
  ///   - frame: The number of the first frame, −2^53 … 2^53. How far off it may be, you'll find at
  ///     ``Playback``.
  /// - Throws: ``TimeDSPError/badLength``. Nothing is appended then.
  public mutating func append(
    _ samples: Span<Sample>, at frame: Int
  ) throws(TimeDSPError) {
    try require(samples.count.isMultiple(of: channels), else: .badLength)
    try require(Int64(frame).magnitude <= maxFrames.magnitude, else: .badLength)
    useRest()
    guard wantsAudio, !reader.skips(to: frame) else { return }
    if samples.isEmpty { return endOfAudio() }
    guard let known = reader.accept(samples, at: frame) else { return }
    add(samples.extracting((known * channels)...), at: frame + known)
  }

  /// Appends requested audio from an array.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames, or none at the end of the audio.
  ///   - frame: The number of the first frame.
  /// - Throws: ``TimeDSPError/badLength``. Nothing is appended then.
  public mutating func append(_ samples: [Sample], at frame: Int) throws(TimeDSPError) {
    try append(samples.span, at: frame)
  }

  /// Tells us that the audio has ended. If you've appended none since a seek, we may have asked for
  /// a frame after the end. So we ask for an earlier one next.
  public mutating func endOfAudio() {
    useRest()
    if wantsAudio, reader.acceptEnd() { blocks.endOfStream() }
  }

  private mutating func add(_ samples: Span<Sample>, at frame: Int) {
    guard !samples.isEmpty else { return }
    let used = samples.withUnsafeBytes {
      blocks.add($0.baseAddress, frames: samples.count / channels, at: Int64(frame))
    }
    if let used { keepRest(of: samples, at: frame, from: used) }
  }

  /// Keeps the samples from frame index `used` on. They may be needed next.
  private mutating func keepRest(of samples: Span<Sample>, at frame: Int, from used: Int) {
    guard used < samples.count / channels else { return }
    let left = samples.extracting((used * channels)..<samples.count)
    rest = AudioBlock(at: frame + used, left.withUnsafeBufferPointer { Array($0) })
  }
}

/// Tracks what we request from a reader, and what it answers. From frame numbers and samples we
/// learn which frames are new, where the stream ends, and if the reader makes progress.
///
/// A block is one answer. It's idle if all of its frames have already arrived since the seek. After
/// a seek, the first block is useless if it begins after the needed frame. The next request then
/// goes back twice as far, down to frame 0, so the number of reads is bounded.
struct ReaderProgress<Sample: AudioSample> {
  /// The last requested frame, or the next one to request.
  private(set) var asked = 0
  private var isRequested = false
  /// The lowest boundary at which the reader has reported the end, unless audio after it has
  /// arrived. `nil` if we don't know.
  private(set) var end: Int?

  private let channels: Int
  /// Frame numbers that deviate less are only rounded: 1/32 s, as in `Decode`.
  private let rounding: Int
  private let second: Int

  private var target = 0
  /// If the reader has begun too late, a request is this many frames before the needed frame.
  private var lead = 0
  /// The frame number after the last block since the seek, or `nil` before the first block.
  private var next: Int?
  private var reached = 0
  private var farthest = 0
  /// Frames in the last idle blocks. No block counts more than 1/256 s.
  private var idle = 0
  /// Consecutive blocks that began `lead` frames after the end of the previous block.
  private var lateBlocks = 0
  /// The last frames since the seek. If a block begins before the end of the previous one, they
  /// show which it is: repeated frames, or a rounded number.
  private var tail: [Sample] = []
  /// If the reader rounds frame numbers, a block may seem to begin before or after the end of the
  /// previous one.
  private var isRounded = false

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    second = sampleRate
    rounding = max(sampleRate / 32, 1)
  }

  /// Rounded frame numbers may go back and forth, each time by less than `rounding`. So we tolerate
  /// twice as many idle frames.
  var isStuck: Bool { idle > 2 * rounding }

  /// If the reader seeks for each block, and always begins too late, frames are missing before each
  /// block. Rounding doesn't explain eight such blocks in a row.
  var leavesOut: Bool { lateBlocks >= 8 }

  /// After a seek, we must have requested a frame first.
  var isReady: Bool { isRequested || next != nil }

  /// Without a seek, audio at `frame` would leave a gap after the last block.
  func skips(to frame: Int) -> Bool {
    guard let next, !isRequested else { return false }
    return frame - next >= rounding
  }

  /// Unless the reader is already at the returned frame, it must seek there.
  mutating func request() -> Int {
    isRequested = true
    return asked
  }

  mutating func seek(to frame: Int) {
    target = frame
    ask(for: frame - lead)
    next = nil
    idle = 0
    tail.removeAll(keepingCapacity: true)
  }

  /// The application's seek or other change is no fault of the reader.
  mutating func forgive() { (idle, lateBlocks) = (0, 0) }

  private mutating func ask(for frame: Int) {
    asked = max(frame, 0)
    isRequested = false
  }

  /// The last block was useless, so we ask farther before `target`.
  private mutating func lookBack(by frames: Int) {
    lead = min(max(2 * lead, frames), .max / 4)
    ask(for: target - lead)
  }
}

// Answers of the reader.
extension ReaderProgress {
  /// Returns how many frames of the block's beginning are repetitions, or `nil` if it's useless and
  /// you must request a different frame.
  mutating func accept(_ samples: Span<Sample>, at frame: Int) -> Int? {
    let count = samples.count / channels
    var known = 0
    if let next {
      lateBlocks = lead > 0 && frame - next == lead ? lateBlocks + 1 : 0
      known = framesKnown(of: samples, from: next - frame)
    } else if frame > target, asked > 0 {
      lookBack(by: frame - asked)
      return nil
    } else {
      (lead, reached) = (max(frame - asked, 0), frame)
    }
    note(samples, count, known, at: frame)
    return known
  }

  /// The audio ends after the last block. If there's been none since the seek, we request an
  /// earlier frame next, and return `false`.
  mutating func acceptEnd() -> Bool {
    if next == nil, asked > 0 {
      lookBack(by: second)
      return false
    }
    let position = next ?? 0
    end = max(min(end ?? position, position), farthest)
    return true
  }

  private func weight(_ count: Int) -> Int { max(min(count, rounding / 8), 1) }

  private mutating func note(_ samples: Span<Sample>, _ count: Int, _ known: Int, at frame: Int) {
    let stop = frame + count
    idle = stop > reached ? 0 : idle + weight(count)
    reached = max(reached, stop)
    farthest = max(farthest, stop)
    if let end, stop > end { self.end = nil }  // the audio continues after that end
    if known < count || next == nil { next = stop }
    ask(for: next ?? stop)
    keep(samples.extracting((known * channels)...))
  }

  private mutating func keep(_ samples: Span<Sample>) {
    let most = min(rounding, maxSamplesKept / channels) * channels
    let last = samples.extracting(max(samples.count - most, 0)...)
    let surplus = tail.count + last.count - most
    if surplus > 0 { tail.removeFirst(min(surplus, tail.count)) }
    last.withUnsafeBufferPointer { tail.append(contentsOf: $0) }
  }

  /// Its frame number puts the block `back` frames before the end of the previous block. That may
  /// be rounding, so we compare the samples. If we know that the reader rounds, all frames count as
  /// new.
  private mutating func framesKnown(of samples: Span<Sample>, from back: Int) -> Int {
    let known = min(max(back, 0), samples.count / channels)
    if abs(back) >= rounding || back == 0 { return known }
    if !isRounded { isRounded = back < 0 || !repeats(samples, known, from: back) }
    return isRounded ? 0 : known
  }

  /// Compares the first `known` frames of `samples` with those `back` frames before the end of
  /// `tail`. We don't compare what `tail` no longer has.
  private func repeats(_ samples: Span<Sample>, _ known: Int, from back: Int) -> Bool {
    let first = max(back - tail.count / channels, 0)
    guard first < known else { return true }
    let block = samples.extracting((first * channels)..<(known * channels))
    let begin = tail.count - (back - first) * channels
    return tail.span.extracting(begin..<(begin + block.count)).holdsTheSame(as: block)
  }
}

/// Enough to tell rounding from repetition.
private let maxSamplesKept = 1 << 16

extension Span where Element: BitwiseCopyable {
  /// Compares bytes, as `DecodeSearch` does.
  fileprivate func holdsTheSame(as other: Span<Element>) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }
}
