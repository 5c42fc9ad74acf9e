// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioEffect {
  /// The format of the samples that a tap receives.
  ///
  /// ```swift
  /// let softer = AudioEffect.tap { format in
  ///   let share = 1 / Float(format.channels)
  ///   return { block in
  ///     for channel in 0..<format.channels {
  ///       block.withPlane(channel) { plane in
  ///         for frame in plane.indices { plane[frame] *= share }
  ///       }
  ///     }
  ///   }
  /// }
  /// ```
  public struct Format: Sendable, Equatable {
    /// The sample rate in frames per second.
    public let rate: Int
    /// The number of channels, each in a plane of its own.
    public let channels: Int
  }

  /// A block of frames in the stream, one plane per channel, which a tap may change.
  ///
  /// ```swift
  /// let swapped = AudioEffect.tap { format in
  ///   { block in
  ///     guard format.channels == 2 else { return }
  ///     for frame in 0..<block.frames {
  ///       (block[0, frame], block[1, frame]) = (block[1, frame], block[0, frame])
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Blocks cannot be copied: the samples are valid only during the call of the tap.
  public struct Block: ~Copyable {
    /// Format of the samples.
    public let format: Format
    /// Number of frames, 1 or more. It may differ from block to block.
    public let frames: Int
    /// Number of frames in all earlier blocks. This is also the index of the first frame of this
    /// block.
    public let firstFrame: Int64
    private let planes: UnsafePointer<UnsafeMutablePointer<Float>?>

    /// Creates a block, or nil if there are no frames.
    init?(_ frames: CGstFrames, _ format: Format) {
      guard let planes = frames.planes, frames.frames > 0 else { return nil }
      (self.planes, self.format) = (planes, format)
      self.frames = Int(clamping: frames.frames)
      firstFrame = Int64(clamping: frames.first_frame)
    }

    /// The time of the first frame since the beginning of the stream.
    public var time: Duration {
      let rate = Int64(clamping: max(format.rate, 1))
      return .seconds(firstFrame / rate)
        + .nanoseconds(firstFrame % rate * 1_000_000_000 / rate)
    }

    private func plane(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
      precondition((0..<format.channels).contains(channel), "there is no such channel")
      return UnsafeMutableBufferPointer(start: planes[channel], count: frames)
    }

    /// A sample. Full scale is −1 … 1, and larger values are allowed. Traps, as an array does, if
    /// there is no such channel or frame.
    public subscript(channel: Int, frame: Int) -> Float {
      get {
        precondition((0..<frames).contains(frame), "there is no such frame")
        return plane(channel)[frame]
      }
      set {
        precondition((0..<frames).contains(frame), "there is no such frame")
        plane(channel)[frame] = newValue
      }
    }

    /// Calls `body` with the samples of a channel. Traps if there is no such channel.
    public mutating func withPlane<Result>(
      _ channel: Int, _ body: (inout MutableSpan<Float>) throws -> Result
    ) rethrows -> Result {
      var plane = plane(channel).mutableSpan
      return try body(&plane)
    }
  }

  /// The function that processes each block.
  public typealias Process = (inout Block) -> Void

  /// An effect that passes all samples to a function, block by block. The function may change the
  /// samples in place. The effect works in players and when rendering.
  ///
  /// ```swift
  /// let tremolo = AudioEffect.tap { format in
  ///   let step = 2 * Float.pi * 5 / Float(format.rate)
  ///   var angle: Float = 0
  ///   return { block in
  ///     for frame in 0..<block.frames {
  ///       for channel in 0..<format.channels { block[channel, frame] *= 1 + sin(angle) / 2 }
  ///       angle = (angle + step).remainder(dividingBy: 2 * .pi)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// `prepare` creates the function when the first samples arrive: once for each file that is
  /// played, again after each seek, and once for each pass over a file that is rendered.
  /// Normalizing and guarding peaks take two passes. Variables that the function keeps between
  /// blocks, such as `angle`, are therefore new each time. They are not shared with other streams,
  /// and need no lock. Memory that the function needs must be allocated in `prepare`.
  ///
  /// **`prepare` and the function run in the streaming thread**, never on the main actor. The
  /// function is called for one block at a time, in order. The stream waits for each call: the
  /// function must not allocate memory, take a lock that other threads hold for long, access files,
  /// print, or wait. To report a value to other threads, the function can store a number in an
  /// `Atomic`. Everything else that is shared with other threads must be `Sendable`, which the
  /// compiler checks.
  public static func tap(
    place: Place = .after, tail: Duration = .zero,
    _ prepare: @escaping @Sendable (Format) -> Process
  ) -> AudioEffect {
    AudioEffect(Tap(prepare), place: place, tail: tail)
  }
}

/// A function that is used as an effect. Two taps are equal if they were created by the same call.
final class Tap: Sendable, Equatable {
  /// Elements that provide planes of floats. The second element is tapped.
  static let elements =
    "audioconvert ! capsfilter name=tapped caps=audio/x-raw,format=F32LE,layout=non-interleaved"

  private let prepare: @Sendable (AudioEffect.Format) -> AudioEffect.Process

  init(_ prepare: @escaping @Sendable (AudioEffect.Format) -> AudioEffect.Process) {
    self.prepare = prepare
  }

  static func == (one: Tap, other: Tap) -> Bool { one === other }

  /// Taps all buffers that pass through these elements from now on.
  func watch(_ bin: UnsafeMutablePointer<GstElement>) {
    guard let element = cgst_bin_get(bin, "tapped") else { return }
    defer { gst_object_unref(element) }
    let run = TapRun(prepare)
    cgst_tap(
      element,
      { frames, data in
        guard let frames, let data else { return }
        Unmanaged<TapRun>.fromOpaque(data).takeUnretainedValue().process(frames.pointee)
      }, Unmanaged.passRetained(run).toOpaque(),
      { data in if let data { Unmanaged<TapRun>.fromOpaque(data).release() } })
  }
}

/// A tap in one pipeline, with the state of its function. Needs no lock, because a pad delivers one
/// buffer after another.
private final class TapRun {
  private let prepare: @Sendable (AudioEffect.Format) -> AudioEffect.Process
  private var format = AudioEffect.Format(rate: 0, channels: 0)
  // neither optional nor in a tuple, because Swift would allocate memory each time it reads the
  // function
  private var run: AudioEffect.Process = { _ in }

  init(_ prepare: @escaping @Sendable (AudioEffect.Format) -> AudioEffect.Process) {
    self.prepare = prepare
  }

  func process(_ frames: CGstFrames) {
    if frames.is_first != 0 {
      format = AudioEffect.Format(
        rate: Int(clamping: frames.rate), channels: Int(clamping: frames.channels))
      run = prepare(format)
    }
    guard var block = AudioEffect.Block(frames, format) else { return }
    run(&block)
  }
}
