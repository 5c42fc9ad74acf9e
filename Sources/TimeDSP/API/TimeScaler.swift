// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// Changes the duration of a stream of interleaved audio, its pitch, or both.
///
/// n frames become ⌊n × factor⌋, however you divide the stream into calls. By default, a phase
/// vocoder preserves the pitch. With ``Pitch/followsSpeed``, you get the output of ``Scaler``, bit
/// for bit.
///
/// ```swift
/// let slow = try TimeScaler.scaled(song, by: 1.5, sampleRate: 48_000, channels: 2)
/// ```
///
/// You can process a stream in parts:
///
/// ```swift
/// var scaler = try TimeScaler<Float>(factor: 0.8, sampleRate: 48_000, channels: 2)
/// var fast = try scaler.process(first)
/// fast += try scaler.process(second)
/// fast += try scaler.finish()
/// ```
///
/// Use a scaler from one thread at a time. ``process(_:into:)`` and ``finish(into:)`` are
/// real-time: they don't allocate, lock or make system calls. All other calls may allocate memory.
public struct TimeScaler<Sample: AudioSample>: ~Copyable, Sendable {
  /// Samples per frame, 1 … 1024.
  public let channels: Int
  /// Output duration / input duration, now or at the end of a ramp.
  public private(set) var factor: Double
  /// The pitch now or at the end of a ramp.
  public private(set) var pitch: Pitch
  private var settings: ChainSettings
  private var chain: Chain

  /// What one call has done.
  public struct Progress: Hashable, Sendable {
    /// Pass the remaining frames again in the next call.
    public let framesConsumed: Int
    /// Frames written.
    public let framesProduced: Int
    /// If true, call again, even without input: more frames may follow.
    public let hasMore: Bool
  }

  /// Creates a scaler for a stream of any length.
  ///
  /// - Parameters:
  ///   - factor: Output duration / input duration, 0.01 … 100. A preserved pitch sounds good from
  ///     0.25 to 4.
  ///   - pitch: How the pitch changes.
  ///   - sampleRate: In Hz, 1 … 10,000,000. Outside 8,000 … 192,000, windows have the duration for
  ///     the nearest rate in this range.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - interpolation: How values between two frames are computed if the pitch changes.
  ///   - window: Length of the analysis window with which the pitch is preserved.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public init(
    factor: Double, pitch: Pitch = .kept, sampleRate: Int, channels: Int = 1,
    interpolation: Interpolation = .sinc, window: StretchWindow = .auto
  ) throws(RetrogradeError) {
    try require(1...10_000_000 ~= sampleRate, else: .badSampleRate)
    try pitch.check()
    let audio = TimeDSPConfig(
      format: Sample.coding.format, layout: TIMEDSP_INTERLEAVED,
      interpolation: interpolation.code, channels: UInt32(clamping: channels),
      quality: interpolation.qualityCode)
    let settings = ChainSettings(
      audio: audio, rate: UInt32(clamping: sampleRate), factor: factor,
      pitch: TimePitch(pitch, window))
    chain = try Self.made(settings)
    self.settings = settings
    (self.channels, self.factor, self.pitch) = (channels, factor, pitch)
  }

  private static func made(_ settings: ChainSettings) throws(RetrogradeError) -> Chain {
    do throws(TimeDSPStatus) { return try Chain.made(for: settings) } catch { throw .of(error) }
  }

  /// The latency in input frames. Below factor 1, it's larger.
  public var lookahead: Int { chain.latency }

  /// How many output frames you'll get at most if the input ends after `frames` more frames. It's
  /// at most two frames too high. While the factor changes, it may be up to twice as high.
  ///
  /// - Parameter frames: 0 … 2^53.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public func maximumOutput(of frames: Int) throws(RetrogradeError) -> Int {
    let count = try frameCount(frames)
    do throws(TimeDSPStatus) {
      return Int(clamping: try chain.framesDue(after: count))
    } catch { throw .of(error) }
  }

  /// Changes factor and pitch. No frame is skipped or read twice.
  ///
  /// Your first change of the pitch may allocate memory. If that fails, the stream can't continue.
  ///
  /// - Parameters:
  ///   - factor: 0.01 … 100.
  ///   - pitch: The new pitch, or `nil` for no change.
  ///   - frames: The speed changes linearly within this many input frames, 0 … 2^53. With 0, it
  ///     changes at once.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public mutating func move(
    to factor: Double, pitch: Pitch? = nil, within frames: Int = 0
  ) throws(RetrogradeError) {
    let pitch = pitch ?? self.pitch
    try pitch.check()
    let count = try frameCount(frames)
    var next = settings.pitch
    next.adopt(pitch)
    do throws(TimeDSPStatus) {
      _ = try chain.ramp(to: factor, pitch: next, within: count)
    } catch { throw .of(error) }
    (self.factor, self.pitch) = (factor, pitch)
    (settings.factor, settings.pitch) = (factor, next)
  }

  /// Discards the stream. The next stream starts with the current factor and pitch.
  ///
  /// - Throws: ``RetrogradeError/Code/noMemory``. The stream then continues as if you hadn't called this.
  public mutating func reset() throws(RetrogradeError) { chain = try Self.made(settings) }

  /// Scales the next part of the stream. This call is real-time.
  ///
  /// - Parameters:
  ///   - input: A whole number of frames, possibly 0.
  ///   - output: A whole number of frames. All of the input is consumed unless the output fills up
  ///     first.
  /// - Returns: The numbers of frames consumed and written, and if you should call again.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/finished``, ``RetrogradeError/Code/noMemory``
  ///   after ``move(to:pitch:within:)``. Nothing is read or written then.
  public mutating func process(
    _ input: Span<Sample>, into output: inout MutableSpan<Sample>
  ) throws(RetrogradeError) -> Progress {
    let inFrames = try frameCount(ofSamples: input.count, channels)
    let capacity = try frameCount(ofSamples: output.count, channels)
    return try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      try input.withUnsafeBufferPointer { source throws(RetrogradeError) in
        try process(source.baseAddress, inFrames, into: target.baseAddress, capacity)
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
      try finish(into: target.baseAddress, capacity)
    }
  }

  private mutating func process(
    _ input: UnsafePointer<Sample>?, _ frames: Int,
    into output: UnsafeMutablePointer<Sample>?, _ capacity: Int
  ) throws(RetrogradeError) -> Progress {
    var (from, to) = (UnsafeRawPointer(input), UnsafeMutableRawPointer(output))
    do throws(TimeDSPStatus) {
      return Progress(try chain.process(&from, frames: frames, into: &to, capacity: capacity))
    } catch { throw .of(error) }
  }

  private mutating func finish(
    into output: UnsafeMutablePointer<Sample>?, _ capacity: Int
  ) throws(RetrogradeError) -> Int {
    var to = UnsafeMutableRawPointer(output)
    do throws(TimeDSPStatus) {
      return try chain.drain(into: &to, capacity: capacity).made
    } catch { throw .of(error) }
  }
}

// Scaling of arrays.
extension TimeScaler {
  /// Scales the next part of the stream, and returns all frames that are complete.
  ///
  /// - Parameter input: A whole number of frames, possibly 0.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/finished``, ``RetrogradeError/Code/noMemory``.
  public mutating func process(_ input: [Sample]) throws(RetrogradeError) -> [Sample] {
    let frames = try frameCount(ofSamples: input.count, channels)
    var output = try [Sample](framesOfRoom: maximumOutput(of: frames), channels)
    let capacity = output.count / channels
    let made = try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      try input.withUnsafeBufferPointer { source throws(RetrogradeError) in
        var (used, made) = (0, 0)
        while true {
          let progress = try process(
            source.baseAddress.map { $0 + used * channels }, frames - used,
            into: target.baseAddress.map { $0 + made * channels }, capacity - made)
          used += progress.framesConsumed
          made += progress.framesProduced
          if progress.framesProduced == 0, progress.framesConsumed == 0 { return made }
        }
      }
    }
    output.removeLast(output.count - made * channels)
    return output
  }

  /// Ends the stream, and returns what's left.
  ///
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish() throws(RetrogradeError) -> [Sample] {
    var output = try [Sample](framesOfRoom: maximumOutput(of: 0), channels)
    let capacity = output.count / channels
    let made = try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      var made = 0
      while true {
        let frames = try finish(
          into: target.baseAddress.map { $0 + made * channels }, capacity - made)
        made += frames
        if frames == 0 { return made }
      }
    }
    output.removeLast(output.count - made * channels)
    return output
  }

  /// Changes the duration, the pitch or both of a whole recording.
  ///
  /// ```swift
  /// let higher = try TimeScaler.scaled(
  ///   voice, by: 1, pitch: .kept(semitones: 3), sampleRate: 44_100)
  /// ```
  ///
  /// - Parameters:
  ///   - samples: A whole number of frames, possibly 0.
  ///   - factor: Output duration / input duration, 0.01 … 100.
  ///   - pitch: How the pitch changes.
  ///   - sampleRate: In Hz, 1 … 10,000,000.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - interpolation: How values between two frames are computed if the pitch changes.
  ///   - window: Length of the analysis window with which the pitch is preserved.
  /// - Returns: ⌊n × factor⌋ frames.
  /// - Throws: The errors of ``init(factor:pitch:sampleRate:channels:interpolation:window:)`` and
  ///   ``process(_:)``.
  public static func scaled(
    _ samples: [Sample], by factor: Double, pitch: Pitch = .kept, sampleRate: Int,
    channels: Int = 1, interpolation: Interpolation = .sinc, window: StretchWindow = .auto
  ) throws(RetrogradeError) -> [Sample] {
    var scaler = try TimeScaler(
      factor: factor, pitch: pitch, sampleRate: sampleRate, channels: channels,
      interpolation: interpolation, window: window)
    return try scaler.process(samples) + scaler.finish()
  }
}

extension TimeScaler.Progress {
  fileprivate init(_ progress: ChainProgress) {
    self.init(
      framesConsumed: progress.used, framesProduced: progress.made, hasMore: progress.hasMore)
  }
}

extension TimePitch {
  fileprivate init(_ pitch: Pitch, _ window: StretchWindow) {
    self.init()
    self.window = window.code
    adopt(pitch)
  }

  fileprivate mutating func adopt(_ pitch: Pitch) {
    kept = pitch.isKept ? 1 : 0
    semitones = pitch.semitones
    formants = pitch.formants == .keep ? TIMECHAIN_FORMANTS_KEEP : TIMECHAIN_FORMANTS_FOLLOW
    formant_semitones = pitch.formantSemitones
  }
}
