// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// Stretches or compresses a stream of interleaved audio in time, exact to the frame.
///
/// n frames become ⌊n × factor⌋, however you divide the stream into calls. The pitch follows the
/// speed, as on a tape. Output frame k is read at input position k / factor. Positions are exact
/// fractions, so nothing drifts over hours.
///
/// ```swift
/// var scaler = try Scaler<Float>(factor: 1.5, channels: 2)
/// var slow = try scaler.process(first)
/// slow += try scaler.process(second)
/// slow += try scaler.finish()
/// ```
///
/// Use a scaler from one thread at a time. It allocates its memory when you create it.
/// ``process(_:into:)`` and ``finish(into:)`` are real-time: they don't allocate, lock or make
/// system calls.
public struct Scaler<Sample: AudioSample>: ~Copyable, Sendable {
  /// Samples per frame, 1 … 1024.
  public let channels: Int
  private var core: TimeDSPCore.Scaler

  /// What one call has done.
  public struct Progress: Hashable, Sendable {
    /// Input frames consumed. Pass the others again in the next call.
    public let framesConsumed: Int
    /// Frames written.
    public let framesProduced: Int
  }

  /// Creates a scaler for a stream of any length.
  ///
  /// - Parameters:
  ///   - factor: Duration of the output / duration of the input, 0.01 … 100.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - interpolation: How values between two frames are computed.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public init(
    factor: Double, channels: Int = 1, interpolation: Interpolation = .sinc
  ) throws(RetrogradeError) {
    core = try Self.made(Self.configuration(channels, interpolation), factor)
    self.channels = channels
  }

  private static func made(
    _ config: TimeDSPConfig, _ factor: Double
  ) throws(RetrogradeError) -> TimeDSPCore.Scaler {
    do throws(TimeDSPStatus) { return try TimeDSPCore.Scaler(config, factor: factor) } catch {
      throw .of(error)
    }
  }

  private static func configuration(_ channels: Int, _ interpolation: Interpolation)
    -> TimeDSPConfig
  {
    TimeDSPConfig(
      format: Sample.coding.format, layout: TIMEDSP_INTERLEAVED,
      interpolation: interpolation.code, channels: UInt32(clamping: channels),
      quality: interpolation.qualityCode)
  }

  /// The latency in input frames: the interpolation reads this many frames after a position.
  public var lookahead: Int { core.latency }

  /// How many output frames you'll get at most if the input ends after `frames` more frames. It's
  /// at most two frames too high, or more while the factor changes.
  ///
  /// - Parameter frames: 0 … 2^53.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public func maximumOutput(of frames: Int) throws(RetrogradeError) -> Int {
    let count = try frameCount(frames)
    do throws(TimeDSPStatus) { return Int(clamping: try core.framesDue(after: count)) } catch {
      throw .of(error)
    }
  }

  /// Changes the factor, beginning with the next output frame. No frame is skipped or read twice.
  ///
  /// - Parameters:
  ///   - factor: 0.01 … 100.
  ///   - frames: The speed changes linearly within this many input frames, 0 … 2^53. With 0, it
  ///     changes at once.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func setFactor(_ factor: Double, within frames: Int = 0) throws(RetrogradeError) {
    let count = try frameCount(frames)
    do throws(TimeDSPStatus) { try core.ramp(to: factor, within: count) } catch {
      throw .of(error)
    }
  }

  /// Discards the stream, and starts again with the current factor.
  public mutating func reset() { core.reset() }

  /// Scales the next part of the stream. This call is real-time.
  ///
  /// - Parameters:
  ///   - input: A whole number of frames, possibly 0.
  ///   - output: A whole number of frames. All of the input is consumed unless the output fills up
  ///     first.
  /// - Returns: The numbers of frames consumed and written.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/finished``. Nothing is read or written
  ///   then.
  public mutating func process(
    _ input: Span<Sample>, into output: inout MutableSpan<Sample>
  ) throws(RetrogradeError) -> Progress {
    let inFrames = try frameCount(ofSamples: input.count, channels)
    let capacity = try frameCount(ofSamples: output.count, channels)
    return try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      try input.withUnsafeBufferPointer { source throws(RetrogradeError) in
        var (from, to) = (
          UnsafeRawPointer(source.baseAddress), UnsafeMutableRawPointer(target.baseAddress)
        )
        do throws(TimeDSPStatus) {
          let (used, made) = try core.process(
            &from, frames: inFrames, into: &to, capacity: capacity)
          return Progress(framesConsumed: used, framesProduced: made)
        } catch { throw .of(error) }
      }
    }
  }

  /// Ends the input, and writes the remaining frames. This call is real-time.
  ///
  /// - Parameter output: A whole number of frames.
  /// - Returns: The number of frames written. Call this method until it returns 0.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish(
    into output: inout MutableSpan<Sample>
  ) throws(RetrogradeError) -> Int {
    let capacity = try frameCount(ofSamples: output.count, channels)
    return try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      var to = UnsafeMutableRawPointer(target.baseAddress)
      do throws(TimeDSPStatus) { return try core.finish(into: &to, capacity: capacity) } catch {
        throw .of(error)
      }
    }
  }
}

// Scaling of arrays.
extension Scaler {
  /// Scales the next part of the stream, and returns all frames that are complete.
  ///
  /// - Parameter input: A whole number of frames, possibly 0.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/finished``.
  public mutating func process(_ input: [Sample]) throws(RetrogradeError) -> [Sample] {
    var output = try [Sample](framesOfRoom: maximumOutput(of: input.count / channels), channels)
    var target = output.mutableSpan
    let made = try process(input.span, into: &target).framesProduced
    output.removeLast(output.count - made * channels)
    return output
  }

  /// Ends the stream, and returns what's left.
  ///
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish() throws(RetrogradeError) -> [Sample] {
    var output = try [Sample](framesOfRoom: maximumOutput(of: 0), channels)
    var target = output.mutableSpan
    let made = try finish(into: &target)
    output.removeLast(output.count - made * channels)
    return output
  }

  /// The number of output frames for `frames` input frames: ⌊frames × factor⌋. A factor stands for
  /// the simplest fraction that converts to the same number, so 10 × 0.7 is 7.
  ///
  /// - Parameters:
  ///   - frames: 0 … 2^53.
  ///   - factor: 0.01 … 100.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, or
  ///   ``RetrogradeError/Code/invalidArgument`` if the result is above 2^53.
  public static func scaledLength(
    _ frames: Int, by factor: Double
  ) throws(RetrogradeError) -> Int {
    let count = try frameCount(frames)
    do throws(TimeDSPStatus) {
      return Int(clamping: try TimeDSPCore.Scaler.length(of: count, scaledBy: factor))
    } catch { throw .of(error) }
  }

  /// Fits a whole recording to a length and keeps its first and last frame. Output frame i of n
  /// input frames is read at position i × (n - 1) / (length - 1).
  ///
  /// ```swift
  /// let half = try Scaler.fitted(recording, to: 1_000, channels: 2)
  /// ```
  ///
  /// - Parameters:
  ///   - samples: A whole number of frames, at least one unless `length` is 0.
  ///   - length: Number of output frames, 0 … 2^53.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - interpolation: How values between two frames are computed.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public static func fitted(
    _ samples: [Sample], to length: Int, channels: Int = 1, interpolation: Interpolation = .sinc
  ) throws(RetrogradeError) -> [Sample] {
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    try require(samples.count.isMultiple(of: channels), else: .badLength)
    _ = try frameCount(length)
    try require(!samples.isEmpty || length == 0, else: .noAudio)
    let (count, isTooLong) = length.multipliedReportingOverflow(by: channels)
    try require(!isTooLong, else: .outOfMemory)
    let config = configuration(channels, interpolation)
    var status = TIMEDSP_OK
    let output = [Sample](unsafeUninitializedCapacity: count) { target, made in
      status = samples.withUnsafeBufferPointer { source in
        var (from, to) = (
          UnsafeRawPointer(source.baseAddress), UnsafeMutableRawPointer(target.baseAddress)
        )
        do throws(TimeDSPStatus) {
          try TimeDSPCore.Scaler.fit(
            config, &from, count: source.count / channels, into: &to, capacity: length,
            length: length)
        } catch { return error }
        return TIMEDSP_OK
      }
      made = status == TIMEDSP_OK ? count : 0
    }
    try check(status)
    return output
  }
}
