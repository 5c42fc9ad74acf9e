// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// Reverses the order of frames in interleaved audio.
///
/// Frames are moved as a whole, so the channels keep their order. If you reverse twice, you get the
/// same bits back. The samples may be of any type, or just plain bytes.
///
/// ```swift
/// var stereo: [Float] = [1, -1, 2, -2, 3, -3]
/// try FrameReversal(of: Float.self, channels: 2).reverse(&stereo)
/// // 3, -3, 2, -2, 1, -1
/// ```
///
/// If your audio is planar, reverse each channel separately, with `channels: 1`.
public struct FrameReversal: Hashable, Sendable {
  /// Bytes per frame, 1 … 8192.
  public let frameBytes: Int

  /// Creates a reversal of frames of `frameBytes` bytes, e.g. 6 for stereo with packed 24-bit
  /// samples.
  ///
  /// - Parameter frameBytes: 1 … 8192.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public init(frameBytes: Int) throws(RetrogradeError) {
    try require(1...Int(TIMEDSP_MAX_FRAME_BYTES) ~= frameBytes, else: .badFrameSize)
    self.frameBytes = frameBytes
  }

  /// Creates a reversal of frames of `channels` samples.
  ///
  /// - Parameters:
  ///   - sample: The type of a sample.
  ///   - channels: Samples per frame, 1 … 1024.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public init<Sample: BitwiseCopyable>(
    of sample: Sample.Type, channels: Int = 1
  ) throws(RetrogradeError) {
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    try self.init(frameBytes: channels * MemoryLayout<Sample>.stride)
  }

  /// Reverses frames in place. This call is real-time: it doesn't allocate, lock or make system
  /// calls.
  ///
  /// - Parameter frames: A whole number of frames, possibly 0, with any alignment.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, in which case nothing is changed.
  public func reverse(_ frames: inout MutableRawSpan) throws(RetrogradeError) {
    try check(
      frames.withUnsafeMutableBytes { bytes in
        reverse(UnsafeRawBufferPointer(bytes), bytes)
      })
  }

  /// Copies frames to separate memory in reverse order. This call is real-time.
  ///
  /// - Parameters:
  ///   - frames: A whole number of frames, possibly 0, with any alignment.
  ///   - output: The same number of bytes as `frames`. They mustn't overlap.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, in which case nothing is written.
  public func reverse(
    _ frames: RawSpan, into output: inout MutableRawSpan
  ) throws(RetrogradeError) {
    try require(frames.byteCount == output.byteCount, else: .badOutput)
    try check(
      output.withUnsafeMutableBytes { target in
        frames.withUnsafeBytes { source in reverse(source, target) }
      })
  }

  private func reverse(
    _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer
  ) -> TimeDSPStatus {
    guard source.count.isMultiple(of: frameBytes) else { return TIMEDSP_BAD_LENGTH }
    return timedsp_reverse(
      source.baseAddress, target.baseAddress, source.count / frameBytes, frameBytes)
  }
}

// Calls for arrays.
extension FrameReversal {
  /// Reverses the frames of an array in place.
  ///
  /// - Parameter samples: A whole number of frames, as samples or bytes.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, in which case nothing is changed.
  public func reverse<Sample: BitwiseCopyable>(_ samples: inout [Sample]) throws(RetrogradeError) {
    try check(samples.withUnsafeMutableBytes { reverse(UnsafeRawBufferPointer($0), $0) })
  }

  /// Returns the frames of an array in reverse order.
  ///
  /// ```swift
  /// let backwards = try FrameReversal(of: Int16.self, channels: 2).reversed(recording)
  /// ```
  ///
  /// - Parameter samples: A whole number of frames, as samples or bytes.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public func reversed<Sample: BitwiseCopyable>(
    _ samples: [Sample]
  ) throws(RetrogradeError) -> [Sample] {
    var reversed = samples
    try reverse(&reversed)
    return reversed
  }
}
