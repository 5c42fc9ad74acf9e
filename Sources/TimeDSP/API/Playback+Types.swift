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
