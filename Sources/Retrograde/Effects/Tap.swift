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
    /// In frames per second.
    public let rate: Int
    /// The number of planes.
    public let channels: Int
  }

  /// Some frames of sound on their way, a plane for each channel, which a tap may change.
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
  /// It cannot be copied: its samples are there only while the tap is called.
  public struct Block: ~Copyable {
    /// Format of the samples.
    public let format: Format
    /// Number of frames, 1 or more; it may differ from block to block.
    public let frames: Int
    /// Number of frames in all earlier blocks.
    public let firstFrame: Int64
    private let planes: UnsafePointer<UnsafeMutablePointer<Float>?>

    /// nil if there is nothing.
    init?(_ frames: CGstFrames, _ format: Format) {
      guard let planes = frames.planes, frames.frames > 0 else { return nil }
      (self.planes, self.format) = (planes, format)
      self.frames = Int(clamping: frames.frames)
      firstFrame = Int64(clamping: frames.first_frame)
    }

    /// The same as a time.
    public var time: Duration {
      let rate = Int64(clamping: max(format.rate, 1))
      return .seconds(firstFrame / rate)
        + .nanoseconds(firstFrame % rate * 1_000_000_000 / rate)
    }

    private func plane(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
      precondition((0..<format.channels).contains(channel), "there is no such channel")
      return UnsafeMutableBufferPointer(start: planes[channel], count: frames)
    }

    /// A sample; full scale is −1 … 1, and more is no error. Ends the program if there is no such
    /// channel or frame, as an array does.
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

    /// Lends the samples of a channel. Ends the program if there is no such channel.
    public mutating func withPlane<Result>(
      _ channel: Int, _ body: (inout MutableSpan<Float>) throws -> Result
    ) rethrows -> Result {
      var plane = plane(channel).mutableSpan
      return try body(&plane)
    }
  }

  /// The function that processes each block.
  public typealias Process = (inout Block) -> Void

  /// A function that receives all samples and may change them in place, both when playing and when
  /// writing.
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
  /// `prepare` makes the function when the first samples arrive: once for each file that is played,
  /// again after each seek, and once for each pass over a file; to normalize or to guard peaks
  /// takes two passes. So the state that the function keeps between blocks, such as `angle`, starts
  /// fresh each time, is its own, and needs no lock. Allocate memory there.
  ///
  /// **Both run in the streaming thread**, never on the main actor, and block after block, in
  /// order. The sound waits for them: the function may not allocate memory, take a lock that others
  /// hold for long, read or write files, print, or wait for anything. To report a value to other
  /// threads, store a number in an `Atomic`. Everything else that is shared must be `Sendable`; the
  /// compiler checks that.
  public static func tap(
    place: Place = .after, tail: Duration = .zero,
    _ prepare: @escaping @Sendable (Format) -> Process
  ) -> AudioEffect {
    AudioEffect(Tap(prepare), place: place, tail: tail)
  }
}

/// A function that was passed as an effect. Two are equal if they come from one call.
final class Tap: Sendable, Equatable {
  /// Elements that provide planes of floats; the second one is tapped.
  static let elements =
    "audioconvert ! capsfilter name=tapped caps=audio/x-raw,format=F32LE,layout=non-interleaved"

  private let prepare: @Sendable (AudioEffect.Format) -> AudioEffect.Process

  init(_ prepare: @escaping @Sendable (AudioEffect.Format) -> AudioEffect.Process) {
    self.prepare = prepare
  }

  static func == (one: Tap, other: Tap) -> Bool { one === other }

  /// Taps everything that passes these elements from now on.
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

/// A tap in one pipeline, with the state of its function. Used by one thread at a time, because a
/// pad delivers buffers one after the other.
private final class TapRun {
  private let prepare: @Sendable (AudioEffect.Format) -> AudioEffect.Process
  private var format = AudioEffect.Format(rate: 0, channels: 0)
  // not in an optional or a tuple, from which each call would take it with an allocation
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
