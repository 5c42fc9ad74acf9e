// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// The direction of playback.
public enum Direction: Hashable, Sendable {
  /// Frame n + 1 follows frame n.
  case forward
  /// Frame n - 1 follows frame n.
  case backward

  var code: TimeDSPDirection { self == .forward ? TIMEDSP_FORWARD : TIMEDSP_BACKWARD }
}

/// The range that a ``Playback`` repeats.
///
/// Frames that are not in the stream do not count. Playback outside of the range continues until it
/// reaches it.
public enum Loop: Hashable, Sendable {
  /// It plays to the end, or to the beginning.
  case none
  /// It plays these frames again and again, in its direction.
  case repeating(Range<Int>)
  /// It turns at both ends. The frame at the turn is played once.
  case pingPong(Range<Int>)

  /// In the terms of the blocks.
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
  /// Frames that are read and dropped before each block, for a decoder to settle. `nil`: 0.7
  /// seconds, and up to eight times as many if that is not enough. 0 is right for audio without a
  /// decoder.
  public var prerollFrames: Int?
  /// The longest block, in frames; `nil`: 16 seconds.
  public var longestBlock: Int?
  /// The most memory for blocks, in bytes.
  public var memoryBytes = 64 << 20
  /// Whether a splice is crossfaded in 5 ms if the same audio is never read twice alike; otherwise
  /// it is ``TimeDSPError/spliceNotExact``.
  public var mayFade = true

  /// The options as they are by default.
  public init() {}

  /// In the terms of the blocks.
  func settings(sampleRate: Int) -> BlockSettings {
    BlockSettings(
      maxBlockFrames: min(Int64(max(longestBlock ?? 16 * sampleRate, 0)), mostFrames),
      prerollFrames: prerollFrames.map { min(Int64(max($0, 0)), mostFrames) } ?? unknownFrame,
      maxMemoryBytes: UInt64(clamping: memoryBytes), isExact: !mayFade)
  }
}

/// Results of a ``Playback`` at the seams of its blocks, since it was made.
public struct PlaybackStatistics: Hashable, Sendable {
  /// Blocks that were read.
  public internal(set) var blocks = 0
  /// Splices at which both blocks held the same samples.
  public internal(set) var splicesVerified = 0
  /// Splices at which they did so at another place: the reader counts frames otherwise
  /// after a seek.
  public internal(set) var splicesAligned = 0
  /// Splices that had to be faded, …
  public internal(set) var splicesFaded = 0
  /// … and the number of those whose two runs do not even sound alike.
  public internal(set) var splicesUnlike = 0
}

/// A request of a ``Playback``, or its output.
public enum PlaybackStep<Sample: AudioSample>: Sendable {
  /// Audio from this frame on is needed. Unless the reader is there, move it there, or to any frame
  /// before; then append a block of audio, or report the end.
  case read(from: Int)
  /// Interleaved samples of the next frames, in the order of output: 1/25 s at most.
  case play([Sample])
  /// Everything has been played.
  case end
}

extension PlaybackStep: Equatable where Sample: Equatable {}

/// Audio from a reader.
public struct AudioBlock<Sample: AudioSample>: Sendable {
  /// The number of its first frame; may be below 0 if a decoder begins earlier.
  public var frame: Int
  /// Interleaved samples of a whole number of frames.
  public var samples: [Sample]

  /// A block that begins at a frame.
  public init(at frame: Int, _ samples: [Sample]) {
    (self.frame, self.samples) = (frame, samples)
  }
}
