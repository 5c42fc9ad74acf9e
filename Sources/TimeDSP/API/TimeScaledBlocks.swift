// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

public import AudioModel

// Embedded Swift doesn't have tasks on every system.
#if !hasFeature(Embedded)
  extension AsyncSequence where Element == AudioBlock {
    /// The same blocks with a different duration or pitch, or both.
    ///
    /// ```swift
    /// for try await block in blocks.timeScaled(by: 1.5) { play(block) }
    /// ```
    ///
    /// The sequence throws whatever the blocks or a ``TimeScaler`` throw, or
    /// ``RetrogradeError/Code/invalidArgument`` if the sample rate or the number of channels
    /// changes.
    ///
    /// - Parameters:
    ///   - factor: Output duration / input duration, 0.01 … 100.
    ///   - pitch: How the pitch changes.
    ///   - interpolation: How to compute values between two frames if the pitch changes.
    ///   - window: Length of the analysis window for preserving the pitch.
    public func timeScaled(
      by factor: Double, pitch: Pitch = .kept, interpolation: Interpolation = .sinc,
      window: StretchWindow = .auto
    ) -> TimeScaledBlocks<Self> {
      TimeScaledBlocks(base: self) { block throws(RetrogradeError) in
        try TimeScaler(
          factor: factor, pitch: pitch, sampleRate: block.sampleRate, channels: block.channels,
          layout: .planar, interpolation: interpolation, window: window)
      }
    }
  }

  /// A sequence of blocks with a different duration or pitch.
  public struct TimeScaledBlocks<Base: AsyncSequence>: AsyncSequence
  where Base.Element == AudioBlock {
    fileprivate typealias Make = @Sendable (AudioBlock) throws(RetrogradeError) -> TimeScaler<Float>

    fileprivate let base: Base
    fileprivate let make: Make

    /// Starts reading the blocks.
    public func makeAsyncIterator() -> Iterator {
      Iterator(base: base.makeAsyncIterator(), make: make)
    }

    /// Reads blocks on demand. This is a class because a scaler isn't copyable.
    public final class Iterator: AsyncIteratorProtocol {
      private var base: Base.AsyncIterator
      private let make: Make
      private var scaler: TimeScaler<Float>?
      private var sampleRate = 0

      fileprivate init(base: Base.AsyncIterator, make: @escaping Make) {
        (self.base, self.make) = (base, make)
      }

      /// The next block that isn't empty, or `nil` at the end.
      public func next() async throws -> AudioBlock? {
        while let block = try await base.next() {
          if scaler == nil {
            scaler = try make(block)
            sampleRate = block.sampleRate
          }
          guard block.sampleRate == sampleRate, block.channels == scaler?.channels else {
            throw RetrogradeError.otherFormat
          }
          let planes = try scaler?.process(planes: block.planes) ?? []
          let scaled = AudioBlock(sampleRate: sampleRate, planes: planes)
          if scaled.frames > 0 { return scaled }
        }
        let planes = try scaler?.finishPlanes() ?? []
        scaler = nil
        let rest = AudioBlock(sampleRate: sampleRate, planes: planes)
        return rest.frames > 0 ? rest : nil
      }
    }
  }

  extension TimeScaledBlocks: Sendable where Base: Sendable {}
#endif
