// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

/// How the samples of several channels are laid out in memory.
public enum SampleLayout: Hashable, Sendable, CaseIterable {
  /// Frame by frame, with the samples of all channels next to each other.
  case interleaved
  /// Each channel has its own memory.
  case planar

  fileprivate var code: TimeDSPLayout {
    self == .planar ? TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED
  }
}

/// Changes the duration of a stream of audio, its pitch, or both.
///
/// n frames become ⌊n × factor⌋, however you split the stream into calls. By default, a phase
/// vocoder preserves the pitch. With ``Pitch/followsSpeed``, output frame k is read at input
/// position k / factor, as on a tape. Positions are exact fractions, so there's no drift, even over
/// hours.
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
/// Don't use a scaler from more than one thread at a time. The calls that write into your memory,
/// such as ``process(_:into:)`` and ``finish(into:)``, are real-time: they don't allocate, lock or
/// make system calls. All other calls may allocate memory.
public struct TimeScaler<Sample: AudioSample>: ~Copyable, Sendable {
  /// Samples per frame, 1 … 1024.
  public let channels: Int
  /// How your samples are laid out in memory.
  public let layout: SampleLayout
  /// Output duration / input duration, now or at the end of a ramp.
  public var factor: Double { settings.factor }
  /// The current pitch, or the pitch at the end of a ramp.
  public private(set) var pitch: Pitch
  private var settings: ChainSettings
  private var chain: Chain

  /// The result of a call.
  public struct Progress: Hashable, Sendable {
    /// Input frames consumed. Pass the rest again in the next call.
    public let consumed: Int
    /// Output frames written.
    public let produced: Int
    /// If true, there may be more frames, so call again even if you don't have any input.
    public let hasMore: Bool
  }

  /// Creates a scaler for a stream of any length.
  ///
  /// - Parameters:
  ///   - factor: Output duration / input duration, 0.01 … 100. If you preserve the pitch, it sounds
  ///     good from 0.25 to 4.
  ///   - pitch: How the pitch changes.
  ///   - sampleRate: In Hz, 1 … 10,000,000. Outside 8,000 … 192,000, windows have the same duration
  ///     as at the nearest rate in that range.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - layout: How your samples are laid out in memory.
  ///   - interpolation: How to compute values between two frames if the pitch changes.
  ///   - window: Length of the analysis window for preserving the pitch.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public init(
    factor: Double, pitch: Pitch = .kept, sampleRate: Int, channels: Int = 1,
    layout: SampleLayout = .interleaved, interpolation: Interpolation = .sinc,
    window: StretchWindow = .auto
  ) throws(RetrogradeError) {
    try require(1...10_000_000 ~= sampleRate, else: .badSampleRate)
    try pitch.check()
    let settings = ChainSettings(
      audio: Self.configuration(channels, layout, interpolation),
      rate: UInt32(clamping: sampleRate), factor: factor, pitch: TimePitch(pitch, window))
    self.init(try Self.made(settings), settings, pitch, layout)
  }

  private init(
    _ chain: consuming Chain, _ settings: ChainSettings, _ pitch: Pitch, _ layout: SampleLayout
  ) {
    self.chain = chain
    self.settings = settings
    channels = Int(settings.audio.channels)
    (self.pitch, self.layout) = (pitch, layout)
  }

  private static func configuration(
    _ channels: Int, _ layout: SampleLayout, _ interpolation: Interpolation
  ) -> TimeDSPConfig {
    TimeDSPConfig(
      format: Sample.coding.format, layout: layout.code, interpolation: interpolation.code,
      channels: UInt32(clamping: channels), quality: interpolation.qualityCode)
  }

  private static func made(_ settings: ChainSettings) throws(RetrogradeError) -> Chain {
    do throws(TimeDSPStatus) { return try Chain.made(for: settings) } catch {
      throw RetrogradeError(error)
    }
  }

  /// The latency in input frames. It's larger below factor 1.
  public var latencyFrames: Int { chain.latency }

  /// The max number of output frames you'll get if the input ends after `frames` more frames. It's
  /// at most two frames too high, except while the factor is changing, when it may be up to twice
  /// as high.
  ///
  /// - Parameter frames: 0 … 2^53.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, including if the stream would get longer
  ///   than 2^53 frames.
  public func maximumOutput(of frames: Int) throws(RetrogradeError) -> Int {
    let count = try frameCount(frames)
    do throws(TimeDSPStatus) {
      return Int(clamping: try chain.framesDue(after: count))
    } catch { throw RetrogradeError(error) }
  }

  /// Changes the factor and the pitch, without skipping or repeating any frames.
  ///
  /// The first time you change the pitch, this may allocate memory. If that fails, you can't
  /// continue the stream.
  ///
  /// - Parameters:
  ///   - factor: 0.01 … 100.
  ///   - pitch: The new pitch, or `nil` to leave it as it is.
  ///   - rampFrames: The speed changes linearly over this many input frames, 0 … 2^53. If it's 0,
  ///     it changes immediately.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public mutating func setFactor(
    _ factor: Double, pitch: Pitch? = nil, rampFrames: Int = 0
  ) throws(RetrogradeError) {
    let pitch = pitch ?? self.pitch
    try pitch.check()
    let count = try frameCount(rampFrames)
    var next = settings.pitch
    next.adopt(pitch)
    do throws(TimeDSPStatus) {
      _ = try chain.ramp(to: factor, pitch: next, within: count)
    } catch { throw RetrogradeError(error) }
    self.pitch = pitch
    (settings.factor, settings.pitch) = (factor, next)
  }

  /// Discards the stream. The next stream starts with the current factor and pitch.
  ///
  /// - Throws: ``RetrogradeError/Code/noMemory``, in which case the stream continues as if you
  ///   hadn't called this.
  public mutating func reset() throws(RetrogradeError) { chain = try Self.made(settings) }
}

// Real-time calls.
extension TimeScaler {
  /// Scales the next part of an interleaved stream. This call is real-time.
  ///
  /// - Parameters:
  ///   - input: A whole number of frames, possibly 0.
  ///   - output: A whole number of frames. All of the input is consumed unless the output fills up
  ///     first.
  /// - Returns: How many frames were consumed and written, and if you should call again.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/finished``,
  ///   ``RetrogradeError/Code/noMemory`` after ``setFactor(_:pitch:rampFrames:)``. If it throws,
  ///   nothing is read or written.
  public mutating func process(
    _ input: Span<Sample>, into output: inout MutableSpan<Sample>
  ) throws(RetrogradeError) -> Progress {
    let (frames, capacity) = (try frames(in: input.count), try frames(in: output.count))
    return try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      try input.withUnsafeBufferPointer { source throws(RetrogradeError) in
        var (from, to) = (
          UnsafeRawPointer(source.baseAddress), UnsafeMutableRawPointer(target.baseAddress)
        )
        return try process(&from, frames, into: &to, capacity)
      }
    }
  }

  /// Scales the next part of a planar stream. You pass a pointer for each channel, such as
  /// `floatChannelData` of an `AVAudioPCMBuffer`. This call is real-time.
  ///
  /// - Parameters:
  ///   - planes: The input of each channel.
  ///   - frames: Input frames, possibly 0.
  ///   - output: The output of each channel. It mustn't overlap the input.
  ///   - capacity: How many frames fit in `output`.
  /// - Returns: How many frames were consumed and written, and if you should call again.
  /// - Throws: The same errors as ``process(_:into:)``.
  public mutating func process(
    planes: UnsafeBufferPointer<UnsafeMutablePointer<Sample>>, frames: Int,
    into output: UnsafeBufferPointer<UnsafeMutablePointer<Sample>>, capacity: Int
  ) throws(RetrogradeError) -> Progress {
    try require(layout == .planar || channels == 1, else: .isInterleaved)
    try require(planes.count == channels && output.count == channels, else: .badChannels)
    return try process(planes.raw(), frames, into: output.raw(), capacity)
  }

  /// Ends the input, and writes the remaining frames. This call is real-time.
  ///
  /// - Parameter output: A whole number of frames, interleaved.
  /// - Returns: The number of frames written. Keep calling this until it returns 0.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish(
    into output: inout MutableSpan<Sample>
  ) throws(RetrogradeError) -> Int {
    let capacity = try frames(in: output.count)
    return try output.withUnsafeMutableBufferPointer { target throws(RetrogradeError) in
      var to = UnsafeMutableRawPointer(target.baseAddress)
      return try finish(&to, capacity)
    }
  }

  /// Ends the input, and writes the remaining frames to a pointer for each channel. This call is
  /// real-time.
  ///
  /// - Parameters:
  ///   - output: The output of each channel.
  ///   - capacity: How many frames fit in `output`.
  /// - Returns: The number of frames written. Keep calling this until it returns 0.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish(
    into output: UnsafeBufferPointer<UnsafeMutablePointer<Sample>>, capacity: Int
  ) throws(RetrogradeError) -> Int {
    try require(layout == .planar || channels == 1, else: .isInterleaved)
    try require(output.count == channels, else: .badChannels)
    return try finish(output.raw(), capacity)
  }

  /// Throws if the last frame is incomplete, or if the stream is planar.
  private func frames(in samples: Int) throws(RetrogradeError) -> Int {
    try require(layout == .interleaved || channels == 1, else: .isPlanar)
    try require(samples.isMultiple(of: channels), else: .badLength)
    return samples / channels
  }

  private mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, _ frames: Int,
    into output: UnsafePointer<UnsafeMutableRawPointer?>?, _ capacity: Int
  ) throws(RetrogradeError) -> Progress {
    do throws(TimeDSPStatus) {
      let done = try chain.process(input, frames: frames, into: output, capacity: capacity)
      return Progress(consumed: done.used, produced: done.made, hasMore: done.hasMore)
    } catch { throw RetrogradeError(error) }
  }

  private mutating func finish(
    _ output: UnsafePointer<UnsafeMutableRawPointer?>?, _ capacity: Int
  ) throws(RetrogradeError) -> Int {
    do throws(TimeDSPStatus) {
      return try chain.drain(into: output, capacity: capacity).made
    } catch { throw RetrogradeError(error) }
  }
}

extension UnsafeBufferPointer {
  /// The elements are pointers, which are represented in the same way as optional raw pointers.
  fileprivate func raw<Plane>() -> UnsafePointer<Plane?>? {
    UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: Plane?.self)
  }
}

// Calls for arrays.
extension TimeScaler {
  /// Scales the next part of an interleaved stream, and returns all frames that are complete.
  ///
  /// - Parameter input: A whole number of frames, possibly 0.
  /// - Throws: The same errors as ``process(_:into:)``.
  public mutating func process(_ input: [Sample]) throws(RetrogradeError) -> [Sample] {
    let frames = try frames(in: input.count)
    return try output(of: input, frames).first ?? []
  }

  /// Scales the next part of a planar stream, and returns all frames that are complete.
  ///
  /// - Parameter planes: The samples of each channel, which must all have the same number.
  /// - Throws: The same errors as ``process(_:into:)``.
  public mutating func process(planes: [[Sample]]) throws(RetrogradeError) -> [[Sample]] {
    try require(layout == .planar || channels == 1, else: .isInterleaved)
    try require(planes.count == channels, else: .badChannels)
    let frames = planes.first?.count ?? 0
    try require(planes.allSatisfy { $0.count == frames }, else: .badLength)
    return try output(of: planes.flatMap(\.self), frames)
  }

  /// Ends an interleaved stream, and returns the remaining frames.
  ///
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finish() throws(RetrogradeError) -> [Sample] {
    _ = try frames(in: 0)
    return try output(of: nil, 0).first ?? []
  }

  /// Ends a planar stream, and returns the remaining samples of each channel.
  ///
  /// - Throws: ``RetrogradeError/Code/invalidArgument``.
  public mutating func finishPlanes() throws(RetrogradeError) -> [[Sample]] {
    try require(layout == .planar || channels == 1, else: .isInterleaved)
    return try output(of: nil, 0)
  }

  /// Returns the planes of the output, or a single one if it's interleaved. The planes of the input
  /// follow each other. If there's no input, this ends the stream.
  private mutating func output(
    of input: [Sample]?, _ frames: Int
  ) throws(RetrogradeError) -> [[Sample]] {
    let capacity = try maximumOutput(of: frames)
    let planes = layout == .planar ? channels : 1
    let width = channels / planes
    let (count, isTooLong) = capacity.multipliedReportingOverflow(by: channels)
    try require(!isTooLong, else: .badLength)
    let target = UnsafeMutableBufferPointer<Sample>.allocate(capacity: count)
    defer { target.deallocate() }
    let made = try (input ?? []).withUnsafeBufferPointer { source throws(RetrogradeError) in
      try run(source, frames, isEnd: input == nil, into: target, capacity)
    }
    return (0..<planes).map { plane in
      Array(target[plane * capacity * width..<(plane * capacity + made) * width])
    }
  }

  /// Returns the number of frames written.
  private mutating func run(
    _ source: UnsafeBufferPointer<Sample>, _ frames: Int, isEnd: Bool,
    into target: UnsafeMutableBufferPointer<Sample>, _ capacity: Int
  ) throws(RetrogradeError) -> Int {
    let planes = layout == .planar ? channels : 1
    let width = channels / planes
    var (used, made) = (0, 0)
    while true {
      let from = (0..<planes).map { plane in
        UnsafeRawPointer(source.baseAddress.map { $0 + (plane * frames + used) * width })
      }
      let to = (0..<planes).map { plane in
        UnsafeMutableRawPointer(target.baseAddress.map { $0 + (plane * capacity + made) * width })
      }
      let progress =
        isEnd
        ? Progress(consumed: 0, produced: try finish(to, capacity - made), hasMore: false)
        : try process(from, frames - used, into: to, capacity - made)
      used += progress.consumed
      made += progress.produced
      if progress.produced == 0, progress.consumed == 0 { return made }
    }
  }
}

// Calls for whole recordings.
extension TimeScaler {
  /// Changes the duration or the pitch of a whole interleaved recording, or both.
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
  ///   - interpolation: How to compute values between two frames if the pitch changes.
  ///   - window: Length of the analysis window for preserving the pitch.
  /// - Returns: ⌊n × factor⌋ frames.
  /// - Throws: The same errors as ``process(_:into:)``.
  public static func scaled(
    _ samples: [Sample], by factor: Double, pitch: Pitch = .kept, sampleRate: Int,
    channels: Int = 1, interpolation: Interpolation = .sinc, window: StretchWindow = .auto
  ) throws(RetrogradeError) -> [Sample] {
    var scaler = try TimeScaler(
      factor: factor, pitch: pitch, sampleRate: sampleRate, channels: channels,
      interpolation: interpolation, window: window)
    return try scaler.process(samples) + scaler.finish()
  }

  /// Fits a whole interleaved recording to a given length, as on a tape, and keeps its first and
  /// last frames. Output frame i of n input frames is read at position i × (n - 1) / (length - 1).
  ///
  /// ```swift
  /// let half = try TimeScaler.fitted(recording, to: 1_000, channels: 2)
  /// ```
  ///
  /// - Parameters:
  ///   - samples: A whole number of frames, at least one unless `length` is 0.
  ///   - length: Number of output frames, 0 … 2^53.
  ///   - channels: Samples per frame, 1 … 1024.
  ///   - interpolation: How to compute values between two frames.
  /// - Throws: ``RetrogradeError/Code/invalidArgument``, ``RetrogradeError/Code/noMemory``.
  public static func fitted(
    _ samples: [Sample], to length: Int, channels: Int = 1, interpolation: Interpolation = .sinc
  ) throws(RetrogradeError) -> [Sample] {
    try require(1...Int(TIMEDSP_MAX_CHANNELS) ~= channels, else: .badChannels)
    try require(samples.count.isMultiple(of: channels), else: .badLength)
    _ = try frameCount(length)
    try require(!samples.isEmpty || length == 0, else: .noAudio)
    let settings = ChainSettings(
      audio: configuration(channels, .interleaved, interpolation), rate: 0, factor: 1,
      pitch: .ofTape)
    let chain: Chain
    do throws(TimeDSPStatus) {
      chain = try Chain.fitting(
        settings.audio, count: UInt64(samples.count / channels), length: UInt64(length))
    } catch { throw RetrogradeError(error) }
    var scaler = TimeScaler(chain, settings, .followsSpeed, .interleaved)
    return try scaler.process(samples) + scaler.finish()
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
