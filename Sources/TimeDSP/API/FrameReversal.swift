// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// Puts the frames of interleaved audio into falling order: the last one first.
///
/// Frames are moved whole, so channels keep their order, and reversing twice returns the same bits.
/// Frames may consist of samples of any type, or of bytes.
///
/// ```swift
/// var stereo: [Float] = [1, -1, 2, -2, 3, -3]
/// try FrameReversal(of: Float.self, channels: 2).reverse(&stereo)
/// // 3, -3, 2, -2, 1, -1
/// ```
///
/// For planar audio, reverse each channel with `channels: 1`.
public struct FrameReversal: Hashable, Sendable {
  /// Bytes of one frame, 1 … 8192.
  public let frameBytes: Int

  /// Reverses frames of this many bytes, such as 6 for stereo in packed 24 bits.
  ///
  /// - Parameter frameBytes: 1 … 8192.
  /// - Throws: ``TimeDSPError/badFrameSize``.
  public init(frameBytes: Int) throws(TimeDSPError) {
    try require(1...Int(TIMEDSP_MAX_FRAME_BYTES) ~= frameBytes, else: .badFrameSize)
    self.frameBytes = frameBytes
  }

  /// Reverses frames of this many samples.
  ///
  /// - Parameters:
  ///   - sample: The type of a sample.
  ///   - channels: Samples in a frame, 1 … 1024.
  /// - Throws: ``TimeDSPError/badChannels``, ``TimeDSPError/badFrameSize``.
  public init<Sample: BitwiseCopyable>(
    of sample: Sample.Type, channels: Int = 1
  ) throws(TimeDSPError) {
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    try self.init(frameBytes: channels * MemoryLayout<Sample>.stride)
  }

  /// Reverses frames in place. Real-time: it neither allocates, locks nor calls the system.
  ///
  /// - Parameter frames: A whole number of frames, or none; of any alignment.
  /// - Throws: ``TimeDSPError/badLength``; nothing is changed then.
  public func reverse(_ frames: inout MutableRawSpan) throws(TimeDSPError) {
    try check(
      frames.withUnsafeMutableBytes { bytes in
        reverse(UnsafeRawBufferPointer(bytes), bytes)
      })
  }

  /// Copies frames to other memory, in falling order. Real-time.
  ///
  /// - Parameters:
  ///   - frames: A whole number of frames, or none; of any alignment.
  ///   - output: As many bytes, which share no memory with `frames`.
  /// - Throws: ``TimeDSPError/badLength``, ``TimeDSPError/badOutput``; nothing is written then.
  public func reverse(
    _ frames: RawSpan, into output: inout MutableRawSpan
  ) throws(TimeDSPError) {
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

// Arrays.
extension FrameReversal {
  /// Reverses the frames of an array in place.
  ///
  /// - Parameter samples: Samples, or bytes, of a whole number of frames.
  /// - Throws: ``TimeDSPError/badLength``; nothing is changed then.
  public func reverse<Sample: BitwiseCopyable>(_ samples: inout [Sample]) throws(TimeDSPError) {
    try check(samples.withUnsafeMutableBytes { reverse(UnsafeRawBufferPointer($0), $0) })
  }

  /// The frames of an array in falling order.
  ///
  /// ```swift
  /// let backwards = try FrameReversal(of: Int16.self, channels: 2).reversed(recording)
  /// ```
  ///
  /// - Parameter samples: Samples, or bytes, of a whole number of frames.
  /// - Throws: ``TimeDSPError/badLength``.
  public func reversed<Sample: BitwiseCopyable>(
    _ samples: [Sample]
  ) throws(TimeDSPError) -> [Sample] {
    var reversed = samples
    try reverse(&reversed)
    return reversed
  }
}
