// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

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
    /// The number of channels, each in its own plane.
    public let channels: Int
  }

  /// A block of frames in the stream, one plane per channel. Your tap may change it.
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
  /// You can't copy blocks, because the samples are only valid during the call.
  public struct Block: ~Copyable {
    /// Format of the samples.
    public let format: Format
    /// Number of frames, 1 or more. It may differ from block to block.
    public let frames: Int
    /// Index of this block's first frame, which is the number of frames in all earlier blocks.
    public let firstFrame: Int64
    private let planes: UnsafePointer<UnsafeMutablePointer<Float>?>

    init?(_ audio: GstAudioBuffer, at firstFrame: Int64, _ format: Format) {
      guard let planes = audio.planes, audio.n_samples > 0 else { return nil }
      self.planes = UnsafeRawPointer(planes).assumingMemoryBound(
        to: UnsafeMutablePointer<Float>?.self)
      (self.format, self.firstFrame) = (format, firstFrame)
      frames = Int(clamping: audio.n_samples)
    }

    private func plane(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
      precondition((0..<format.channels).contains(channel), "there is no such channel")
      return UnsafeMutableBufferPointer(start: planes[channel], count: frames)
    }

    /// A sample. Full scale is −1 … 1, and larger values are fine. Traps if there's no such channel
    /// or frame, like an array.
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

    /// Calls `body` with the samples of a channel. Traps if there's no such channel.
    public mutating func withPlane<Result>(
      _ channel: Int, _ body: (inout MutableSpan<Float>) throws -> Result
    ) rethrows -> Result {
      var plane = plane(channel).mutableSpan
      return try body(&plane)
    }
  }

  /// The function that processes each block.
  public typealias Process = (inout Block) -> Void

  /// An effect that passes all samples to your function, block by block. You may change the samples
  /// in place. Works both in players and when rendering.
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
  /// `prepare` creates the function when the first samples arrive: once for each file that you
  /// play, again after each seek, and once for each pass over a file that you render. Normalizing
  /// and guarding peaks take two passes. So variables that the function keeps between blocks, such
  /// as `angle`, start afresh each time. They aren't shared with any other stream, so you don't
  /// need a lock. If the function needs memory, allocate it in `prepare`.
  ///
  /// **`prepare` and the function run in the streaming thread**, never on the main actor. The
  /// function gets one block at a time, in order. The stream waits for each call, so you must not
  /// allocate memory, take a lock that other threads hold for long, access files, print, or wait.
  /// To report a value to other threads, store it in an `Atomic`. Everything else that you share
  /// with other threads must be `Sendable`, and the compiler checks that.
  public static func tap(
    place: Place = .after, tail: Duration = .zero,
    _ prepare: @escaping @Sendable (Format) -> Process
  ) -> AudioEffect {
    AudioEffect(Tap(prepare), place: place, tail: tail)
  }
}

/// A function that's used as an effect. Two taps are equal if the same call created them.
final class Tap: Sendable, Equatable {
  /// Converts to planar floats. We tap the second element.
  static let elements =
    "audioconvert ! capsfilter name=tapped caps=audio/x-raw,format=F32LE,layout=non-interleaved"

  private let prepare: @Sendable (AudioEffect.Format) -> AudioEffect.Process

  init(_ prepare: @escaping @Sendable (AudioEffect.Format) -> AudioEffect.Process) {
    self.prepare = prepare
  }

  static func == (one: Tap, other: Tap) -> Bool { one === other }

  /// Passes everything that the tapped element of `bin` outputs to the function.
  func watch(_ bin: UnsafeMutablePointer<GstElement>) {
    guard let tapped = cgst_bin_get(bin, "tapped") else { return }
    let run = TapRun(prepare)
    Element(taking: tapped).watch("src", .traffic) { passage in
      if let type = passage.event?.pointee.type {
        let isNew = type == GST_EVENT_FLUSH_STOP || type == GST_EVENT_CAPS
        if isNew { run.isNew.store(true, ordering: .relaxed) }
      } else if let buffer = passage.writableBuffer() {
        run.process(buffer, at: passage)
      }
    }
  }
}

/// A tap in one pipeline, with the state of its function.
///
/// `@unchecked Sendable`, because a pad delivers one buffer or event at a time. Only flushes may
/// arrive in another thread.
private final class TapRun: @unchecked Sendable {
  /// The next block is the first one of the stream, or after a flush or a change of format.
  let isNew = Atomic(true)
  private let make: @Sendable (AudioEffect.Format) -> AudioEffect.Process
  private var info = GstAudioInfo()
  private var format = AudioEffect.Format(rate: 0, channels: 0)
  private var nextFrame: Int64 = 0
  // not optional and not in a tuple, because Swift would then allocate memory on each read
  private var run: AudioEffect.Process = { _ in }

  init(_ make: @escaping @Sendable (AudioEffect.Format) -> AudioEffect.Process) {
    self.make = make
  }

  func process(_ buffer: UnsafeMutablePointer<GstBuffer>, at passage: Passage) {
    if isNew.exchange(false, ordering: .relaxed) {
      info = passage.format ?? GstAudioInfo()
      format = AudioEffect.Format(
        rate: Int(clamping: info.rate), channels: Int(clamping: info.channels))
      (nextFrame, run) = (0, make(format))
    }
    var audio = GstAudioBuffer()
    let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard info.format == GST_AUDIO_FORMAT_F32LE,
      gst_audio_buffer_map(&audio, &info, buffer, flags) != 0
    else { return }
    if var block = AudioEffect.Block(audio, at: nextFrame, format) { run(&block) }
    nextFrame += Int64(clamping: audio.n_samples)
    gst_audio_buffer_unmap(&audio)
    buffer.clearGap()
  }
}
