// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

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
      private var source: (reader: SampleReader<Float>, rate: Int, channels: Int)?
      private var hasEnded = false

      init(file: AudioFile) { self.file = file }

      /// The next block, or nil at the end.
      public mutating func next() async throws -> AudioBlock? {
        guard !hasEnded else { return nil }
        let (reader, rate, channels) = try await opened()
        let samples = await blocking {
          reader.next()
        } cancel: {
          await reader.stop()
        }
        guard samples.isEmpty else {
          return AudioBlock(
            sampleRate: rate,
            planes: (0..<channels).map { channel in
              stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
            })
        }
        hasEnded = true
        try await reader.finish()
        return nil
      }

      private mutating func opened() async throws -> (SampleReader<Float>, Int, Int) {
        if let source { return source }
        let information = try await file.opened()
        let reader = try await SampleReader<Float>.start(file, through: [], format: "F32LE")
        let source = (reader, information.rate, information.channels)
        self.source = source
        return source
      }
    }
  }
}
