// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioFile {
  /// The decoded sound of the file from beginning to end, without a temporary file.
  ///
  /// ```swift
  /// var frames = 0
  /// for try await block in song.samples { frames += block.frames }
  /// print("\(frames) frames")
  /// ```
  ///
  /// Each loop decodes the file again, about as fast as you read, and uses the same amount of
  /// memory however long the file is. Throws whatever ``information()`` throws, or
  /// `CancellationError` if you cancel the task.
  public var samples: Samples { Samples(file: self) }

  /// The blocks of a file's sound.
  ///
  /// ```swift
  /// let blocks: AudioFile.Samples = song.samples
  /// ```
  public struct Samples: AsyncSequence, Sendable {
    let file: AudioFile

    /// Starts at the beginning of the file.
    public func makeAsyncIterator() -> Iterator { Iterator(file: file) }

    /// Decodes a file block by block.
    ///
    /// ```swift
    /// var iterator = song.samples.makeAsyncIterator()
    /// let first = try await iterator.next()
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
      let file: AudioFile
      private var source: SampleSource?

      init(file: AudioFile) { self.file = file }

      /// The next block, or nil at the end.
      public mutating func next() async throws -> AudioBlock? {
        let source = if let source { source } else { try await SampleSource(file) }
        self.source = source
        while !source.isAtEnd {
          try Task.checkCancellation()
          if let block = await source.pull() { return block }
        }
        try await source.end.value
        return nil
      }
    }
  }
}

/// A pipeline that waits for its samples to be read.
private final class SampleSource: Sendable {
  private let pipeline: Pipeline
  private let sink: Element
  /// Throws the error that has ended the stream.
  let end: Task<Void, any Error>

  init(_ file: AudioFile) async throws {
    _ = try await file.opened()
    let pipeline = try file.pipeline(
      "audioconvert dithering=none ! audio/x-raw,format=F32LE,layout=interleaved "
        + "! appsink name=sink max-buffers=8")
    (self.pipeline, sink) = (pipeline, try pipeline.known("sink"))
    await pipeline.request(GST_STATE_PLAYING)
    end = Task {
      do { try await pipeline.waitForEnd(of: file) } catch {
        await pipeline.stop()
        throw error
      }
    }
  }

  deinit { end.cancel() }

  /// Also true once the pipeline has been stopped.
  var isAtEnd: Bool { gst_app_sink_is_eos(cast(sink.pointer)) != 0 }

  /// Nil if no samples arrive for 0.1 s.
  func pull() async -> AudioBlock? {
    await pipeline.onQueue { [sink] in
      guard let sample = gst_app_sink_try_pull_sample(cast(sink.pointer), 100_000_000) else {
        return nil
      }
      defer { gst_sample_unref(sample) }
      guard let buffer = gst_sample_get_buffer(sample), buffer.size > 0,
        let format = gst_sample_get_caps(sample).flatMap({ GstAudioInfo($0) })
      else { return nil }
      return buffer.withBytes { AudioBlock($0.bindMemory(to: Float.self), format) }
    }
  }
}

extension AudioBlock {
  fileprivate init(_ samples: UnsafeMutableBufferPointer<Float>, _ format: GstAudioInfo) {
    let channels = Int(clamping: max(format.channels, 1))
    self.init(
      sampleRate: Int(clamping: format.rate),
      planes: (0..<channels).map { channel in
        stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
      })
  }
}
